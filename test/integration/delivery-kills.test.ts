/**
 * `landing.mode: pr` with a kill in each step between push, open, comment and record, one step a run: the real `gh`
 * against a forge on this machine, a real bare repository behind it, and SIGKILL to the worker. Whatever was cut off,
 * there is one branch, one pull request and one answer to each comment. Features: D2, C1.
 */
import { chmod, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { StampedEvent } from '../../src/protocol/events.js';
import { type Delivering, delivering, onGithub, PATIENT_MS } from '../support/forge/delivering.js';
import type { Recorded } from '../support/forge/forge.js';
import { ghProgram, leftOut } from '../support/forge/programs.js';
import { mergePull, sayOnLine } from '../support/forge/pulls.js';
import { until } from '../support/program.js';

const gh = await ghProgram();

type Fits = (request: Recorded) => boolean;
interface Step {
  name: string;
  /** The forge does not get this request, and the worker dies. */
  lost?: Fits;
  /** The forge has done it, and the worker dies before the answer. */
  done?: Fits;
  /** The branch has arrived, and the push has not ended. */
  pushed?: true;
  /** In the second round: after a look that finds comments. */
  again?: true;
  /** Once it is merged there. */
  merged?: true;
}
const posts =
  (path: RegExp): Fits =>
  (request) =>
    request.method === 'POST' && path.test(request.path);
const gets =
  (path: RegExp): Fits =>
  (request) =>
    request.method === 'GET' && path.test(request.path);
const resolves: Fits = ({ body }) => String(body.query).includes('resolveReviewThread(');

const STEPS: Step[] = [
  { name: 'before the push', done: gets(/\/pulls\?/) },
  { name: 'in the push, which has arrived', pushed: true },
  { name: 'between push and open', lost: posts(/\/pulls$/) },
  { name: 'between open and its answer', done: posts(/\/pulls$/) },
  { name: 'between the labels and the reviewers', done: posts(/\/labels$/) },
  { name: 'between the reviewers and the record', done: posts(/\/requested_reviewers$/) },
  { name: 'in the look that finds comments', done: gets(/\/pulls\/\d+\/comments/), again: true },
  { name: 'before the second push', done: gets(/\/pulls\?/), again: true },
  { name: 'in the second push, which has arrived', pushed: true, again: true },
  { name: 'between the second push and the first answer', lost: posts(/\/replies$/), again: true },
  { name: 'between an answer to a line and its record', done: posts(/\/replies$/), again: true },
  { name: 'between an answer and its thread', lost: resolves, again: true },
  { name: 'between a resolved thread and its record', done: resolves, again: true },
  { name: 'between a thread and the answer to the talk', lost: posts(/\/issues\/\d+\/comments$/), again: true },
  { name: 'between the answer to the talk and its record', done: posts(/\/issues\/\d+\/comments$/), again: true },
  { name: 'in the look that finds the merge', done: gets(/\/pulls\/\d+$/), merged: true },
];

describe.skipIf(gh.path === undefined)(`kills between push, open, comment and record${leftOut(gh)}`, () => {
  let all: Delivering;
  afterEach(() => all?.close());

  it.each(STEPS)(
    'D2 C1: killed $name',
    async (step) => {
      all = await delivering(onGithub(gh.path), ['n-1']);
      const { forge, held, repo, pulls, inBare, opened, killWorker } = all;
      const reviews = async () => {
        const isReview = (one: StampedEvent) => one.kind === 'review';
        return (await held.events()).filter(isReview).map((one) => ('state' in one ? one.state : ''));
      };
      const inReview = (times: number) =>
        until(
          `${times} times in review`,
          async () => (await reviews()).filter((state) => state === 'open').length === times,
          PATIENT_MS,
        );

      let armed = !step.again && !step.merged;
      let killed = false;
      const killAt = async (fits: Fits | undefined, request: Recorded): Promise<boolean> => {
        if (!armed || killed || !fits?.(request)) return false;
        killed = true;
        await killWorker();
        return true;
      };
      let say: (() => void) | undefined;
      forge.trouble.lose = (request) => killAt(step.lost, request);
      forge.trouble.before = async (request) => {
        // Both are there when a look begins, so that one round answers both.
        if (say && gets(/\/pulls\/\d+$/)(request)) {
          say();
          say = undefined;
          armed ||= step.again === true;
        }
        await killAt(step.done, request);
      };
      const hook = step.pushed ? await slowPush(all) : undefined;
      const killInPush = async (): Promise<void> => {
        await until('the push', () => stat(hook?.arrived ?? '').catch(() => false), PATIENT_MS);
        killed = true;
        await killWorker();
        await hook?.goOn();
      };

      if (!step.again) await hook?.slow();
      await held.start();
      if (hook && !step.again) await killInPush();
      const pull = await opened('n-1');
      await inReview(1);
      const first = await inBare('rev-parse', 'ralph/n-1');
      const talk = repo.issues.get(pull.number);
      if (step.again) {
        await hook?.slow();
        say = () => {
          forge.world.comment(talk as never, 'ann', 'And say why.');
          sayOnLine(repo, pull.number, { id: 601, login: 'ann', body: 'Please name it better.' });
        };
        if (hook) await killInPush();
        await inReview(2);
        expect(await inBare('rev-parse', 'ralph/n-1')).not.toBe(first);
        expect(pull.lines.map(({ replyTo }) => replyTo)).toEqual([undefined, 601]);
        expect(pull.resolved).toEqual([601]);
        expect(talk?.comments.map(({ login }) => login)).toEqual(['ann', 'me']);
      }
      armed = true;
      mergePull(repo, pull.number, 'ann');
      expect(await held.finish()).toMatchObject({ notLanded: [] });
      expect(killed).toBe(true);
      // Its agent was asked once a round, and each request that changes something arrived once.
      expect([await held.times('n-1', 1), await held.times('n-1', 2)]).toEqual([1, step.again ? 1 : 0]);
      const carriedOut = (fits: Fits): number =>
        forge.writes().filter((request) => fits(request) && request.status > 0 && request.status < 300).length;
      const rounds = step.again ? 1 : 0;
      expect([
        carriedOut(posts(/\/pulls$/)),
        carriedOut(posts(/\/labels$/)),
        carriedOut(posts(/\/requested_reviewers$/)),
        carriedOut(posts(/\/replies$/)),
        carriedOut(resolves),
        carriedOut(posts(/\/issues\/\d+\/comments$/)),
      ]).toEqual([1, 1, 1, rounds, rounds, rounds]);
      expect([pulls.size, pull.reviewers]).toEqual([1, ['ann']]);
      expect(await inBare('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main\nrefs/heads/ralph/n-1');
      expect(await held.box.git('rev-parse', 'main')).toBe(await inBare('rev-parse', 'main'));
      expect((await held.box.run('ledger', 'verify')).code).toBe(0);
      const told = (await reviews()).filter((state) => state === 'merged' || state === 'open');
      expect(told).toEqual(['open', ...(step.again ? ['open'] : []), 'merged']);
    },
    300_000,
  );
});

/** A remote that has taken a push and does not end it. */
async function slowPush({ bare }: Delivering) {
  const [arrived, go] = [join(bare, 'arrived'), join(bare, 'go-on')];
  const hook = join(bare, 'hooks', 'post-receive');
  return {
    arrived,
    slow: async (): Promise<void> => {
      await writeFile(hook, `#!/bin/sh\n: > '${arrived}'\nuntil [ -e '${go}' ]; do sleep 0.1; done\n`);
      await chmod(hook, 0o755);
    },
    goOn: async (): Promise<void> => {
      await writeFile(go, '');
      await rm(hook);
    },
  };
}
