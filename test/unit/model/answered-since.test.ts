/** A question that the stop of its run left open, and that a person has answered since: one story in every view. Features: C3 G4. */
import { describe, expect, it } from 'vitest';
import { describeLast } from '../../../src/client/views/last-run-lines.js';
import { sinceThen } from '../../../src/model/at-end.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { IdeaModel, RunModel } from '../../../src/model/model.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { makeReport } from '../../../src/report/build.js';
import { fixOfOpen } from '../../../src/report/commands.js';
import type { Extra } from '../../../src/report/extra.js';
import { historyRun } from '../../../src/report/history.js';
import { newNight } from '../../../src/report/night.js';
import { openIdea } from '../../../src/report/open.js';
import { isCutOff, shownIn } from '../../../src/screen/cut-off.js';
import { afterRunOf } from '../../../src/screen/idea/possible.js';
import { idea } from '../../activities/idea.js';
import { printedNow } from '../../support/printed.js';

const QUESTION = 'Which organisation?';
const is = (status: IdeaModel['status'], more: Record<string, unknown> = {}): RunEvent => ({
  ...{ kind: 'idea', idea: 'ask', title: 'Ask', status },
  ...more,
});
const run = (state: 'running' | 'stopping' | 'stopped'): RunEvent => ({ kind: 'run', state, landed: 0, total: 1 });
const ANSWER: RunEvent = {
  ...{ kind: 'command', verb: 'answer', idea: 'ask', text: 'the first', afterRun: true },
  done: 'ask gets your answer with its first prompt in the next run',
};
const DROPPED: RunEvent = {
  ...{ kind: 'command', verb: 'hint', idea: 'ask', forgets: true, afterRun: true },
  done: 'the next start does not carry over the hint of ask',
};
const STOPPED: RunEvent[] = [
  ...[run('running'), is('running')],
  { kind: 'iteration', idea: 'ask', serial: 1, iteration: 1, max: 8, agentName: 'ed-001' },
  {
    ...{ kind: 'iteration-end', idea: 'ask', serial: 1, iteration: 1, durationMs: 1, commits: 1 },
    ...{ signal: { kind: 'needs-human', question: QUESTION }, outcome: 'ok' },
  },
  ...[is('needs-human', { reason: QUESTION }), run('stopping')],
  ...[is('pending', { reason: 'stopped while it waited for an answer' }), run('stopped')],
];

function folded(...events: RunEvent[]): { model: RunModel; ask: IdeaModel } {
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('ask')]);
  for (const [at, event] of events.entries()) fold(model, { at: new Date(1000 + at * 1000).toISOString(), ...event });
  const ask = model.ideas.get('ask') ?? expect.fail('no idea');
  // As `takeForNext` has it.
  if (events.at(-1) === ANSWER) ask.forNext = { words: ['answer for ask'] };
  return { model, ask };
}
const extra: Extra = {
  ...{ now: 60_000, zone: 'UTC', over: true, night: newNight(), earlier: [], later: new Map(), givenUp: new Set() },
};
const last = {
  ...{ outcome: 'stopped', landed: 0 },
  notLanded: [{ idea: 'ask', status: 'pending', reason: 'stopped while it waited for an answer' }],
};

describe('C3 G4: an answer after a stop', () => {
  const before = folded(...STOPPED);
  const { model, ask } = folded(...STOPPED, ANSWER);

  it('the idea was not cut off: it waited; now it is ready for the next start', () => {
    expect(isCutOff(ask)).toBe(false);
    expect(shownIn(model, ask)).toBe('ready');
  });

  it('report and History still have the question, and say that it is answered', () => {
    const [open] = makeReport(model, extra).open;
    expect(open).toMatchObject({ state: 'asks', reason: QUESTION, answered: true });
    expect(open?.notes).toContain('kept for the next start: answer for ask');
    const lineOf = (one: RunModel) => historyRun(makeReport(one, extra), []).open?.[0];
    expect(lineOf(before.model)).toEqual({ id: 'ask', state: 'asks', reason: QUESTION, since: 'not yet' });
    expect(lineOf(model)).toEqual({ id: 'ask', state: 'asks', reason: QUESTION, since: 'answered' });
  });

  it('what is left to do is the start alone', () => {
    expect(makeReport(before.model, extra).todo.map(({ commands }) => commands)).toEqual([
      ['ralphctl answer ask "…"', 'ralphctl start'],
    ]);
    const { todo } = makeReport(model, extra);
    expect(todo).toMatchObject([{ text: 'you answered 1 idea: ask', commands: ['ralphctl start'] }]);
    const open = openIdea(model, ask, extra);
    expect(fixOfOpen(ask, open, { start: 'ralphctl start' })?.commands).toBeUndefined();
  });

  it('status tells the same', () => {
    const text = printedNow(() =>
      describeLast({ last, held: new Set(), told: new Map(), start: undefined, model } as never),
    );
    expect(text).toContain(`? ask asks: ${QUESTION}\n`);
    expect(text).toContain('since then: ask answered\n');
    expect(text).not.toContain('pending');
    expect(sinceThen(model)).toEqual([{ what: 'answered', ideas: ['ask'] }]);
  });

  it('an approval stays one', () => {
    const approval = STOPPED.map((one) =>
      one.kind === 'idea' && one.status === 'needs-human'
        ? is('needs-human', { reason: QUESTION, approval: true })
        : one,
    );
    const { model: then } = folded(...approval, ANSWER);
    expect(makeReport(then, extra).open).toMatchObject([{ state: 'approve', answered: true }]);
  });

  it('one that the person dropped counts no more: it asks again, and takes an answer', () => {
    const { model: again, ask: idea } = folded(...STOPPED, ANSWER, DROPPED);
    expect(idea).toMatchObject({ status: 'needs-human', question: QUESTION, left: { question: QUESTION } });
    expect(idea.answered).toBeUndefined();
    expect(afterRunOf(idea)).toBe(afterRunOf(before.ask));
    expect(again.counts).toEqual(before.model.counts);
    const report = makeReport(again, extra);
    expect(report.todo).toEqual(makeReport(before.model, extra).todo);
    expect(report.open).toMatchObject([{ state: 'asks', reason: QUESTION }]);
    expect(report.open[0]?.answered).toBeUndefined();
    expect(sinceThen(again)).toEqual([]);
    expect(idea.told).toEqual({ verb: 'hint --forget' });
    // The answer stays in what was said, and counts as none.
    expect(idea.said.map(({ verb, takenBack }) => [verb, takenBack === true])).toEqual([
      ['answer', true],
      ['hint --forget', false],
    ]);
    expect(folded(...STOPPED, ANSWER, DROPPED, ANSWER).ask).toMatchObject({ status: 'pending', answered: {} });
  });

  it('of a question from an older version, too, which no stop kept', () => {
    const asked = STOPPED.filter((one) => one.kind !== 'run' || one.state !== 'stopping');
    expect(makeReport(folded(...asked, ANSWER).model, extra).open[0]?.reason).not.toBe(QUESTION);
    expect(makeReport(folded(...asked, ANSWER, DROPPED).model, extra).open[0]?.reason).toBe(QUESTION);
  });

  it('once the next run works on it, or a person leaves it out, nothing is left of it', () => {
    expect(folded(...STOPPED, ANSWER, run('running'), is('running')).ask.answered).toBeUndefined();
    const out = folded(...STOPPED, ANSWER);
    out.ask.forNext = { leftOut: true, words: [] };
    expect(makeReport(out.model, extra).open).toMatchObject([{ state: 'skipped' }]);
  });
});
