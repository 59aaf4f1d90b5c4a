/** What somebody meets in the first runs of a repository. Features: A4 A8 C5 G2. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, inject, it } from 'vitest';
import { events, roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';
import { whenOver } from '../support/told.js';

const SLOW = 240_000;
const ANSWER = 'half even\n  and write it down';

let box: Sandbox | undefined;
afterEach(() => box?.dispose());

const ASKS = [
  { signal: 'NEEDS_HUMAN: which rounding?' },
  { do: [{ write: { path: 'rounding', text: 'x' } }], signal: 'COMPLETE' },
];
// biome-ignore lint/suspicious/noTemplateCurlyInString: the scripted agent fills it in
const WORKS = [{ do: [{ write: { path: '${IDEA}.txt', text: 'x' } }], signal: 'COMPLETE' }];

it(
  'A8 C5: a start right after a start applies its mode, dry-run names the open run, why shows answers, the order of events is that of cause',
  async () => {
    const here = await sandbox(inject('stateRoot'), {
      'roadmap.md': roadmap([{ id: 'asks-1' }, { id: 'works-1' }]),
      'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', slots: 1, stepDelayMs: 0, gate: ['true'] }),
      '.ralph-script.yaml': yaml({ ideas: { 'asks-1': ASKS, 'works-1': WORKS } }),
    });
    box = here;
    expect((await here.run('start', '--detach')).code).toBe(0);
    const stepped = await here.run('start', '--detach', '--mode', 'step', '--slots', '2');
    expect([stepped.code, stepped.stderr]).toEqual([0, expect.stringContaining('applied to the open run: mode step')]);

    const { runId } = ((await here.run('status', '--json')).json[0]?.facts ?? {}) as { runId: string };
    const dry = await here.run('start', '--dry-run');
    expect(dry.stdout).toContain(`run ${runId} is open: ralphctl start attaches to it`);
    expect((await here.run('start', '--dry-run', '--json')).json[0]).toMatchObject({ openRun: runId });

    await here.run('mode', 'autopilot');
    const waiting = async () => (await here.run('status')).stdout.includes('waits for you, 1/2 landed');
    await until('all but the question to be over', waiting, SLOW);
    expect((await here.run('answer', 'asks-1', ANSWER)).code).toBe(0);
    await until('the answer to be delivered', async () =>
      (await here.run('why', 'asks-1')).stdout.includes('you answered:'),
    );
    expect((await here.run('why', 'asks-1')).stdout).toContain(
      'it asked:\n  | which rounding?\nyou answered:\n  | half even\n  |   and write it down\n',
    );
    await whenOver(here, SLOW);

    const told = events(await here.run('logs', '--json')).flatMap((event) => {
      if (event.kind === 'run') return [`run ${event.state} ${event.landed}`];
      return event.kind === 'idea' && event.status === 'landed' ? [`${event.idea} landed`] : [];
    });
    expect(told.indexOf('works-1 landed')).toBeLessThan(told.lastIndexOf('run waits for you 1'));
    expect(told.at(-1)).toBe('run completed 2');
  },
  SLOW,
);

it(
  'A4: ideas whose lines are not committed are named at start, at enqueue and at the end; the checkout is not written',
  async () => {
    const here = await sandbox(inject('stateRoot'), {
      'roadmap.md': roadmap([{ id: 'asks-1' }]),
      'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', slots: 1, stepDelayMs: 0, gate: ['true'] }),
      '.ralph-script.yaml': yaml({ ideas: { 'asks-1': ASKS }, default: WORKS }),
    });
    box = here;
    const committed = await here.run('start', '--dry-run');
    expect(committed.stdout).not.toContain('does not contain');
    await here.write({ 'roadmap.md': roadmap([{ id: 'asks-1' }, { id: 'early-1' }]) });
    const started = await here.run('start', '--detach');
    expect(started.stderr).toMatch(
      /warning: roadmap\.md on main does not contain early-1: when it lands, nothing ticks its line\. .*git commit roadmap\.md/,
    );
    await until('the first to be open', async () => (await here.run('status')).stdout.includes('asks-1 asks'), SLOW);
    const edited = roadmap([{ id: 'asks-1' }, { id: 'early-1' }, { id: 'late-1' }]);
    await here.write({ 'roadmap.md': edited });
    const enqueued = await here.run('enqueue');
    expect([enqueued.code, enqueued.stderr]).toEqual([
      0,
      expect.stringContaining('roadmap.md on main does not contain late-1:'),
    ]);
    expect((await here.run('answer', 'asks-1', 'half even')).code).toBe(0);
    const ended = await here.run('start', '--wait');
    expect(ended.stdout).toMatch(
      /early-1(, late-1)? landed without a tick in roadmap\.md, as .* not committed\. First run: ralphctl sync\. Then tick (it|them) there and commit$/m,
    );
    expect(await readFile(join(here.repo, 'roadmap.md'), 'utf8')).toBe(edited);
    // The landings ticked the committed file, and the edits keep the checkout from following.
    expect((await here.run('status')).stdout).toMatch(/^! .* still has the old roadmap\.md.*ralphctl sync/m);
  },
  SLOW,
);
