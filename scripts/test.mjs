/** `npm test`: everything that must hold, cheapest first; ends with the totals. Arguments go to vitest. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command, ensureInstalled } from './install.mjs';

await ensureInstalled();
const bin = (name) => join('node_modules', '.bin', name);
const picked = process.argv.slice(2);
const checks = [
  ['format and lint', bin('biome'), ['ci', '--error-on-warnings', '.']],
  ['promises', bin('oxlint'), ['--type-aware', '--deny-warnings', '.']],
  ['types', bin('tsc'), ['-p', '.']],
  ['unused code', bin('knip'), []],
  ['build', process.execPath, ['scripts/build.mjs']],
];
for (const [name, program, args] of picked.length > 0 ? checks.slice(-1) : checks) {
  const started = Date.now();
  const code = await command(program, args);
  console.log(`${code === 0 ? 'ok' : 'FAILED'}  ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
  if (code !== 0) process.exit(code);
}
const dir = await mkdtemp(join(tmpdir(), 'ralphctl-test-'));
const report = join(dir, 'report.json');
const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...picked];
const code = await command(bin('vitest'), args);
try {
  const totals = JSON.parse(await readFile(report, 'utf8'));
  console.log(`${totals.numPassedTests} passed, ${totals.numFailedTests} failed, ${totals.numPendingTests} skipped`);
} catch {
  console.log('the test runner left no report');
}
await rm(dir, { recursive: true, force: true });
process.exit(code);
