/**
 * Red checks of a pull request and what their agent gets of the logs, with the real `gh` against a forge on this
 * machine. Features: D2.
 */
import { readFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { LookResult } from '../../src/protocol/review.js';
import { TAIL_LIMIT } from '../../src/protocol/run-ref.js';
import type { Forge, Recorded } from '../support/forge/forge.js';
import { ghProgram, leftOut } from '../support/forge/programs.js';
import { check } from '../support/forge/pulls.js';
import type { Repo } from '../support/forge/world.js';
import { onGithub, reviewOf } from './pulls.js';
import type { Pushing } from './pushing.js';

const gh = await ghProgram();

describe.skipIf(gh.path === undefined)(`D2 the red checks of an idea${leftOut(gh)}`, { timeout: 240_000 }, () => {
  let forge: Forge;
  let repo: Repo;
  let at: Pushing;
  afterEach(() => forge?.close());

  async function inReview() {
    ({ forge, repo, at } = await onGithub(gh.path));
    return reviewOf(at, await at.works('t-1'));
  }
  type Back = Extract<LookResult, { kind: 'back' }>;
  const isLog = ({ path }: Recorded): boolean => path.endsWith('/logs');

  it('of several, the ends of up to three logs come, each under its name; the next one comes where it is still red', async () => {
    const { look } = await inReview();
    const red = (id: number, name: string, log: string) => check(repo, id, 'ralph/t-1', 'failure', log, { name });
    red(41, 'build', `${'noise of the build\n'.repeat(300)}Error: the type is wrong\n`);
    red(42, 'lint', 'Error: a semicolon is missing\n');
    const two = (await look()) as Back;
    expect(two).toMatchObject({ kind: 'back', what: 'build, lint', seen: ['check 41', 'check 42'] });
    expect(two.tail).toMatch(
      /^build:\n[\s\S]*noise of the build\nError: the type is wrong\n\nlint:\nError: a semicolon is missing$/,
    );
    // What the short one leaves goes to the long one.
    expect(two.tail.length).toBeGreaterThan(TAIL_LIMIT - 50);
    expect(two.tail.length).toBeLessThanOrEqual(TAIL_LIMIT);

    red(43, 'docs', '');
    red(44, 'e2e', `${'noise of the browser\n'.repeat(300)}Error: no such button\n`);
    const four = (await look()) as Back;
    expect(four).toMatchObject({ what: 'build, lint, docs, e2e', seen: ['check 41', 'check 42', 'check 43'] });
    expect(four.tail).toContain('\n\ndocs:\n(no output)');
    expect(four.tail).not.toContain('browser');
    const rest = (await look(four.seen)) as Back;
    expect(rest).toMatchObject({ what: 'e2e', seen: ['check 44'] });
    expect(rest.tail).toMatch(/noise of the browser\nError: no such button$/);
  });

  it('a log that the forge cannot give now is waited for; one that it refuses is told as that', async () => {
    const { look } = await inReview();
    check(repo, 51, 'ralph/t-1', 'failure', 'Error: 3 is not 4\n');
    forge.trouble.swallow = isLog;
    expect(await look()).toMatchObject({ kind: 'unreachable', why: expect.stringContaining('gh failed') });
    forge.calm();
    forge.trouble.lose = (request) => {
      if (isLog(request)) forge.trouble.status = 502;
      return false;
    };
    expect(await look()).toEqual({ kind: 'unreachable', why: 'the forge fails with 502' });
    forge.calm();
    const until = Math.ceil(Date.now() / 1000) * 1000 + 3_600_000;
    forge.trouble.lose = (request) => {
      if (isLog(request)) forge.trouble.limitedUntil = until;
      return false;
    };
    expect(await look()).toMatchObject({ kind: 'unreachable', at: until });
    forge.calm();
    forge.trouble.refuse = isLog;
    expect(await look()).toMatchObject({
      kind: 'back',
      tail: expect.stringMatching(/^\[The log cannot be read: the forge refuses it with 403: .*\]$/),
    });
    forge.calm();
    expect(await look()).toMatchObject({ kind: 'back', tail: 'Error: 3 is not 4', seen: ['check 51'] });
  });

  it('a log that is not there right after the end of its job is waited for, and not for ever', async () => {
    const { look } = await inReview();
    check(repo, 61, 'ralph/t-1', 'failure', null, { completed_at: new Date().toISOString() });
    expect(await look()).toEqual({ kind: 'open' });
    check(repo, 62, 'ralph/t-1', 'failure', null, { completed_at: new Date(Date.now() - 600_000).toISOString() });
    expect(await look(['check 61'])).toMatchObject({ kind: 'back', tail: '', seen: ['check 62'] });
  });

  it('of a log of GitHub Actions comes what stands before its last error, without times, colours and cleanup', async () => {
    const { look } = await inReview();
    const log = await readFile(new URL('../fixtures/forge/actions-job.txt', import.meta.url), 'utf8');
    check(repo, 71, 'ralph/t-1', 'failure', log);
    const { tail } = (await look()) as Back;
    expect(tail).toMatch(
      /✖ takes the discount off once \(2\.114571ms\)\n[\s\S]*80 !== 90\n[\s\S]*##\[error\]1 of 41 tests failed:\n- takes the discount off once\n {2}test\/cart\.test\.js:41$/,
    );
    expect(tail).not.toMatch(/\d{4}-\d\d-\d\dT|\p{Cc}\[|Post job|Uploaded/u);
    expect(tail.length).toBeGreaterThan(TAIL_LIMIT - 100);
  });
});
