/** `npm run chaos`: builds the program and the chaos suite, then runs it. Arguments are the suite's. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildAll } from './build.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
await buildAll();
const dir = await mkdtemp(join(tmpdir(), 'ralphctl-chaos-suite-'));
const outfile = join(dir, 'chaos.mjs');
await build({
  entryPoints: [join(root, 'test/chaos/main.ts')],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'warning',
});
const child = spawn(process.execPath, [outfile, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, RALPHCTL_CHAOS_ROOT: root },
});
child.once('exit', async (code) => {
  await rm(dir, { recursive: true, force: true });
  process.exit(code ?? 1);
});
