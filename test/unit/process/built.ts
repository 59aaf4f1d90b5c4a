/** Programs that run parts of the source in a process of their own, with limits that this process must not have. */
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { onTestFinished } from 'vitest';

export const src = fileURLToPath(new URL('../../../src', import.meta.url));

/** A program of its own from the text of one, in a folder that goes away with the test. */
export async function built(text: string): Promise<{ dir: string; program: string }> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'ralphctl-fds-')));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const probe = join(dir, 'probe.ts');
  await writeFile(probe, text);
  // Beside the dependencies, which are not part of the bundle.
  const program = join(dir, 'probe.mjs');
  await build({
    ...{ entryPoints: [probe], outfile: program, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' },
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    nodePaths: [join(dirname(src), 'node_modules')],
  });
  return { dir, program };
}
