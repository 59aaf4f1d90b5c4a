/**
 * Waves over the issues of a forge, delivered as pull requests: the real `gh` against a forge on this machine.
 * Features: E1 D2 F3.
 */
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import type { StampedEvent } from '../../src/protocol/events.js';
import { type Forge, startForge } from '../support/forge/forge.js';
import { ghProgram, leftOut } from '../support/forge/programs.js';
import { mergePull, type Pull, withGit } from '../support/forge/pulls.js';
import type { Issue, Repo } from '../support/forge/world.js';
import { events, type Sandbox, sandbox, until, yaml } from '../support/program.js';

const gh = await ghProgram();
const PATIENT_MS = 120_000;
const PLACE = 'github.localhost/me/shop';

describe.skipIf(gh.path === undefined)(`waves over issues${leftOut(gh)}`, () => {
  let forge: Forge;
  let repo: Repo;
  let box: Sandbox;
  let pulls: Map<number, Pull>;

  beforeEach(async () => {
    forge = await startForge();
    repo = forge.world.repo('me', 'shop', { me: 'OWNER', zoe: 'MEMBER' });
  });
  afterEach(async () => {
    await box?.dispose();
    await forge.close();
  });

  const issue = (title: string, body: string, more: Partial<Issue> = {}): Issue =>
    forge.world.issue(repo, { title, body, ...more });

  it('opens the pull requests of each wave, waits for no merge, leaves garbage and foreign issues alone', async () => {
    const first = issue('Save', 'Clicked Save on an invoice without lines, got a white page.', {
      labels: ['critical'],
    });
    const garbage = issue('test', 'asdf');
    const taken = issue('Export', 'The CSV export drops the last row of the list, always.', {
      ...{ labels: ['p1'], assignees: ['zoe'] },
    });
    const second = issue('Login', 'Enter in the password field does nothing, only the button logs in.');
    const lands = (path: string) => [{ do: [{ append: { path, text: 'x\n' } }], signal: 'COMPLETE' }];
    const landing = { mode: 'pr', pr: { repo: PLACE, pollSeconds: 1 } };
    box = await sandbox(inject('stateRoot'), {
      'ralphctl.yaml': yaml({
        ...{ version: 1, agent: 'scripted', stepDelayMs: 0, gate: ['true'], landing },
        backlog: { tracker: 'github', repository: PLACE, write: { claim: 'assign', progress: true, done: 'close' } },
      }),
      '.ralph-script.yaml': yaml({ ideas: { 'issue-1': lands('save'), 'issue-4': lands('login') } }),
    });
    const bare = join(dirname(box.repo), 'bare.git');
    await box.git('init', '--quiet', '--bare', '--initial-branch=main', bare);
    await box.git('remote', 'add', 'origin', bare);
    await box.git('push', '--quiet', '--set-upstream', 'origin', 'main');
    pulls = withGit(repo, bare).pulls;
    Object.assign(box.env, forge.env('me', box.scratch), {
      ...{ PATH: `${dirname(gh.path ?? '')}:${box.env.PATH}`, no_proxy: '127.0.0.1' },
    });
    const all = async (): Promise<StampedEvent[]> => events(await box.run('logs', '--json'));
    const waves = async (state: string) =>
      (await all()).filter(
        (event): event is Extract<StampedEvent, { kind: 'wave' }> => event.kind === 'wave' && event.state === state,
      );
    // The verdict of a person is about the issue, with its number.
    const shown = await box.run('triage', '--json');
    expect(shown.json[0]).toMatchObject({
      survivors: [{ id: '1' }, { id: '3' }, { id: '4' }],
      rejected: [{ id: '2' }],
    });

    const begun = await box.run('run', 'github', '--batch-size', '2', '--detach');
    expect(begun.code, begun.stderr).toBe(0);
    expect(begun.stderr).toContain('opens a pull request onto main');
    await until('the end of the waves', async () => (await waves('over')).length > 0, PATIENT_MS);
    expect((await waves('ended')).map(({ attempted, passed, skipped }) => [attempted, passed, skipped])).toEqual([
      [1, 1, 1],
      [1, 1, 0],
    ]);
    expect(await waves('over')).toMatchObject([{ end: 'empty' }]);
    expect([...pulls.values()].map(({ head, state }) => [head, state])).toEqual([
      ['ralph/issue-1', 'open'],
      ['ralph/issue-4', 'open'],
    ]);
    expect([garbage.comments, taken.comments, taken.assignees]).toEqual([[], [], ['zoe']]);
    const rejected = (await all()).filter(({ kind }) => kind === 'rejected');
    expect(rejected).toMatchObject([{ report: '2', as: 'issue-2', gate: 'coherence', quote: 'asdf' }]);

    // The issue and its pull request name each other.
    const words = ({ comments }: Issue) => comments.map(({ body }) => body).join();
    const place = `https://${PLACE}`;
    for (const [one, { number, body }] of [first, second].map(
      (it, at) => [it, [...pulls.values()][at] as Pull] as const,
    )) {
      expect(body).toContain(`\n\nFor: ${place}/issues/${one.number}\n`);
      await until(
        'the comment to name it',
        async () => words(one).includes(`in review: ${place}/pull/${number} `),
        PATIENT_MS,
      );
    }
    for (const { number } of [...pulls.values()]) mergePull(repo, number, 'zoe');
    await until('the end of the run', async () => (await box.run('status', '--json')).code === 6, PATIENT_MS);
    await until(
      'the issues to be closed',
      async () => first.state === 'closed' && second.state === 'closed',
      PATIENT_MS,
    );
    expect([garbage.state, taken.state]).toEqual(['open', 'open']);
    expect([first.comments.length, second.comments.length]).toEqual([1, 1]);
  }, 300_000);
});
