/** A question takes one answer, the first one; whoever comes later is told so. Features: C1 C5. */
import { Client, Connection } from '@temporalio/client';
import { afterEach, expect, inject, it } from 'vitest';
import { autopilotId, ideaWorkflowId, TELL } from '../../src/protocol/names.js';
import { dataConverter } from '../../src/server/codec.js';
import { Held } from '../support/held.js';
import { type Outcome, until } from '../support/program.js';

const SLOW = 240_000;
let held: Held;
afterEach(() => held?.box.dispose());

/** An idea that asks, works held after the answer, and can ask again. */
const open = async (...signals: string[]): Promise<void> => {
  const steps = signals.map((signal, at) => ({ signal, free: at === 0 }));
  held = await Held.open(inject('stateRoot'), [{ id: 'a-1', steps }]);
  await held.start();
};
const questionId = async (question: string): Promise<string> => {
  const asks = await held.event(question, (event) => event.kind === 'asks' && event.question === question);
  await held.idea('a-1', 'needs-human');
  return asks.kind === 'asks' ? (asks.id ?? '') : '';
};
const answers = (prompt: string): string[] => prompt.match(/The answer: .*/g) ?? [];
const codes = (...outcomes: Outcome[]): number[] => outcomes.map(({ code }) => code).sort();

it(
  'C5: of two answers at the same moment one is taken; the other person is told who answered, how, and what to do',
  async () => {
    await open('NEEDS_HUMAN: which colour?', 'COMPLETE');
    await questionId('which colour?');
    const both = await Promise.all([held.box.run('answer', 'a-1', 'red'), held.box.run('answer', 'a-1', 'blue')]);
    expect(codes(...both), both.map(({ stderr }) => stderr).join('\n')).toEqual([0, 7]);
    const won = both[0]?.code === 0 ? 'red' : 'blue';
    const [lost] = both.filter(({ code }) => code === 7);
    expect(both.find(({ code }) => code === 0)?.stdout).toContain('a-1 has your answer');
    expect(lost?.stderr).toMatch(new RegExp(`answered at .*\\d\\d:\\d\\d.*with ralphctl answer: “${won}”`));
    expect(lost?.stderr).toContain('ralphctl hint a-1 "…"');
    await held.began('a-1', 2);
    expect(answers(await held.prompt('a-1', 2))).toEqual([`The answer: ${won}`]);

    // To an idea that asks nothing, too.
    const late = await held.box.run('answer', 'a-1', 'green');
    expect([late.code, late.stderr]).toEqual([
      7,
      expect.stringMatching(/a-1 is running and asks nothing now\. Its last question was answered .*ralphctl hint a-1/),
    ]);
    await held.go('a-1-2');
    expect((await held.finish()).notLanded).toEqual([]);
    const events = await held.events();
    expect(events.flatMap((event) => (event.kind === 'answered' ? [event.text] : []))).toEqual([won]);
    expect(events.filter((event) => event.kind === 'command' && event.verb === 'answer')).toHaveLength(1);
    expect((await held.box.run('report')).stdout).toContain('1 answer');
  },
  SLOW,
);

it(
  'C5: an answer to the question before does not answer the next one',
  async () => {
    await open('NEEDS_HUMAN: which colour?', 'NEEDS_HUMAN: which port?', 'COMPLETE');
    const first = await questionId('which colour?');
    expect((await held.box.run('answer', 'a-1', '--question', first, 'red')).code).toBe(0);
    await held.go('a-1-2', 'a-1-3');
    const second = await questionId('which port?');
    expect(second).not.toBe(first);
    const late = await held.box.run('answer', 'a-1', '--question', first, 'blue');
    expect([late.code, late.stderr]).toEqual([7, expect.stringMatching(/question \w+ of a-1 was answered .*“red”/)]);
    expect(late.stderr).toContain(`“which port?”. Answer that one: ralphctl answer a-1 --question ${second} "…"`);
    expect((await held.box.run('answer', 'a-1', '8080')).code).toBe(0);
    expect((await held.finish()).notLanded).toEqual([]);
    expect(await held.prompt('a-1', 3)).not.toContain('blue');
  },
  SLOW,
);

