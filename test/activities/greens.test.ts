/** A tree that the gate has found green is not gated again, and any other is. Features: D1. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { greensDir } from '../../src/config/paths.js';
import type { LandInput, LandResult } from '../../src/protocol/git-work.js';
import { roadmap } from '../support/program.js';
import { type Bench, type BenchOptions, bench, say } from './bench.js';

const agent = `cat > /dev/null\necho work > work.txt\n${say('COMPLETE')}`;
const files = { 'base.txt': 'base\n', '.gitignore': '.env\n', 'roadmap.md': roadmap([{ id: 't-1' }, { id: 't-2' }]) };

/** Finished work of t-1. Its gate writes a line for each run. */
async function finished(options: BenchOptions = {}, gate: object = {}): Promise<{ b: Bench; input: LandInput }> {
  const commands = ['echo ran >> "$COUNT"; cat more 2>> "$COUNT.err"; true'];
  const { config, ...rest } = options;
  const b = await bench({
    ...{ files, agent, ...rest },
    config: { gate: { commands, passEnv: ['COUNT', 'LEVEL'], ...gate }, ...config },
  });
  b.env.COUNT = join(b.marks, 'gates');
  b.env.LEVEL = '1';
  await b.write({ gates: '' }, b.marks);
  const { worktree, branch, base } = await b.prepare();
  const { head } = await b.call(b.activities.runAgent, b.agentInput(await b.prepare())).done;
  const names = { ...b.ref, idea: 't-1', title: 'Do t-1', agentName: 'ed-001' };
  return { b, input: { ...names, worktree, branch, base, head } };
}

const land = (b: Bench, input: LandInput): Promise<LandResult> => b.call(b.activities.landIdea, input).done;
const gates = async (b: Bench): Promise<number> => (await b.read(join(b.marks, 'gates'))).split('\n').length - 1;

/** Its landing ended between gate and swap, and left nothing on the target. */
async function lostSwap(b: Bench, input: LandInput): Promise<void> {
  const before = await b.git('rev-parse', 'main');
  const result = await land(b, input);
  if (result.kind !== 'landed') throw new Error(`expected landed, got ${result.kind}`);
  await b.git('reset', '-q', '--hard', before);
  await b.git('branch', '-f', input.branch, input.head);
  for (const ref of ['landing', 'landing-head']) await b.git('update-ref', '-d', `refs/ralphctl/${ref}/t-1`);
}

describe('a landing that is tried again', () => {
  it('runs no gate for the tree that was green, and says so', async () => {
    const { b, input } = await finished();
    await lostSwap(b, input);
    expect(await gates(b)).toBe(1);
    const again = await land(b, input);
    expect(again).toMatchObject({ kind: 'landed', gate: { same: 'landing gate of t-1', durationMs: 0 } });
    expect(await gates(b)).toBe(1);
    expect(await b.git('show', 'main:roadmap.md')).toContain('- [x] **t-1**');
    expect(await b.git('status', '--porcelain')).toBe('');
  });

  it('gates the tree that follows from another target', async () => {
    const { b, input } = await finished();
    await lostSwap(b, input);
    await b.write({ 'other.txt': 'other\n' });
    await b.commit('mine');
    const result = await land(b, input);
    expect(result.kind === 'landed' && result.gate).not.toHaveProperty('same');
    expect(await gates(b)).toBe(2);
  });

  it.each([
    ['gate.reuse is off', {}, { reuse: false }, async () => undefined],
    ['a variable of the gate is another', {}, {}, async (b: Bench) => Object.assign(b.env, { LEVEL: '2' })],
    [
      'a file that set-up copies is another',
      { config: { setup: { copy: ['.env'] } } },
      {},
      (b: Bench) => b.write({ '.env': 'A=2\n' }),
    ],
    [
      'the green file is damaged',
      {},
      {},
      async (b: Bench) => {
        const folder = greensDir(b.root, b.project);
        for (const name of await readdir(folder)) await b.write({ [name]: '{"gate": {"pass"' }, folder);
      },
    ],
  ])('gates it again where %s', async (_, options, gate, meanwhile) => {
    const { b, input } = await finished(options, gate);
    await b.write({ '.env': 'A=1\n' });
    await lostSwap(b, input);
    await meanwhile(b);
    expect(await land(b, input)).toMatchObject({ kind: 'landed' });
    expect(await gates(b)).toBe(2);
  });

  it('gates it again in a run of its own', async () => {
    const { b, input } = await finished();
    await lostSwap(b, input);
    await b.laterRun('run-2');
    expect(await land(b, { ...input, runId: 'run-2' })).toMatchObject({ kind: 'landed' });
    expect(await gates(b)).toBe(2);
  });
});

it('a red gate is never remembered, and neither is a tolerated one', async () => {
  const red = await finished({}, { commands: ['echo ran >> "$COUNT"; exit 3'], rerun: false });
  expect(await land(red.b, red.input)).toMatchObject({ kind: 'red' });
  const after = await gates(red.b);
  expect(await land(red.b, red.input)).toMatchObject({ kind: 'red' });
  expect(await gates(red.b)).toBeGreaterThan(after);

  const known = await finished({}, { commands: ['echo ran >> "$COUNT"; exit 3'], rerun: false, baseline: 'tolerate' });
  await lostSwap(known.b, known.input);
  const before = await gates(known.b);
  expect(await land(known.b, known.input)).toMatchObject({
    kind: 'landed',
    note: expect.stringContaining('as on the'),
  });
  expect(await gates(known.b)).toBeGreaterThan(before);
});

it('a link that a commit brings is looked at, whatever gate has seen its tree', async () => {
  const link = `git init -q sub; (cd sub; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x)
git add sub; git -c user.name=a -c user.email=a@b commit -q -m link; git rm -q --cached sub; rm -rf sub
echo work > work.txt; git add -A; git -c user.name=a -c user.email=a@b commit -q -m work`;
  const { b, input } = await finished();
  await lostSwap(b, input);
  // The same tree, with a link in a commit before the last one.
  await b.git('checkout', '-q', '-b', 'linked', input.base);
  const { execa } = await import('execa');
  await execa('sh', ['-c', link], { cwd: b.repo, env: { ...b.env } as Record<string, string>, extendEnv: false });
  const head = await b.git('rev-parse', 'HEAD');
  await b.git('checkout', '-q', 'main');
  await b.git('branch', '-f', input.branch, head);
  await expect(land(b, { ...input, head })).rejects.toThrow('links sub to a repository that exists only here');
});
