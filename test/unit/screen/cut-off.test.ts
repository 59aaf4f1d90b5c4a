/** Ideas that the end of their run cut off have one state, whichever view shows them. Features: B4 G4. */
import { describe, expect, it } from 'vitest';
import { beginsAnew } from '../../../src/model/begins-anew.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { IdeaModel, RunModel } from '../../../src/model/model.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import type { IdeaStatus } from '../../../src/protocol/states.js';
import { makeReport } from '../../../src/report/build.js';
import { newNight } from '../../../src/report/night.js';
import { showText } from '../../../src/report/show.js';
import { compose } from '../../../src/screen/compose.js';
import { cutOff } from '../../../src/screen/cut-off.js';
import { noDetails } from '../../../src/screen/details.js';
import { ideaRows } from '../../../src/screen/pages/ideas.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi, type Ui } from '../../../src/screen/ui.js';
import { idea, NOW } from './shop.js';

const status = (name: IdeaStatus): RunEvent => ({ kind: 'idea', idea: 'a', title: 'A', status: name });
const run = (serial: number): RunEvent[] => [
  { kind: 'iteration', idea: 'a', serial, iteration: serial, max: 8, agentName: 'ed-001' },
  {
    ...{ kind: 'iteration-end', idea: 'a', serial, iteration: serial, signal: { kind: 'progress', percent: 40 } },
    ...{ outcome: 'ok', durationMs: 1, commits: 1 },
  },
];
const told = (verb: string): RunEvent => ({ kind: 'command', idea: 'a', verb, done: 'done' });
const STOPPED: RunEvent = { kind: 'run', state: 'stopped', landed: 0, total: 1 };

function played(...events: RunEvent[]): { model: RunModel; a: IdeaModel } {
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a', 'Title of a')]);
  for (const [index, event] of events.entries())
    fold(model, { at: new Date(NOW - 100_000 + index * 1000).toISOString(), ...event });
  const a = model.ideas.get('a');
  if (!a) throw new Error('there is no idea');
  return { model, a };
}

/** The word of the idea in each view. */
function words({ model, a }: ReturnType<typeof played>): Record<string, string> {
  const text = (more: Partial<Ui>, columns: number, rows: number): string =>
    compose(
      model,
      { ...initialUi(), idea: 'a', ...more },
      noDetails(),
      { columns, rows },
      { colour: false, ascii: false },
      NOW,
    )
      .lines.map(plainLine)
      .join('\n');
  const find = (text: string): string => /\b(?:stopped|ready)\b/.exec(text)?.[0] ?? text;
  const extra = { now: NOW, zone: 'UTC', over: true, night: newNight() };
  const others = [{ runId: 'r-0', startedAt: 0, idea: a }];
  const [title = ''] = text({ screen: 'idea' }, 120, 40).split('\n');
  const shown = showText({ model, idea: a, now: NOW, commands: [], others });
  return {
    card: find(text({ screen: 'idea' }, 80, 24)),
    head: find(title),
    short: find(text({ screen: 'idea' }, 80, 16)),
    // Without its first line, which has the state of the run.
    ideas: find(text({ screen: 'ideas' }, 80, 24).split('\n').slice(1).join('\n')),
    filter: ['stopped', 'ready']
      .filter((state) => ideaRows(model, { ...initialUi(), filter: state }).length > 0)
      .join(),
    report: makeReport(model, extra).open[0]?.state ?? '',
    other: find(shown.find((line) => line.includes('--run r-0')) ?? ''),
  };
}

const all = (word: string): Record<string, string> =>
  Object.fromEntries(['card', 'head', 'short', 'ideas', 'filter', 'report', 'other'].map((view) => [view, word]));

