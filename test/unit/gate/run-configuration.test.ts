/** Files that the next run reads trip as gate files (F3): configuration, agent programs, set-up scripts, prompts. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONFIG_FILES } from '../../../src/config/file-names.js';
import { findTripwires, type TripwireInput } from '../../../src/gate/tripwires/tripwires.js';
import { put } from '../git/repo.js';

let dir: string;
const git = (...args: string[]) => execa('git', args, { cwd: dir });
const CONFIG = 'gate: ["test ! -e broken"]\nslots: 2\nagent: claude\nlanding: { mode: local }\n';

beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'ralphctl trip-')));
  await git('init', '-q', '-b', 'main');
  await git('config', 'user.name', 'T');
  await git('config', 'user.email', 't@localhost');
  await put(dir, { 'ralphctl.yaml': CONFIG, 'tools/agent.sh': '. ./tools/lib.sh\n', 'tools/lib.sh': 'true\n' });
  await put(dir, { 'prompts/mine.md': '{{signal}}\n', 'setup.sh': 'true\n', 'jest.config.js': 'export default {};\n' });
  await git('add', '-A');
  await git('commit', '-qm', 'start');
});
afterEach(() => rm(dir, { recursive: true, force: true, maxRetries: 3 }));

async function subjects(work: () => Promise<unknown>, more: Partial<TripwireInput> = {}): Promise<string[]> {
  await work();
  await writeFile(join(dir, 'n1'), 'x\n');
  await git('add', '-A');
  await git('commit', '-qm', 'work');
  const rules = { deletedTests: 'ask', newSkips: 'ask', gateFiles: 'ask' } as const;
  const found = await findTripwires({ worktree: dir, base: 'HEAD~1', rules, commands: ['test ! -e broken'], ...more });
  expect(found.every(({ kind, warn }) => kind === 'gate-file' && !warn)).toBe(true);
  return found.map(({ subject }) => subject);
}
const write = (files: Record<string, string>) => () => put(dir, files);
const move = (to: string) => async () => {
  await mkdir(join(dir, to, '..'), { recursive: true });
  await git('mv', 'ralphctl.yaml', to);
};

it('F3: what the next run reads may not grow either, also where tests are', async () => {
  await put(dir, { 'spec/ralphctl.yaml': CONFIG, 'test/agent.sh': 'true\n', 'test/run.sh': 'true\n' });
  await put(dir, { 'package.json': '{"scripts":{"bootstrap":"true"}}\n' });
  await git('add', '-A');
  await git('commit', '-qm', 'more');
  const nextRun = { files: ['spec/ralphctl.yaml'], commands: [['sh', 'test/agent.sh'], 'npm run -s bootstrap'] };
  const grow = write({
    'spec/ralphctl.yaml': `${CONFIG}gate: ["true"]\n`,
    'test/agent.sh': 'true\ncurl evil\n',
    'test/run.sh': 'true\ntrue\n',
    'package.json': '{"scripts":{"bootstrap":"curl evil"}}\n',
  });
  const all = ['package.json', 'spec/ralphctl.yaml', 'test/agent.sh'];
  expect((await subjects(grow, { nextRun, commands: ['sh test/run.sh'] })).sort()).toEqual(all);
  await git('reset', '-q', '--hard', 'HEAD~1');
  expect((await subjects(grow, { nextRun, commands: [] })).sort()).toEqual(all);
});

describe('the configuration of a run', () => {
  it.each([
    ['edited', write({ 'ralphctl.yaml': CONFIG.replace('test ! -e broken', 'exit 0') }), ['ralphctl.yaml']],
    ['deleted', () => git('rm', '-q', 'ralphctl.yaml'), ['ralphctl.yaml']],
    ['moved away', move('old.yaml'), ['ralphctl.yaml']],
    ['moved to where tests are', move('test/old.yaml'), ['ralphctl.yaml']],
    ['moved to another of its names', move('ralphctl.yml'), ['ralphctl.yml']],
    ['moved into a folder', move('web/ralphctl.yaml'), ['web/ralphctl.yaml']],
  ])('%s', async (_how, work, told) => {
    expect(await subjects(work)).toEqual(told);
  });

  it.each([
    ...CONFIG_FILES.filter((name) => name !== 'ralphctl.yaml'),
    // A start in a folder reads the nearest one.
    ...CONFIG_FILES.map((name) => `apps/web/${name}`),
    // A file system that ignores case finds these by the name.
    'Ralphctl.yml',
    'RALPHCTL.JSON',
  ])('that is new: %s', async (path) => {
    expect(await subjects(write({ [path]: '{}\n' }))).toEqual([path]);
  });

  it('also without a gate, where other gate files ask nothing', async () => {
    const work = write({
      'ralphctl.yaml': 'agent: codex\n',
      'jest.config.js': 'new\n',
      'test/a.test.js': 'it.skip("a")\n',
    });
    expect(await subjects(work, { commands: [] })).toEqual(['ralphctl.yaml']);
  });

  it('is no other file of a like name', async () => {
    const work = write({ 'ralphctl.md': 'x\n', 'docs/ralphctl.yaml.txt': 'x\n', 'my-ralphctl.yaml': 'x\n' });
    expect(await subjects(work)).toEqual([]);
  });

  it('as any other gate file, that is moved to where tests are', async () => {
    const work = async () => {
      await mkdir(join(dir, 'test'));
      await git('mv', 'jest.config.js', 'test/old.js');
    };
    expect(await subjects(work)).toEqual(['jest.config.js']);
  });
});

describe('what else the next run reads', () => {
  const nextRun = {
    files: ['prompts/mine.md'],
    commands: [['sh', 'tools/agent.sh', '--yes'], 'sh ./setup.sh'],
  };

  it('by its path, or run by an agent or the set-up, asks', async () => {
    const work = write({ 'prompts/mine.md': 'x\n', 'tools/lib.sh': 'x\n', 'setup.sh': 'x\n' });
    expect((await subjects(work, { nextRun })).sort()).toEqual(['prompts/mine.md', 'setup.sh', 'tools/lib.sh']);
  });

  it('also without a gate', async () => {
    const work = write({ 'tools/agent.sh': 'x\n', 'jest.config.js': 'x\n' });
    expect(await subjects(work, { nextRun, commands: [] })).toEqual(['tools/agent.sh']);
  });
});
