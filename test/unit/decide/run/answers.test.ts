/** Which answer to a question counts (C5): the first one, and only one to that question. */
import { describe, expect, test } from 'vitest';
import { answerRefusal, leftNotes, takenText } from '../../../../src/decide/idea/answers.js';
import { isAnswerTaken, isReport } from '../../../../src/decide/messages/between.js';
import { readAnswer } from '../../../../src/decide/messages/said.js';
import type { Autopilot } from '../../../../src/decide/run/autopilot.js';
import { noIterations } from '../../../../src/decide/views/survey.js';
import type { IdeaCourse } from '../../../../src/protocol/idea-run.js';
import { card, closed, decided, pilotOf } from '../support.js';

const AT = Date.parse('2026-01-02T03:04:05Z');
const taken = { text: 'blue\nsky', question: 'q1', by: 'screen', who: 'ada', at: AT } as const;
const asked = { id: 'q2', at: AT };

describe('the idea', () => {
  test('says when, by whom and with which words a question was answered', () => {
    expect(takenText(taken)).toBe('at 2026-01-02 03:04 UTC by ada, on the full screen: “blue sky”');
    expect(takenText({ text: 'x', at: AT })).toBe('at 2026-01-02 03:04 UTC: “x”');
  });

  test.each([
    ['an answer to the open question', { question: 'why?', asked, answer: taken }, { question: 'q2' }, undefined],
    ['an answer that names no question', { question: 'why?', asked, answer: taken }, {}, undefined],
    ['any answer to a question of an older version', { question: 'why?' }, { question: 'q2' }, undefined],
    [
      'a second answer',
      { answer: taken },
      { question: 'q1' },
      'the question of a was answered at 2026-01-02 03:04 UTC by ada, on the full screen: “blue sky”. To add something: ralphctl hint a "…"',
    ],
    ['an answer without any question', {}, {}, 'a asks nothing now. To add something: ralphctl hint a "…"'],
    [
      'an answer to the question before',
      { question: 'which\nport?', asked, answer: taken },
      { question: 'q1' },
      'question q1 of a was answered at 2026-01-02 03:04 UTC by ada, on the full screen: “blue sky”. It asks another question now: “which port?”. Answer that one: ralphctl answer a --question q2 "…"',
    ],
    [
      'an answer to an unknown question',
      { question: 'which port?', asked },
      { question: 'q9' },
      'question q9 of a is no longer open. It asks another question now: “which port?”. Answer that one: ralphctl answer a --question q2 "…"',
    ],
  ])('C5: %s', (_name, state, said, refusal) => {
    expect(answerRefusal('a', state, said)).toBe(refusal);
  });

  test.each([
    [['blue'], { text: 'blue', by: 'signal' }],
    [[{ text: 'blue', question: 'q1', by: 'cli', id: 'x' }], { text: 'blue', question: 'q1', by: 'signal' }],
    [
      ['blue', { id: 'x', question: 'q1', by: 'cli', who: 'ada' }],
      { text: 'blue', id: 'x', question: 'q1', by: 'cli', who: 'ada' },
    ],
    [['blue', { id: 5, question: [], by: 'root', who: 'x'.repeat(300) }], { text: 'blue' }],
  ])('reads %j', (args, said) => {
    expect(readAnswer(args)).toEqual([said]);
  });
  test('refuses an answer without a text', () => {
    for (const args of [[], [5], [{}], [' ']]) expect(readAnswer(args)).toHaveProperty('problem');
  });
});

describe('what no prompt had when the idea ended', () => {
  const answered = (question: string, answer: string) => `You asked: ${question}\nThe answer: ${answer}`;

  test('C5: waits for its next start, in order, with the beginning of a long question', () => {
    expect(leftNotes(['a hint', answered('which?', 'red')])).toEqual({
      kept: ['a hint', answered('which?', 'red')],
      dropped: [],
    });
    expect(leftNotes([answered('x'.repeat(9000), 'red')]).kept).toEqual([answered(`${'x'.repeat(1999)}…`, 'red')]);
  });
  test('C5: beyond the limit an answer stays and hints are dropped, and said to be', () => {
    const hints = Array.from({ length: 30 }, (_, at) => `hint ${at}`);
    const { kept, dropped } = leftNotes([...hints, answered('which?', 'red')]);
    expect([kept.length, dropped.length, kept.at(-1)]).toEqual([20, 11, answered('which?', 'red')]);
    expect(leftNotes(['x'.repeat(30_000), 'y']).kept).toEqual(['y']);
  });
  test('C5: the run keeps them for that start', () => {
    const pilot = pilotOf([card('a')]);
    decided(pilot);
    const said = {
      idea: 'a',
      life: 1,
      seq: 1,
      kind: 'closed',
      iterations: noIterations(),
      outcome: 'stopped',
    } as const;
    expect(isReport({ ...said, notes: ['red'] })).toBe(true);
    pilot.report({ ...said, notes: ['red'] });
    expect(pilot.graph.entry('a')?.notes).toEqual(['red']);
  });
});

