/** A test has the same name in every worktree, so that a red base is found. Real runners; features: B4. */
import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { attribute, type CommandOutcome } from '../../../src/gate/attribute.js';
import { gateEnvironment } from '../../../src/gate/environment.js';
import { lostTests } from '../../../src/gate/outcomes/outcomes.js';
import { relativeTo } from '../../../src/gate/outcomes/relative.js';
import { runCommand } from '../../../src/gate/run.js';
import { put } from '../git/repo.js';

let dir: string;
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'ralphctl names-')));
});
afterEach(() => rm(dir, { recursive: true, force: true, maxRetries: 3 }));

/** One file that does not load, one with a test that fails, one without a test: node names files by their path. */
const FILES = {
  'test/price.test.mjs': "import './gone.mjs';\n",
  'test/tax.test.mjs': "import { test } from 'node:test';\ntest('adds', () => { throw new Error('no'); });\n",
  'test/empty.test.mjs': '\n',
};
const OTHER = { 'test/shop.test.mjs': "import './gone.mjs';\n" };

async function outcomeIn(worktree: string, flags: string[], reports: string[] = []): Promise<CommandOutcome> {
  const command = { name: 'test', run: [process.execPath, '--test', ...flags], timeoutMs: 60_000, reports };
  const at = { worktree, logDir: join(dir, 'logs'), lockRoot: join(dir, 'locks') };
  const token = `names-${process.pid}/gate/${Math.random()}`;
  return (await runCommand({ ...at, env: gateEnvironment(process.env, {}), token }, command, 'gate-1')).outcome;
}
const tree = async (name: string, files: Record<string, string>): Promise<string> => {
  await put(join(dir, name), files);
  return join(dir, name);
};

const REPORT = ['--test-reporter=junit', '--test-reporter-destination=r.xml'];
describe.each([
  ['TAP', ['--test-reporter=tap'], []],
  ['its list', ['--test-reporter=spec'], []],
  ['a JUnit report', REPORT, ['r.xml']],
] as const)('%s, in two worktrees', (_, flags, reports) => {
  const inTree = (path: string): Promise<CommandOutcome> => outcomeIn(path, [...flags], [...reports]);

  it('a file that does not load is red already, and another one is new', async () => {
    const base = await inTree(await tree('integration/base-of-f5fbe6', FILES));
    const same = await inTree(await tree('worktrees/tree-007', FILES));
    expect(base.failing.join('\n')).toContain('test/price.test.mjs');
    expect([...base.failing, ...same.failing].join('\n')).not.toContain(dir);
    expect(attribute(same, base)).toMatchObject({ kind: 'already-red', known: base.failing, fixed: [] });
    const more = await inTree(await tree('worktrees/tree-008', { ...FILES, ...OTHER }));
    expect(attribute(more, base)).toMatchObject({ kind: 'new', added: [expect.stringContaining('shop.test.mjs')] });
  });
});

it('a worktree below a link has the same names', async () => {
  const base = await outcomeIn(await tree('base', FILES), []);
  await tree('elsewhere/tree', FILES);
  await mkdir(join(dir, 'linked'));
  await symlink(join(dir, 'elsewhere'), join(dir, 'linked/state'));
  const same = await outcomeIn(join(dir, 'linked/state/tree'), []);
  expect(attribute(same, base)).toMatchObject({ kind: 'already-red', known: base.failing });
  expect(base.tested && lostTests(base.tested, same.tested)).toMatchObject({ gone: [], skipped: [] });
  expect(JSON.stringify(same)).not.toContain(dir);
});

it('only the place of the worktree is left out', async () => {
  const relative = await relativeTo(join(dir, 'tree'));
  const place = join(dir, 'tree');
  expect(relative(`${place}/a.js at file://${place}/b.js`)).toBe('a.js at file://b.js');
  expect(relative(`in ${place}: ${place}-2/a.js ${place}2/a.js ${place}.old`)).toBe(
    `in .: ${place}-2/a.js ${place}2/a.js ${place}.old`,
  );
});
