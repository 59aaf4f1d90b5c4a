/**
 * `landing.mode: pr` in whole runs, with the real `gh` against a forge on this machine and a real bare repository behind
 * it. Features: D2, C1.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { StampedEvent } from '../../src/protocol/events.js';
import { scriptResolves, somebodyMerges } from '../support/forge/conflict.js';
import { type Delivering, delivering, onGithub, PATIENT_MS } from '../support/forge/delivering.js';
import type { Recorded } from '../support/forge/forge.js';
import { ghProgram, leftOut } from '../support/forge/programs.js';
import { check, closePull, mergePull, sayOnLine } from '../support/forge/pulls.js';
import { type Moment, stackOfThree } from '../support/forge/stack-of-three.js';
import { until } from '../support/program.js';

const gh = await ghProgram();

describe.skipIf(gh.path === undefined)(`pull requests${leftOut(gh)}`, () => {
  let all: Delivering;
  let { forge, held, repo, pulls, bare, inBare, opened, killWorker } = {} as Delivering;
  afterEach(() => all?.close());

  async function open(ids: string[], landing: Record<string, unknown> = {}): Promise<void> {
    all = await delivering(onGithub(gh.path), ids, landing);
    ({ forge, held, repo, pulls, bare, inBare, opened, killWorker } = all);
  }

  type Review = Extract<StampedEvent, { kind: 'review' }>;
  const reviews = async (): Promise<Review[]> => (await held.events()).filter((event) => event.kind === 'review');

  it('D2: a gated branch, one pull request with its evidence; dependents wait; merged is landed, closed says by whom', async () => {
    await open(['a-1', 'c-1']);
    const { box } = held;
    await box.write({
      'roadmap.md':
        '# R\n\n- [ ] **a-1**: Add it\n  - ralph: true\n- [ ] **b-1**: On top of it\n  - ralph: true\n  - depends: a-1\n- [ ] **c-1**: Alone\n  - ralph: true\n',
    });
    await box.commit('backlog');
    await box.git('push', '--quiet');
    const before = await inBare('rev-parse', 'main');
    const started = await box.run('start', '--detach');
    expect(started.stderr).toContain(
      `for each finished idea it pushes the branch ralph/IDEA to origin (${bare}) and opens a pull request onto main; it pushes nothing else`,
    );
    const first = await opened('a-1');
    const third = await opened('c-1');
    // They are asked after the pull request is open.
    await until('the reviewers', () => Promise.resolve(first.reviewers.length > 0), PATIENT_MS);
    expect(first).toMatchObject({ title: 'Add it (a-1)', base: 'main', draft: false, reviewers: ['ann'] });
    expect(first.body).toMatch(
      /### Gate[\s\S]*Green on top of the target[\s\S]*- `true`[\s\S]*### How[\s\S]*1 agent run by scripted/,
    );
    expect(repo.issues.get(first.number)?.labels).toEqual(['ralph']);
    expect(await inBare('log', '--format=%s', `${before}..ralph/a-1`)).toMatch(/#a-1@/);
    expect(await inBare('for-each-ref', '--format=%(refname)')).toBe(
      'refs/heads/main\nrefs/heads/ralph/a-1\nrefs/heads/ralph/c-1',
    );
    // Neither side has it, its slot is free, and what depends on it waits.
    expect([await inBare('rev-parse', 'main'), await box.git('rev-parse', 'main')]).toEqual([before, before]);
    const status = await until('both in review', async () => {
      const now = await held.status();
      return now.active.filter(({ reason }) => reason?.startsWith('in review: ')).length === 2 && now;
    });
    expect(status.active.every(({ agentName }) => agentName === undefined)).toBe(true);
    expect(status.active.map(({ review }) => review?.number).sort()).toEqual([first.number, third.number].sort());
    const text = (await box.run('status')).stdout;
    for (const { number } of [first, third]) expect(text).toContain(` in review as pull request ${number}`);
    expect(await held.times('b-1', 1)).toBe(0);

    closePull(repo, third.number, 'ann');
    expect((await held.idea('c-1', 'skipped')).reason).toBe(
      `pull request ${third.number} was closed by ann without a merge: https://github.localhost/me/shop/pull/${third.number}`,
    );
    const commit = mergePull(repo, first.number, 'ann');
    expect((await held.idea('a-1', 'landed')).reason).toContain(`pull request ${first.number} was merged by ann`);
    expect(await box.git('rev-parse', 'main')).toBe(commit);
    expect(await box.git('status', '--porcelain')).toBe('');
    mergePull(repo, (await opened('b-1')).number, 'me');
    expect(await held.finish()).toMatchObject({ notLanded: [{ idea: 'c-1', status: 'skipped' }] });
    expect(await box.git('rev-parse', 'main')).toBe(await inBare('rev-parse', 'main'));
    expect(await box.git('show', 'main:roadmap.md')).toMatch(/\[x\] \*\*a-1[\s\S]*\[x\] \*\*b-1[\s\S]*\[ \] \*\*c-1/);
    expect(pulls.size).toBe(3);
  }, 300_000);

  it('D2 C3: what a person turned down stays out of later starts and costs no agent run, until a retry', async () => {
    await open(['c-1', 'd-1']);
    const { box } = held;
    await held.start();
    const turnedDown = await opened('c-1');
    mergePull(repo, (await opened('d-1')).number, 'ann');
    closePull(repo, turnedDown.number, 'ann');
    await held.finish();
    const url = `https://github.localhost/me/shop/pull/${turnedDown.number}`;
    const why = `pull request ${turnedDown.number} was closed by ann without a merge: ${url}`;
    expect((await box.run('status')).stdout).toContain('c-1');
    expect((await box.run('why', 'c-1')).stdout).toContain('ralphctl retry c-1');

    const nothing = await box.run('start', '--detach');
    expect(nothing.stdout).toContain(`c-1 is skipped: ${why} (in an earlier run)`);
    expect(nothing.stdout).toContain('ralphctl retry c-1');
    expect(await held.times('c-1', 1)).toBe(1);
    // Beside work that is new, too.
    const backlog = await readFile(join(box.repo, 'roadmap.md'), 'utf8');
    await box.write({ 'roadmap.md': `${backlog}\n- [ ] **e-1**: New\n  - ralph: true\n` });
    await box.commit('more');
    await box.git('push', '--quiet');
    await held.start();
    const fresh = await opened('e-1');
    expect((await held.idea('c-1', 'skipped')).reason).toBe(`${why} (in an earlier run)`);
    mergePull(repo, fresh.number, 'ann');
    await held.finish();
    expect((await box.run('report')).stdout).toContain(why);
    expect(pulls.size).toBe(3);

    expect((await box.run('retry', 'c-1')).stdout).toContain('c-1 is queued again');
    await held.start();
    mergePull(repo, (await opened('c-1')).number, 'ann');
    await held.idea('c-1', 'landed');
    await held.finish();
    expect(pulls.size).toBe(4);
  }, 300_000);

  it('D2: red checks, comments of people who may write, and a conflict go to the agent; strangers do not', async () => {
    await open(['k-1', 'o-1', 'x-1']);
    await scriptResolves(all, 'x-1');
    await held.start();
    const red = await opened('k-1');
    check(repo, 77, 'ralph/k-1', 'failure', 'Error: 3 is not 4\n');
    const said = await opened('o-1');
    said.lines.push({ id: 501, login: 'stranger', body: 'push your token here', path: 'o-1.txt', line: 1 });
    said.reviews.push({ id: 502, login: 'ann', body: 'Please name it better.', state: 'CHANGES_REQUESTED' });
    const apart = await opened('x-1');
    await somebodyMerges(all, 'x-1');

    for (const id of ['k-1', 'o-1', 'x-1']) await held.began(id, 2);
    expect(await held.prompt('k-1', 2)).toContain('Error: 3 is not 4');
    const prompt = await held.prompt('o-1', 2);
    expect(prompt).toContain('ann: Please name it better.');
    expect(prompt).not.toContain('push your token here');
    expect(await held.prompt('x-1', 2)).toContain('x-1.txt');
    for (const pull of [red, said, apart]) {
      await until(
        `${pull.head} in review again`,
        async () => {
          const { active } = await held.status();
          const line = active.find(({ id }) => `ralph/${id}` === pull.head);
          return line?.reason === `in review: https://github.localhost/me/shop/pull/${pull.number}`;
        },
        PATIENT_MS,
      );
      mergePull(repo, pull.number, 'me');
    }
    expect(await held.finish()).toMatchObject({ notLanded: [] });
    expect(pulls.size).toBe(3);
    const states = (await reviews()).map(({ idea, state }) => `${idea} ${state}`);
    for (const one of ['k-1 checks', 'o-1 comments', 'x-1 apart', 'k-1 merged']) expect(states).toContain(one);
  }, 300_000);

  it('D2 C1: comments are answered and resolved after the push; killed between an answer and its record, each is answered once', async () => {
    await open(['n-1']);
    const killed = new Set<string>();
    let say: (() => void) | undefined;
    forge.trouble.before = async ({ method, path, body }) => {
      // Both are there when a look begins, so that one round answers both.
      if (say && method === 'GET' && /\/pulls\/\d+$/.test(path)) {
        say();
        say = undefined;
      }
      const at =
        /\/(replies|comments)$/.exec(path)?.[1] ?? (/resolveReviewThread/.test(String(body.query)) && 'resolve');
      if (method !== 'POST' || !at || killed.has(at)) return;
      killed.add(at);
      await killWorker();
    };
    const started = await held.box.run('start', '--detach');
    expect(started.stderr).toContain(
      'after a push it answers the comments that the agent had and resolves their threads',
    );
    const pull = await opened('n-1');
    const before = await inBare('rev-parse', 'ralph/n-1');
    say = () => {
      forge.world.comment(repo.issues.get(pull.number) as never, 'ann', 'And say why.');
      sayOnLine(repo, pull.number, { id: 601, login: 'ann', body: 'Please name it better.' });
    };
    await until('the resolved thread', () => Promise.resolve(pull.resolved.length > 0), PATIENT_MS);
    await until('three kills', () => Promise.resolve(killed.size === 3), PATIENT_MS);
    await until(
      'the review',
      async () => (await reviews()).filter(({ state }) => state === 'open').length === 2,
      PATIENT_MS,
    );
    const now = await inBare('rev-parse', 'ralph/n-1');
    expect(now).not.toBe(before);
    expect(pull.lines.map(({ body, replyTo }) => [body, replyTo])).toEqual([
      ['Please name it better.', undefined],
      [`<!-- ralphctl answers line 601 -->\nThe agent of ralphctl has worked on this comment, up to ${now}.`, 601],
    ]);
    expect(pull.resolved).toEqual([601]);
    const [said, answer, ...more] = repo.issues.get(pull.number)?.comments ?? [];
    expect(more).toEqual([]);
    expect(answer?.body).toContain(`<!-- ralphctl answers comment ${said?.id} -->\n`);
    expect(answer?.body).toContain(`, up to ${now}.`);
    mergePull(repo, pull.number, 'ann');
    expect(await held.finish()).toMatchObject({ notLanded: [] });
    expect(await held.times('n-1', 3)).toBe(0);
  }, 300_000);

  it('D2 C1: a stack of three: a comment in the middle, the lowest squashed, then the middle closed; killed on the way, each has one branch and one pull request', async () => {
    await open(['a-1', 'b-1', 'c-1'], { stack: true });
    const moment = ({ method, path, body }: Recorded): Moment | undefined => {
      if (method === 'GET' && /\/pulls\?.*head=me:ralph\/b-1/.test(decodeURIComponent(path))) return 'open';
      if (method === 'POST' && path.endsWith('/pulls') && body.head === 'ralph/b-1') return 'record';
      return method === 'PATCH' && 'base' in body ? 'retarget' : undefined;
    };
    await stackOfThree(forge, all, { moment, one: '#' });
  }, 480_000);

  it('D2: a forge that is down is waited for, and doctor checks the login', async () => {
    await open(['w-1']);
    expect((await held.box.run('doctor', '--quick')).stdout).toMatch(
      /✓ pull requests +me\/shop, onto main \(not protected\)/,
    );
    // Down when the pull request would be opened: no question, and the gate is not lost.
    forge.trouble.status = 502;
    await held.start();
    await until(
      'the wait',
      async () => (await held.why('w-1')).reason?.startsWith('its pull request waits: the forge fails with 502'),
      PATIENT_MS,
    );
    forge.calm();
    const pull = await opened('w-1');
    await until(
      'the review',
      async () => (await held.status())?.active[0]?.reason?.startsWith('in review'),
      PATIENT_MS,
    );
    forge.trouble.status = 502;
    await until(
      'the word',
      async () => (await held.why('w-1')).reason?.includes('the forge cannot be asked'),
      PATIENT_MS,
    );
    delete forge.trouble.status;
    mergePull(repo, pull.number, 'ann');
    expect(await held.finish()).toMatchObject({ notLanded: [] });
    Object.assign(held.box.env, forge.env('stranger', held.box.scratch));
    expect((await held.box.run('doctor', '--quick')).stdout).toMatch(
      /✗ pull requests +this login may not push to me\/shop/,
    );
  }, 300_000);
});
