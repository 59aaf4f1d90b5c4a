import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, it } from 'vitest';

it('docs/configuration.md lists the keys of the schemas as they are', async () => {
  const script = fileURLToPath(new URL('../../../scripts/config-doc.mjs', import.meta.url));
  const done = await execa(process.execPath, [script, '--check'], { reject: false });
  expect(done.stderr).toBe('');
  expect(done.exitCode).toBe(0);
});