it(
  'C5 G9: of two signals in the Web UI the first counts, and the events say why the second one does not',
  async () => {
    await open('NEEDS_HUMAN: which colour?', 'COMPLETE');
    await questionId('which colour?');
    const project = String((await held.box.run('status', '--json')).json[0]?.project);
    const connection = await Connection.connect({ address: inject('address') });
    try {
      const client = new Client({ connection, dataConverter });
      await client.workflow.getHandle(ideaWorkflowId(project, 'a-1')).signal('answer', 'red');
      await client.workflow.getHandle(ideaWorkflowId(project, 'a-1')).signal('answer', 'blue');
      await client.workflow.getHandle(autopilotId(project)).signal('answer', { idea: 'a-1', text: 'green' });
    } finally {
      await connection.close();
    }
    await held.began('a-1', 2);
    expect(answers(await held.prompt('a-1', 2))).toEqual(['The answer: red']);
    const refused = await until('both refusals', async () => {
      const found = (await held.events()).filter((event) => event.kind === 'refused' && event.verb === 'answer');
      return found.length === 2 && found;
    });
    for (const event of refused) expect(event).toMatchObject({ idea: 'a-1', why: expect.stringContaining('“red”') });
    await held.go('a-1-2');
    await held.finish();
  },
  SLOW,
);

it(
  'C5 G9: an answer that a script sends with an empty id is taken, and told as any other',
  async () => {
    await open('NEEDS_HUMAN: which colour?', 'COMPLETE');
    await questionId('which colour?');
    const project = String((await held.box.run('status', '--json')).json[0]?.project);
    const connection = await Connection.connect({ address: inject('address') });
    try {
      const { workflow } = new Client({ connection, dataConverter });
      await workflow.getHandle(autopilotId(project)).signal('answer', { idea: 'a-1', text: 'grey', id: '' });
    } finally {
      await connection.close();
    }
    await held.event('what became of it', (event) => event.kind === 'command' && event.text === 'grey');
    await held.began('a-1', 2);
    expect(answers(await held.prompt('a-1', 2))).toEqual(['The answer: grey']);
    await held.go('a-1-2');
    await held.finish();
  },
  SLOW,
);

it(
  'C5: of two answers while no worker runs the first one is taken when one starts, and the other one is refused',
  async () => {
    await open('NEEDS_HUMAN: which colour?', 'COMPLETE');
    await questionId('which colour?');
    await held.box.run('worker', '--stop');
    for (const text of ['red', 'blue']) {
      const told = await held.box.run('answer', 'a-1', text);
      expect([told.code, told.stdout]).toEqual([0, expect.stringContaining('queued: answer a-1')]);
      expect(told.stdout).toContain('The first answer counts; see: ralphctl why a-1');
    }
    await held.start();
    await held.began('a-1', 2);
    expect(answers(await held.prompt('a-1', 2))).toEqual(['The answer: red']);
    const why = await held.event('the refusal', (event) => event.kind === 'refused' && event.verb === 'answer');
    expect(why).toMatchObject({ idea: 'a-1', text: 'blue', why: expect.stringContaining('“red”') });
    await held.go('a-1-2');
    await held.finish();
  },
  SLOW,
);

