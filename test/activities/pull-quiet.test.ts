/**
 * Looks at pull requests on which nothing happens: each request names the answer of the look before, so the forge counts
 * none of them. With the real `gh` against a forge on this machine. Features: D2.
 */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { projectDir } from '../../src/config/paths.js';
import type { LookResult } from '../../src/protocol/review.js';
import type { Forge } from '../support/forge/forge.js';
import { ghProgram, leftOut } from '../support/forge/programs.js';
import { check, mergePull, type Pull } from '../support/forge/pulls.js';
import type { Repo } from '../support/forge/world.js';
import { onGithub, reviewOf } from './pulls.js';
import type { Pushing } from './pushing.js';

const gh = await ghProgram();

describe.skipIf(gh.path === undefined)(`D2 quiet looks${leftOut(gh)}`, { timeout: 240_000 }, () => {
  let forge: Forge;
  let repo: Repo;
  let pulls: Map<number, Pull>;
  let at: Pushing;
  afterEach(() => forge?.close());

  async function inReview() {
    ({ forge, at, repo, pulls } = await onGithub(gh.path));
    const { look } = await reviewOf(at, await at.works('t-1'));
    /** What one look found, and the status of each of its requests. */
    return async (seen: string[] = []): Promise<{ found: LookResult; asked: number[] }> => {
      forge.requests.length = 0;
      const found = await look(seen);
      return { found, asked: forge.requests.map(({ status }) => status) };
    };
  }
  const answers = () => join(projectDir(at.b.root, at.b.ref.project), 'answers');

  it('a second look costs nothing of the limit; what is new is seen at once, and only that is read', async () => {
    const look = await inReview();
    const first = await look();
    expect(first).toEqual({ found: { kind: 'open' }, asked: Array.from({ length: 6 }, () => 200) });
    const quiet = { found: { kind: 'open' }, asked: Array.from({ length: 6 }, () => 304) };
    expect(await look()).toEqual(quiet);
    expect(await look()).toEqual(quiet);

    const pull = [...pulls.values()][0] as Pull;
    const issue = repo.issues.get(pull.number);
    if (!issue) throw new Error('no issue');
    forge.world.comment(issue, 'ann', 'Use the other name.');
    const told = await look();
    expect(told.found).toMatchObject({ kind: 'back', tail: expect.stringContaining('Use the other name.') });
    expect(told.asked.filter((status) => status === 200)).toHaveLength(1);
    const { seen } = told.found as Extract<LookResult, { kind: 'back' }>;
    expect(await look(seen)).toEqual(quiet);
    check(repo, 91, 'ralph/t-1', 'failure', 'boom\n');
    expect((await look(seen)).found).toMatchObject({ kind: 'back', about: 'checks' });
  });

  it('answers that are damaged or deleted are asked for again, and they go with the pull request', async () => {
    const look = await inReview();
    await look();
    expect(await readdir(answers())).toEqual(['t-1.json']);
    for (const text of ['{"version":1,"answers":{"x":', '[]', '{"answers":{"a":{"tag":7}}}']) {
      await writeFile(join(answers(), 't-1.json'), text);
      expect(await look()).toEqual({ found: { kind: 'open' }, asked: Array.from({ length: 6 }, () => 200) });
    }
    mergePull(repo, [...pulls.keys()][0] ?? 0, 'ann');
    expect((await look()).found).toMatchObject({ kind: 'merged' });
    expect(await readdir(answers())).toEqual([]);
  });
});