describe('the run', () => {
  /** One idea that asks question q1. */
  function asking(course: IdeaCourse = { question: 'q1' }): Autopilot {
    const pilot = pilotOf([card('a')]);
    decided(pilot);
    report(pilot, 'needs-human', course);
    return pilot;
  }
  let seq = 0;
  function report(pilot: Autopilot, kind: 'needs-human' | 'wants-slot', course: IdeaCourse): void {
    const said = { idea: 'a', life: 1, seq: ++seq, kind, iterations: noIterations(), reason: 'why?', course };
    expect(isReport(said)).toBe(true);
    pilot.report(said);
  }
  const answer = (id: string, more = {}) => ({ verb: 'answer', idea: 'a', text: 'blue', id, ...more }) as const;
  const sent = (pilot: Autopilot) =>
    pilot.decide(false).flatMap((one) => (one.do === 'tell' && one.signal === 'answer' ? [one.args] : []));

  test('C5: passes an answer on with its question, and says it was taken only after the idea has', () => {
    const pilot = asking();
    expect(pilot.command(answer('x', { by: 'cli', who: 'ada' }))).toEqual({ sent: 'x' });
    expect(sent(pilot)).toEqual([['blue', { id: 'x', question: 'q1', by: 'cli', who: 'ada' }]]);
    expect(pilot.answers.settled('x')).toBeUndefined();
    expect(pilot.takeTold()).toEqual([]);

    pilot.answers.said({ idea: 'a', id: 'x', took: 'text' });
    expect(pilot.answers.settled('x')).toEqual({ done: 'a has your answer; its next prompt contains it' });
    const done = expect.stringContaining('a has your answer');
    expect(pilot.takeTold()).toMatchObject([{ verb: 'answer', idea: 'a', text: 'blue', by: 'cli', done }]);
    pilot.answers.said({ idea: 'a', id: 'x', refusal: 'said again' });
    expect(pilot.takeTold()).toEqual([]);
  });

  test('C5: two answers at once both reach the idea, and the one that it refuses is refused by the run', () => {
    const pilot = asking();
    pilot.command(answer('x'));
    pilot.command(answer('y'));
    expect(sent(pilot)).toHaveLength(2);
    pilot.answers.said({ idea: 'a', id: 'x', took: 'text' });
    pilot.answers.said({ idea: 'a', id: 'y', refusal: 'the question of a was answered' });
    expect(pilot.answers.settled('y')).toEqual({ refusal: 'the question of a was answered' });
    expect(pilot.takeTold().map(({ refusal }) => refusal)).toEqual([undefined, 'the question of a was answered']);
    expect(pilot.graph.entry('a')?.answers).toBeUndefined();
  });

  test('C5: an answer that came after the question is refused with the answer that counted, and the way to add something', () => {
    const pilot = asking();
    report(pilot, 'wants-slot', { answer: taken });
    expect(pilot.command(answer('z'))).toEqual({
      refusal: expect.stringMatching(
        /^a waits for a slot and asks nothing now\. Its last question was answered at 2026-01-02 03:04 UTC by ada, on the full screen: “blue sky”\. To add something: ralphctl hint a "…"\. Possible now: .*hint/,
      ),
    });
  });

  test('C5: an idea that ends before it took an answer refuses it', () => {
    const pilot = asking();
    pilot.command(answer('x'));
    closed(pilot, 'a', 'stopped');
    expect(pilot.answers.settled('x')).toEqual({ refusal: 'a ended before it took your answer' });
    expect(pilot.takeTold()).toMatchObject([{ verb: 'answer', refusal: 'a ended before it took your answer' }]);
  });

  test('C5: histories of older versions: every answer is passed on as it was, and is taken at once', () => {
    const pilot = asking();
    report(pilot, 'wants-slot', {});
    expect(pilot.command(answer('x'), true)).toEqual({ done: expect.stringContaining('a has your answer') });
    expect(sent(pilot)).toEqual([['blue']]);
  });

  test('reads only whole messages of ideas', () => {
    expect(isAnswerTaken({ idea: 'a', id: 'x', took: 'text' })).toBe(true);
    for (const wrong of [
      undefined,
      {},
      { idea: 'a' },
      { idea: 'a', id: 'x', took: 'all' },
      { idea: 'a', id: 'x', refusal: 5 },
    ])
      expect(isAnswerTaken(wrong)).toBe(false);
  });
});