it(
  'C5: without an open run the first answer is kept for the next one, and the second person is told',
  async () => {
    await open('NEEDS_HUMAN: which colour?', 'COMPLETE');
    const id = await questionId('which colour?');
    await held.box.run('stop');
    await held.closed();
    const wrong = await held.box.run('answer', 'a-1', '--question', 'none', 'grey');
    expect([wrong.code, wrong.stderr]).toEqual([7, expect.stringContaining(`answer a-1 --question ${id}`)]);
    const both = await Promise.all([held.box.run('answer', 'a-1', 'red'), held.box.run('answer', 'a-1', 'blue')]);
    expect(codes(...both)).toEqual([0, 7]);
    const won = both[0]?.code === 0 ? 'red' : 'blue';
    const lost = both.find(({ code }) => code === 7);
    expect(lost?.stderr).toMatch(new RegExp(`a-1 was answered at .*“${won}”.*ralphctl hint a-1`));
    await held.start();
    await held.began('a-1', 1, 2);
    expect(answers(await held.prompt('a-1', 1))).toEqual([`The answer: ${won}`]);
    await held.box.run('abort');
  },
  SLOW,
);

it(
  'C5: an answer that no prompt had when the run was stopped is in the first prompt of the next run',
  async () => {
    held = await Held.open(inject('stateRoot'), [
      { id: 'a-1', steps: [{ signal: 'NEEDS_HUMAN: which colour?', free: true }, { signal: 'COMPLETE' }] },
      { id: 'b-1', steps: [{ signal: 'COMPLETE' }] },
    ]);
    await held.start();
    await questionId('which colour?');
    await held.began('b-1');
    // The only slot is taken.
    expect((await held.box.run('answer', 'a-1', 'red')).code).toBe(0);
    await held.box.run('stop');
    await held.go('b-1-1');
    await held.closed();
    const again = await held.box.run('answer', 'a-1', 'blue');
    expect([again.code, again.stderr]).toEqual([7, expect.stringContaining('“red”')]);
    await held.start();
    await held.began('a-1', 1, 2);
    expect(answers(await held.prompt('a-1', 1))).toEqual(['The answer: red']);
    await held.box.run('abort');
  },
  SLOW,
);

it(
  'C5: a text that says nothing is no answer, in every way in: from the command line, as a signal, as an update, and after the run',
  async () => {
    await open('NEEDS_HUMAN: which colour?', 'COMPLETE');
    await questionId('which colour?');
    const nothing = ['\u001b[31m\u001b[0m', '\u0007', ' \u200b\u2060 ', '\u001b]0;title\u0007'];
    for (const text of nothing) {
      const refused = await held.box.run('answer', 'a-1', text);
      expect([refused.code, refused.stderr]).toEqual([7, expect.stringContaining('answer a-1 needs a text')]);
    }
    const project = String((await held.box.run('status', '--json')).json[0]?.project);
    const connection = await Connection.connect({ address: inject('address') });
    try {
      const { workflow } = new Client({ connection, dataConverter });
      const run = workflow.getHandle(autopilotId(project));
      for (const text of nothing) {
        await workflow.getHandle(ideaWorkflowId(project, 'a-1')).signal('answer', text);
        await run.signal('answer', { idea: 'a-1', text });
        const updated = run.executeUpdate(TELL, { args: [{ verb: 'answer', idea: 'a-1', text }] });
        await expect(updated).rejects.toMatchObject({ cause: { message: expect.stringContaining('needs a text') } });
      }
      await run.signal('hint', { idea: 'a-1', text: nothing[0] });
    } finally {
      await connection.close();
    }
    await until('the refusals', async () => {
      const found = (await held.events()).filter((event) => event.kind === 'refused');
      return found.filter(({ why }) => /needs a text|double quotes/.test(why)).length === 2 * nothing.length + 1;
    });
    expect((await held.box.run('answer', 'a-1', '\u001b[31mred\u001b[0m')).code).toBe(0);
    await held.began('a-1', 2);
    expect(answers(await held.prompt('a-1', 2))).toHaveLength(1);
    await held.box.run('abort');
    await held.closed();
    const kept = await held.box.run('hint', 'a-1', nothing[0] ?? '');
    expect([kept.code, kept.stderr]).toEqual([7, expect.stringContaining('hint a-1 needs a text')]);
  },
  SLOW,
);
