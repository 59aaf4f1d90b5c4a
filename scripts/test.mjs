/**
 * `npm test`: all checks, two at a time and the cheapest first, then the tests but the long ones; ends with times and
 * totals. Arguments go to vitest.
 * `npm run test:long` (`--long`): the files of `long-files.mjs`.
 * `npm run test:full` (`--full`): only the seeded suites, with many more draws, and those about sizes, with large ones.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { command, ensureInstalled, root } from './install.mjs';
import { LONG_FILES } from './long-files.mjs';

/** Suites with random cases, of which more draws find more, and suites about sizes. */
const DRAWN = [
  'test/unit/decide',
  'test/unit/backlog',
  'test/unit/agents/signal.test.ts',
  'test/unit/git/landing/landing.property.test.ts',
  'test/chaos/seeded.test.ts',
  'test/integration/rollover.test.ts',
  'test/integration/scale.test.ts',
];
const IN_MEMORY = '/dev/shm';
const ENOUGH_BYTES = 4 * 1024 ** 3;
const FULL = { RALPHCTL_TEST_FULL: '1', RALPHCTL_PROPERTY_RUNS: '1000', FUZZ: '10' };

await ensureInstalled();
const bin = (name) => join('node_modules', '.bin', name);
const given = process.argv.slice(2);
const full = given.includes('--full');
const long = given.includes('--long');
const own = given.filter((arg) => arg !== '--full' && arg !== '--long');
const picked = [...(full ? DRAWN : []), ...(long ? LONG_FILES : []), ...own];
const checks = [
  ['format and lint', bin('biome'), ['ci', '--error-on-warnings', '.']],
  ['promises', bin('oxlint'), ['--type-aware', '--deny-warnings', '.']],
  ['types', bin('tsc'), ['-p', '.']],
  ['unused code', bin('knip'), []],
  ['build', process.execPath, ['scripts/build.mjs']],
];
await allOk(picked.length > 0 ? checks.slice(-1) : checks);

/** Runs the checks; ends the program after the first that fails. */
async function allOk(rows) {
  const waiting = [...rows];
  let failed = 0;
  const work = async () => {
    for (let row = waiting.shift(); row && failed === 0; row = waiting.shift()) {
      const [name, program, args] = row;
      const started = Date.now();
      const code = await command(program, args);
      console.log(`${code === 0 ? 'ok' : 'FAILED'}  ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
      failed ||= code;
    }
  };
  // Each of them is busy on little more than one core.
  await Promise.all([work(), work()]);
  if (failed !== 0) process.exit(failed);
}

/** Memory where there is plenty: git and the databases of the tests write many small files. */
async function temporaryFolder() {
  if (process.env.TMPDIR) return process.env.TMPDIR;
  const probe = join(IN_MEMORY, `ralphctl-test-${process.pid}`);
  try {
    const { bavail, bsize } = await statfs(IN_MEMORY);
    const [, available = '0'] = /^MemAvailable: *(\d+) kB/m.exec(await readFile('/proc/meminfo', 'utf8')) ?? [];
    if (Math.min(bavail * bsize, Number(available) * 1024) < ENOUGH_BYTES) return tmpdir();
    // In a container programs may not run there.
    await writeFile(probe, '#!/bin/sh\n', { mode: 0o700 });
    await promisify(execFile)(probe);
    return IN_MEMORY;
  } catch {
    return tmpdir();
  } finally {
    await rm(probe, { force: true });
  }
}

const dir = await mkdtemp(join(tmpdir(), 'ralphctl-test-'));
const report = join(dir, 'report.json');
const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...picked];
const TMPDIR = await temporaryFolder();
const scope = full ? FULL : picked.length === 0 ? { RALPHCTL_TEST_SHORT: '1' } : {};
const code = await command(bin('vitest'), args, { env: { ...process.env, TMPDIR, ...scope } });
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
