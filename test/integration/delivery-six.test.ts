/**
 * One run of six ideas with `landing.mode: pr` and `landing.stack`, with the real `gh` against a forge on this machine and
 * a real bare repository behind it: two on top of each other, a red check, comments, a conflict, and one that a person
 * closes. Features: D2.
 */
import { afterEach, describe, expect, it } from 'vitest';
import type { StampedEvent } from '../../src/protocol/events.js';
import { scriptResolves, somebodyMerges } from '../support/forge/conflict.js';
import { type Delivering, delivering, onGithub, PATIENT_MS } from '../support/forge/delivering.js';
import { ghProgram, leftOut } from '../support/forge/programs.js';
import { check, closePull, mergePull, type Pull, sayOnLine } from '../support/forge/pulls.js';
import { roadmap, until } from '../support/program.js';

const gh = await ghProgram();
const IDS = ['a-1', 'b-1', 'c-1', 'k-1', 'o-1', 'x-1'];

describe.skipIf(gh.path === undefined)(`pull requests of six ideas${leftOut(gh)}`, () => {
  let all: Delivering;
  afterEach(() => all?.close());

  it('D2: a stack, a red check, comments, a conflict and a closed one: each has one branch and one pull request, and ends as it should', async () => {
    all = await delivering(onGithub(gh.path), IDS, { stack: true });
    const { forge, held, repo, pulls, inBare, opened, shows, has } = all;
    const { box } = held;
    await box.write({ 'roadmap.md': roadmap(IDS.map((id) => (id === 'b-1' ? { id, depends: 'a-1' } : { id }))) });
    await scriptResolves(all, 'x-1');

    // Two slots, and six pull requests: what is in review holds none.
    await held.start();
    const made = new Map<string, Pull>();
    for (const id of IDS) made.set(id, await opened(id));
    const pullOf = (id: string): Pull => made.get(id) as Pull;
    const inReview = (...ids: string[]) =>
      until(
        `${ids.join(', ')} in review`,
        async () => {
          const { slots, active } = await held.status();
          const there = active.filter(({ review, reason, agentName }) =>
            [reason?.startsWith('in review: '), review?.number, agentName === undefined].every(Boolean),
          );
          return slots === 2 && ids.every((id) => there.some((one) => one.id === id)) && there;
        },
        PATIENT_MS,
      );
    expect(await inReview(...IDS)).toHaveLength(6);
    expect(IDS.map((id) => pullOf(id).base)).toEqual(['main', 'ralph/a-1', 'main', 'main', 'main', 'main']);
    expect([await has('ralph/b-1', 'ralph/a-1'), await shows(pullOf('b-1'))]).toEqual([
      true,
      ['b-1.txt', 'draft-b-1.txt', 'roadmap.md'],
    ]);
    const first = new Map<string, string>();
    for (const id of IDS) first.set(id, await inBare('rev-parse', `ralph/${id}`));

    // All of it at once.
    const [said, apart, unwanted] = [pullOf('o-1'), pullOf('x-1'), pullOf('c-1')];
    check(repo, 77, 'ralph/k-1', 'failure', `${'noise\n'.repeat(2000)}Error: 3 is not 4\n`);
    const [talk, closing] = [said, unwanted].map(({ number }) => repo.issues.get(number));
    if (!talk || !closing) throw new Error('no conversation');
    // Both are there when a look begins, so that one round answers both.
    let asks = true;
    forge.trouble.before = ({ method, path }) => {
      if (!asks || method !== 'GET' || !path.endsWith(`/pulls/${said.number}`)) return;
      asks = false;
      forge.world.comment(talk, 'ann', 'And say why.');
      sayOnLine(repo, said.number, { id: 601, login: 'ann', body: 'Please name it better.' });
    };
    forge.world.comment(closing, 'ann', 'Nobody needs it.');
    closePull(repo, unwanted.number, 'ann');
    const theirs = await somebodyMerges(all, 'x-1');

    for (const id of ['k-1', 'o-1', 'x-1']) await held.began(id, 2);
    expect(await held.prompt('k-1', 2)).toContain('Error: 3 is not 4');
    const prompt = await held.prompt('o-1', 2);
    for (const words of ['ann on o-1.txt:1: Please name it better.', 'ann: And say why.'])
      expect(prompt).toContain(words);
    expect(await held.prompt('x-1', 2)).toContain('x-1.txt');
    expect((await held.idea('c-1', 'skipped')).reason).toBe(
      `pull request ${unwanted.number} was closed by ann without a merge: https://github.localhost/me/shop/pull/${unwanted.number} (its closing comment: "Nobody needs it.")`,
    );
    for (const id of ['k-1', 'o-1', 'x-1'])
      await until(`${id} pushed`, async () => (await inBare('rev-parse', `ralph/${id}`)) !== first.get(id), PATIENT_MS);
    await until('the resolved thread', () => Promise.resolve(said.resolved.length > 0), PATIENT_MS);
    expect(await inReview('a-1', 'b-1', 'k-1', 'o-1', 'x-1')).toHaveLength(5);

    // The conflict: on top of what was merged meanwhile, with both.
    expect(await has('ralph/x-1', theirs)).toBe(true);
    expect([await shows(apart), await inBare('show', 'ralph/x-1:x-1.txt')]).toEqual([
      ['draft-x-1.txt', 'roadmap.md', 'x-1.txt'],
      'both',
    ]);
    const seen = await held.events();
    const at = (fits: (event: StampedEvent) => boolean): number => seen.findIndex(fits);
    const order = [
      at((one) => one.kind === 'review' && one.idea === 'x-1' && one.state === 'apart'),
      at((one) => one.kind === 'iteration' && one.idea === 'x-1' && one.serial === 2),
      seen.findLastIndex((one) => one.kind === 'gate' && one.idea === 'x-1' && one.merged === true),
      seen.findLastIndex((one) => one.kind === 'review' && one.idea === 'x-1' && one.state === 'open'),
    ];
    expect(order).not.toContain(-1);
    expect(order).toEqual([...order].sort((a, b) => a - b));

    // One answer each, and nothing for the others.
    const now = await inBare('rev-parse', 'ralph/o-1');
    expect(said.lines.map(({ body, replyTo }) => [body, replyTo])).toEqual([
      ['Please name it better.', undefined],
      [`<!-- ralphctl answers line 601 -->\nThe agent of ralphctl has worked on this comment, up to ${now}.`, 601],
    ]);
    expect(said.resolved).toEqual([601]);
    expect(talk.comments.map(({ body }) => body)).toEqual([
      'And say why.',
      expect.stringContaining(`<!-- ralphctl answers comment ${talk.comments[0]?.id} -->\n`),
    ]);
    for (const id of ['a-1', 'b-1', 'k-1', 'x-1'])
      expect([pullOf(id).lines, repo.issues.get(pullOf(id).number)?.comments], id).toEqual([[], []]);
    expect(closing.comments).toHaveLength(1);

    mergePull(repo, pullOf('a-1').number, 'ann');
    expect((await held.idea('a-1', 'landed')).reason).toContain('was merged by ann');
    await until('the upper one on main', () => Promise.resolve(pullOf('b-1').base === 'main'), PATIENT_MS);
    for (const id of ['b-1', 'k-1', 'o-1', 'x-1']) {
      await inReview(id);
      mergePull(repo, pullOf(id).number, 'ann');
      await held.idea(id, 'landed');
    }
    expect(await held.finish()).toMatchObject({ notLanded: [{ idea: 'c-1', status: 'skipped' }] });

    expect(await inBare('for-each-ref', '--format=%(refname)')).toBe(
      ['refs/heads/main', ...IDS.map((id) => `refs/heads/ralph/${id}`)].join('\n'),
    );
    expect([...pulls.values()].map(({ head }) => head).sort()).toEqual(IDS.map((id) => `ralph/${id}`));
    expect(await box.git('rev-parse', 'main')).toBe(await inBare('rev-parse', 'main'));
    const ticks = (await box.git('show', 'main:roadmap.md')).match(/\[.\] \*\*[a-z]-1/g);
    expect(ticks).toEqual(IDS.map((id) => `[${id === 'c-1' ? ' ' : 'x'}] **${id}`));
    expect(await box.git('ls-tree', '--name-only', 'main')).not.toContain('c-1.txt');
    expect((await box.run('ledger', 'verify')).code).toBe(0);
  }, 600_000);
});