describe('an idea of a stopped run', () => {
  const works = [status('running'), ...run(1), ...run(2)];

  it('B4 G4: that worked is stopped in every view, and can be found by that word', () => {
    expect(words(played(...works, status('pending'), STOPPED))).toEqual(all('stopped'));
  });

  it('says which pull request of it is left open, until that one is merged or closed', () => {
    const url = 'https://github.localhost/me/shop/pull/7';
    const review = (state: 'open' | 'comments' | 'closed'): RunEvent => ({
      ...{ kind: 'review', idea: 'a', state, number: 7, url },
    });
    const waits = [...works, review('open'), status('landing')];
    const left = (...events: RunEvent[]): string | undefined => {
      const { model, a } = played(...events, status('pending'), STOPPED);
      return cutOff(model, a);
    };
    const said = 'the stop of the run ended it in iteration 2, after 2 agent runs, at 40 %';
    expect(left(...waits)).toBe(`${said}; its pull request 7 is left open: ${url}`);
    expect(left(...waits, review('comments'), status('running'))).toContain('pull request 7 is left open');
    expect(left(...waits, review('closed'))).toBe(said);
  });

  it('that had failed, was retried and had not begun again is ready in every view', () => {
    const before = played(...works, status('failed'), told('retry'), status('pending'), STOPPED);
    expect(words(before)).toEqual(all('ready'));
    const slot = played(
      ...works,
      status('failed'),
      told('retry'),
      status('pending'),
      status('running'),
      status('pending'),
      STOPPED,
    );
    expect(words(slot)).toEqual(all('ready'));
    const begun = played(
      ...works,
      status('failed'),
      told('retry'),
      status('pending'),
      status('running'),
      ...run(3),
      status('pending'),
      STOPPED,
    );
    expect(words(begun)).toEqual(all('stopped'));
    expect(cutOff(begun.model, begun.a)).toContain('ended it in iteration 3, after 3 agent runs');
  });

  it('that was rolled back is ready in every view, also with a hint since', () => {
    expect(words(played(...works, told('rollback'), status('pending'), STOPPED))).toEqual(all('ready'));
    expect(words(played(...works, told('rollback'), status('pending'), told('hint'), STOPPED))).toEqual(all('ready'));
  });

  it('C2: that a retry after the run took back to its beginning is ready in every view', () => {
    const done =
      'a begins again: 2 commits taken off its branch; saved as refs/ralphctl/save/a/1. The next start runs it';
    const fresh: RunEvent = { kind: 'command', idea: 'a', verb: 'retry', done, afterRun: true };
    const { model, a } = played(...works, status('pending'), STOPPED, fresh, status('pending'));
    expect(cutOff(model, a)).toBeUndefined();
    expect(beginsAnew(a)).toBe(true);
    const kept: RunEvent = { ...fresh, done: 'a is queued again. The next start runs it with a new iteration count' };
    expect(beginsAnew(played(...works, status('pending'), STOPPED, kept, status('pending')).a)).toBe(false);
  });

  it('C2: that was rolled back and worked again since is stopped in every view, whatever its last command was', () => {
    const again = [status('running'), ...run(3), status('pending'), STOPPED];
    const rolled = played(...works, status('failed'), told('rollback'), status('pending'), ...again);
    expect(words(rolled)).toEqual(all('stopped'));
  });

  it('that is blocked has the time of day: the run has no "ago" once it is over', () => {
    const { model, a } = played(...works, status('blocked'), STOPPED);
    const title = showText({ model, idea: a, now: NOW, commands: [], others: [] })[1] ?? '';
    expect(title).toMatch(/blocked ─+ iteration 2 · \d\d:\d\d ─/);
  });

  it('that waits for the next start does not start in this run: its card names the command', () => {
    const { model, a } = played(...works, status('failed'), told('retry'), status('pending'), STOPPED);
    const shown = showText({ model, idea: a, now: NOW, commands: [], others: [] }).join('\n');
    expect(shown).toContain('the next start runs it: ralphctl start');
    expect(shown).not.toContain('when a slot is free');
  });
});
