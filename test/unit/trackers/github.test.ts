/** GitHub issues when things go wrong (F3): the real `gh` against a forge on this machine. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tracker as schema } from '../../../src/config/schema/tracker.js';
import { readMark } from '../../../src/trackers/marker.js';
import { openTracker } from '../../../src/trackers/open.js';
import type { Tracker, TrackerError } from '../../../src/trackers/tracker.js';
import { FORGE_HOST, type Forge, startForge } from '../../support/forge/forge.js';
import { ghProgram, leftOut } from '../../support/forge/programs.js';
import type { Repo } from '../../support/forge/world.js';

const gh = await ghProgram();
const A = { owner: 'aaaa', run: 'run-1', idea: 'issue-1', life: 1 };

describe.skipIf(gh.path === undefined)(`GitHub issues when things go wrong (F3)${leftOut(gh)}`, () => {
  let forge: Forge;
  let repo: Repo;
  let dir: string;

  beforeEach(async () => {
    [forge, dir] = await Promise.all([startForge(), mkdtemp(join(tmpdir(), 'ralphctl-github-'))]);
    repo = forge.world.repo('acme', 'shop', { acme: 'OWNER', bot: 'COLLABORATOR', zoe: 'MEMBER' });
  });
  afterEach(async () => {
    await forge.close();
    await rm(dir, { recursive: true, force: true });
  });

  const open = (more: Record<string, unknown> = {}, login = 'bot', timeoutMs = 30_000): Tracker =>
    openTracker(schema.parse({ tracker: 'github', repository: `${FORGE_HOST}/acme/shop`, write: true, ...more }), {
      env: { ...forge.env(login, dir), PATH: `${dirname(gh.path ?? '')}:${process.env.PATH}` },
      ...{ cwd: dir, timeoutMs },
    });
  const failure = (work: Promise<unknown>): Promise<TrackerError> =>
    work.then(
      () => Promise.reject(new Error('it did not fail')),
      (error: TrackerError) => error,
    );

  it('reads 2,000 issues by page, each once and in order, and no pull request', async () => {
    for (let number = 1; number <= 2000; number++)
      forge.world.issue(repo, { title: `Issue ${number}`, ...(number % 50 === 0 ? { pull: true as const } : {}) });
    const began = performance.now();
    const items = await open().list();
    expect(performance.now() - began).toBeLessThan(30_000);
    expect(items.length).toBe(1960);
    expect(new Set(items.map(({ ref }) => ref)).size).toBe(1960);
    expect(forge.requests).toHaveLength(20);
  });

  it('counts issues only towards the most that it takes', async () => {
    for (let number = 1; number <= 400; number++)
      forge.world.issue(repo, { title: `Issue ${number}`, ...(number % 2 === 0 ? { pull: true as const } : {}) });
    const refs = (await open({ most: 150 }).list()).map(({ ref }) => Number(ref));
    expect([new Set(refs).size, refs.filter((ref) => ref % 2 === 0)]).toEqual([150, []]);
  });

  it('takes no issue of another repository, whatever the query says', async () => {
    const other = forge.world.repo('mallory', 'lib', { mallory: 'OWNER' });
    forge.world.issue(repo, { title: 'Crash here' });
    forge.world.issue(other, { title: 'Crash there', login: 'mallory' });
    const items = await open({ query: 'crash repo:mallory/lib' }).list();
    expect(items.map(({ title }) => title)).toEqual(['Crash here']);
  });

  it('finds a milestone beyond the first hundred, and names some where there is none', async () => {
    for (let number = 1; number <= 150; number++) repo.milestones.push({ number, title: `m${number}`, state: 'open' });
    forge.world.issue(repo, { title: 'In it', milestone: 150 });
    forge.world.issue(repo, { title: 'Not in it' });
    expect((await open({ milestone: 'm150' }).list()).map(({ title }) => title)).toEqual(['In it']);
    const { message } = await failure(open({ milestone: 'm151' }).list());
    expect(message).toMatch(/has no milestone "m151"\. It has: m1, .*, m20, …$/);
  });

  it('reads an issue of a megabyte, with markup and escapes, and cuts it', async () => {
    forge.world.issue(repo, {
      title: '<img src=x onerror=alert(1)>\u001b[31m',
      body: '\u001b[2J`$(touch x)`'.repeat(80_000),
    });
    const [item] = await open().list();
    expect(item?.body.length).toBeLessThan(201_000);
    expect(item?.body).toContain('The rest of this issue is cut');
  });

  it('says until when the tracker limits requests', async () => {
    const until = Math.ceil(Date.now() / 1000) * 1000 + 3_600_000;
    forge.trouble.limitedUntil = until;
    const error = await failure(open().list());
    expect(error).toMatchObject({ retry: true, at: until });
    expect(error.message).toMatch(/limits requests until \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
  });

  it('can be tried again after an outage, a slow answer and a lost login', async () => {
    forge.trouble.status = 502;
    expect(await failure(open().list())).toMatchObject({ retry: true, message: 'the tracker fails with 502' });
    forge.trouble.status = 401;
    expect((await failure(open().list())).message).toBe(
      `the login of gh is not accepted. Log in: gh auth login --hostname ${FORGE_HOST}`,
    );
    delete forge.trouble.status;
    forge.trouble.slowMs = 30_000;
    expect(await failure(open({}, 'bot', 1500).list())).toMatchObject({
      retry: true,
      message: 'gh timed out after 1.5 s',
    });
  });

  it('cannot be tried again where the repository is gone or has no issues, and says so', async () => {
    repo.hasIssues = false;
    expect(await failure(open().check())).toMatchObject({ retry: false, message: /has no issues\. Turn them on/ });
    expect(await failure(open().list())).toMatchObject({ retry: false });
    const gone = await failure(open({ repository: `${FORGE_HOST}/acme/nothing` }).check());
    expect(gone).toMatchObject({ retry: false, message: /404/ });
  });

  it('refuses to begin without the rights that write asks for', async () => {
    expect((await failure(open({}, 'mallory').check())).message).toMatch(/mallory may not assign or close issues/);
    expect(await open({ write: false }, 'mallory').check()).toEqual({ login: 'mallory' });
  });

  it('asks for the milestone by its title', async () => {
    repo.milestones.push({ number: 4, title: 'v1', state: 'open' });
    forge.world.issue(repo, { title: 'In', milestone: 4 });
    forge.world.issue(repo, { title: 'Out' });
    expect((await open({ milestone: 'v1' }).list()).map(({ title }) => title)).toEqual(['In']);
    expect((await failure(open({ milestone: 'v2' }).list())).message).toBe(
      'acme/shop has no milestone "v2". It has: v1',
    );
  });

  it('takes no issue that a person has, and no word of a stranger for a claim', async () => {
    const issue = forge.world.issue(repo, { title: 'Mine', assignees: ['zoe'] });
    expect((await open().claim('1', A, 'works'))?.taken).toBe('zoe, who is assigned');
    issue.assignees = [];
    forge.world.comment(issue, 'mallory', '<!-- ralphctl bbbb run-9 issue-1 1 held -->\nmine');
    expect(await open().claim('1', A, 'works')).toBeUndefined();
    expect(issue.assignees).toEqual(['bot']);
  });

  it('finds its comment after a thousand others, and edits that one', { timeout: 240_000 }, async () => {
    const issue = forge.world.issue(repo, { title: 'Long' });
    for (let n = 0; n < 1005; n++) forge.world.comment(issue, 'zoe', `talk ${n}`);
    const tracker = open();
    expect(await tracker.claim('1', A, 'works')).toBeUndefined();
    await tracker.show('1', A, { state: 'asks', text: 'a question' });
    await tracker.show('1', A, { state: 'asks', text: 'another question' });
    expect(issue.comments.filter(({ body }) => readMark(body)).map(({ body }) => body.split('\n')[1])).toEqual([
      'another question',
    ]);
  });

  it('gives an issue back whose comment somebody has deleted', async () => {
    const issue = forge.world.issue(repo, { title: 'Mine' });
    await open().claim('1', A, 'works');
    expect(issue.assignees).toEqual(['bot']);
    issue.comments.length = 0;
    await open().show('1', A, { state: 'released', text: 'it failed' });
    expect([issue.assignees, issue.comments]).toEqual([[], []]);
    // Together with a person the assignment is not ours to undo.
    issue.assignees = ['bot', 'zoe'];
    await open().show('1', A, { state: 'released', text: 'it failed' });
    expect(issue.assignees).toEqual(['bot', 'zoe']);
  });

  it('takes a label with a comma as one label', async () => {
    forge.world.issue(repo, { title: 'In', labels: ['ready, steady', 'a'] });
    forge.world.issue(repo, { title: 'Out', labels: ['ready', 'steady', 'a'] });
    expect((await open({ labels: ['a', 'Ready, steady'] }).list()).map(({ title }) => title)).toEqual(['In']);
    expect(schema.safeParse({ tracker: 'gitlab', labels: ['a,b'] }).error?.issues[0]?.message).toMatch(
      /GitLab has no label with a comma/,
    );
  });

  it('leaves one comment and one close, whichever answer is lost', { timeout: 300_000 }, async () => {
    const steps = (tracker: Tracker): (() => Promise<unknown>)[] => [
      () => tracker.claim('1', A, 'it works'),
      () => tracker.show('1', A, { state: 'asks', text: 'a question' }),
      () => tracker.show('1', A, { state: 'done', text: 'it landed' }),
    ];
    // The forge carries the request out, but the answer is lost: as when the worker is killed there.
    for (let lost = 1; ; lost++) {
      const issue = forge.world.issue(repo, { title: `Lost ${lost}`, number: 1 });
      let left = lost;
      forge.trouble.swallow = ({ method }) => method !== 'GET' && --left === 0;
      const tracker = open();
      for (const step of steps(tracker)) {
        await step().catch(step);
      }
      const closes = forge.writes().filter(({ body }) => body.state === 'closed');
      expect(issue.comments.map(({ body }) => readMark(body)?.state)).toEqual(['done']);
      expect([issue.state, issue.assignees, closes.length]).toEqual(['closed', ['bot'], 1]);
      forge.requests.length = 0;
      if (left > 0) break;
    }
  });
});
