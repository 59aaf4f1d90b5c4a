/** Epics whose children land as pull requests, with the real `gh` against a forge on this machine. Features: D6, A4. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { LookResult } from '../../src/protocol/review.js';
import { ghProgram, leftOut } from '../support/forge/programs.js';
import { mergePull } from '../support/forge/pulls.js';
import { idea } from './bench.js';
import { type OnGithub, onGithub, reviewOf } from './pulls.js';

const gh = await ghProgram();

const task = (id: string, indent = ''): string =>
  [`- [ ] **${id}** Do ${id}`, '  One.', '  Two.', '  Three.', '  Four.', '']
    .map((line) => (line === '' ? line : indent + line))
    .join('\n');
const backlog = `- [ ] **e-0** All of it\n  - [ ] **e-1** An epic\n${task('t-1', '    ')}${task('t-2', '    ')}${task('t-3')}`;
const ideas = [
  idea('e-0', { blue: true }),
  idea('e-1', { blue: true, parent: 'e-0' }),
  ...['t-1', 't-2'].map((id) => idea(id, { parent: 'e-1' })),
  idea('t-3'),
];

describe.skipIf(gh.path === undefined)(`D6 epics of pull requests${leftOut(gh)}`, { timeout: 240_000 }, () => {
  let on: OnGithub;
  afterEach(() => on?.forge.close());

  const begin = async (): Promise<void> => {
    on = await onGithub(gh.path, { ideas, files: { 'roadmap.md': backlog } });
  };
  const review = async (id: string) => {
    const { pull, look } = await reviewOf(on.at, await on.at.works(id));
    return async (): Promise<LookResult> => {
      mergePull(on.repo, pull.number, 'ann');
      return look();
    };
  };
  const ticked = (text: string): string[] => [...text.matchAll(/\[x\] \*\*(\S+)\*\*/g)].map(([, id]) => id ?? '');

  it('the next pull request ticks epics whose children were in review together; until then their landing says so', async () => {
    await begin();
    const merges = [await review('t-1'), await review('t-2')];
    const first = await merges[0]?.();
    expect(first).toMatchObject({ kind: 'merged' });
    expect(first).not.toHaveProperty('note');
    expect(await merges[1]?.()).toMatchObject({
      kind: 'merged',
      note: expect.stringContaining(
        'e-1, e-0 are complete, and roadmap.md has no tick for them: the next pull request sets it, or set it by hand.',
      ),
    });
    expect(ticked(await on.at.b.git('show', 'main:roadmap.md'))).toEqual(['t-1', 't-2']);
    const last = await review('t-3');
    expect(await last()).not.toHaveProperty('note');
    expect(ticked(await on.at.b.git('show', 'main:roadmap.md'))).toEqual(['e-0', 'e-1', 't-1', 't-2', 't-3']);
  });

  it('a backlog that git does not track is ticked with the merge of the last child, and not before', async () => {
    await begin();
    const { b } = on.at;
    await b.git('rm', '--quiet', '--cached', 'roadmap.md');
    await b.git('commit', '--quiet', '--message', 'chore: the backlog is mine');
    await b.git('push', '--quiet', 'origin', 'main');
    const mine = async (): Promise<string[]> => ticked(await readFile(join(b.repo, 'roadmap.md'), 'utf8'));
    const merges = [await review('t-1'), await review('t-2')];
    await merges[1]?.();
    expect(await mine()).toEqual(['t-2']);
    const last = await merges[0]?.();
    expect(await mine()).toEqual(['e-0', 'e-1', 't-1', 't-2']);
    expect(last).not.toHaveProperty('note');
  });
});
