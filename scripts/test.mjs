/**
 * `npm test`: all checks, cheapest first; ends with times and totals. Arguments go to vitest. `npm run test:full`
 * (`--full`): only the seeded suites, with many more draws.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command, ensureInstalled, root } from './install.mjs';

/** Suites with random cases: more draws find more. */
const DRAWN = [
  'test/unit/decide',
  'test/unit/backlog',
  'test/unit/agents/signal.test.ts',
  'test/unit/git/landing/landing.property.test.ts',
  'test/chaos/seeded.test.ts',
];
const FULL = { RALPHCTL_TEST_FULL: '1', RALPHCTL_PROPERTY_RUNS: '1000', FUZZ: '10' };

await ensureInstalled();
const bin = (name) => join('node_modules', '.bin', name);
const given = process.argv.slice(2);
const full = given.includes('--full');
const picked = full ? [...DRAWN, ...given.filter((arg) => arg !== '--full')] : given;
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
const code = await command(bin('vitest'), args, { env: { ...process.env, ...(full ? FULL : {}) } });
try {
  const totals = JSON.parse(await readFile(report, 'utf8'));
  const { whereTimeGoes } = await import('./test-times.mjs');
  console.log(whereTimeGoes(totals, root).join('\n'));
  console.log(`${totals.numPassedTests} passed, ${totals.numFailedTests} failed, ${totals.numPendingTests} skipped`);
} catch {
  console.log('the test runner left no report');
}
await rm(dir, { recursive: true, force: true });
process.exit(code);
