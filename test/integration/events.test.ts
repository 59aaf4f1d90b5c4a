/** The events of a run for scripts: the command, and its published schema. Features: G6 B9. */
import { once } from 'node:events';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { execa } from 'execa';
import { afterEach, expect, inject, it } from 'vitest';
import { TELLER_ENV } from '../../src/client/context.js';
import { autopilotId } from '../../src/protocol/names.js';
import { eventProblems } from '../support/event-schema.js';
import { cliPath, events, type Sandbox, sandbox, until, yaml } from '../support/program.js';

let box: Sandbox;
afterEach(() => box?.dispose());

/** As the screen runs what a person types there. */
async function byScreen(...args: string[]): Promise<void> {
  const env = { ...box.env, [TELLER_ENV]: 'screen' };
  const { exitCode, stderr } = await execa(process.execPath, [cliPath, ...args], { cwd: box.repo, env, reject: false });
  expect(exitCode, stderr).toBe(0);
}

/** As the Web UI sends it. */
async function bySignal(verb: string, idea: string): Promise<void> {
  const { project } = (await box.run('status', '--json')).json[0] as { project: string };
  const connection = await Connection.connect({ address: inject('address') });
  await new Client({ connection }).workflow.getHandle(autopilotId(project)).signal(verb, { idea });
  await connection.close();
}

it('G6 prints the events of a run while it runs and afterwards; each is as the published schema says', async () => {
  const append = (path: string) => ({ append: { path, text: 'x\n' } });
  box = await sandbox(inject('stateRoot'), {});
  const go = join(box.scratch, 'go');
  await box.write({
    'ideas.yaml': yaml({
      version: 1,
      ideas: [
        {
          id: 'p-1',
          text: 'Build it',
          plan: { phases: [{ name: 'Model', steps: ['Make the model', { id: 'wire', text: 'Wire it' }] }] },
        },
        { id: 'q-1', text: 'Ask first' },
      ],
    }),
    'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', slots: 1, stepDelayMs: 0, gate: ['test ! -e red'] }),
    '.ralph-script.yaml': yaml({
      default: [
        { do: [{ waitFor: { path: go } }, append('red')], signal: 'COMPLETE' },
        { do: [{ delete: 'red' }, append('model')], signal: 'COMPLETE' },
        { do: [append('wired')], signal: 'COMPLETE' },
      ],
      ideas: { 'q-1': [{ signal: 'NEEDS_HUMAN: which port?' }, { do: [append('port')], signal: 'COMPLETE' }] },
    }),
  });
  await box.commit('set up');
  expect((await box.run('events')).code).toBe(6);

  expect((await box.run('start', '--detach')).code).toBe(0);
  const follow = box.spawn('events', '--follow');
  let followed = '';
  follow.stdout?.on('data', (chunk: Buffer) => {
    followed += chunk.toString();
  });
  const ended = once(follow, 'exit');
  await until('its first iteration, as it happens', async () => followed.includes('"kind":"iteration"'));
  expect((await box.run('hint', 'p-1', 'take care')).code).toBe(0);
  await byScreen('score', 'q-1', '3');
  await bySignal('bump', 'q-1');
  await until('the signal', async () => followed.includes('"verb":"bump"'));
  await writeFile(go, '');
  await until('the question', async () => followed.includes('"kind":"asks"'));
  expect((await box.run('answer', 'q-1', '8080')).code).toBe(0);
  // It ends by itself with the run.
  expect((await ended)[0]).toBe(0);

  const after = await box.run('events', '--json');
  expect(after.stdout.trim()).toBe(followed.trim());
  const all = events(after);
  expect(await eventProblems(all)).toEqual([]);
  const kinds = new Set(all.map(({ kind }) => kind));
  const wanted = ['run', 'iteration-end', 'gate-start', 'gate', 'asks', 'answered', 'command', 'delivered', 'landing'];
  for (const kind of wanted as (typeof all)[number]['kind'][]) expect(kinds, kind).toContain(kind);
  // A gate says which command begins, before its result.
  const gates = all.filter((event) => event.kind === 'gate-start' || event.kind === 'gate');
  expect(gates[0]).toMatchObject({ kind: 'gate-start', idea: 'p-1', command: 'test ! -e red', number: 1, of: 1 });
  expect(gates[1]).toMatchObject({ kind: 'gate', idea: 'p-1', pass: false });
  // Who told it: this command line, the screen, or a Temporal signal.
  const by = (verb: string) => all.filter((event) => event.kind === 'command' && event.verb === verb);
  expect(by('answer')).toMatchObject([{ by: 'cli' }]);
  expect(by('score')).toMatchObject([{ by: 'screen', idea: 'q-1' }]);
  expect(by('bump')).toMatchObject([{ by: 'signal', idea: 'q-1' }]);
  // The first step takes two iterations and begins once.
  const begun = all.filter((event) => event.kind === 'step-start');
  expect(begun).toMatchObject([
    { idea: 'p-1', step: '1.1', phase: 'Model', number: 1, of: 2 },
    { idea: 'p-1', step: 'wire', phase: 'Model', number: 2, of: 2 },
  ]);
  const runId = (await box.run('logs', '--runs', '--json')).json[0]?.runId as string;
  expect((await box.run('events', '--run', runId)).stdout).toBe(after.stdout);
  expect((await box.run('events', '--run', 'none')).code).toBe(6);

  // An alert may be given up after the end.
  const { project } = (await box.run('status', '--json')).json[0] as { project: string };
  const late = {
    at: new Date().toISOString(),
    kind: 'alert',
    row: 'night',
    state: 'failed',
    events: 1,
    why: 'no answer',
  };
  const file = join(inject('stateRoot'), 'projects', project, 'runs', runId, 'events.jsonl');
  await appendFile(file, `${JSON.stringify(late)}\n`);
  expect((await box.run('logs')).stdout).toContain('the alert to night could not be delivered: no answer');
});

it('the check of events sees a field that the schema lacks, and a kind that it does not know', async () => {
  const at = '2026-01-01T00:00:00.000Z';
  expect(await eventProblems([{ at, kind: 'landing', idea: 'x' }])).toEqual([]);
  expect(await eventProblems([{ at, kind: 'landing', idea: 'x', more: 1 }])).toHaveLength(1);
  expect(await eventProblems([{ at, kind: 'landing' }])).toHaveLength(1);
  expect(await eventProblems([{ at, kind: 'other', idea: 'x' }])).toHaveLength(1);
});
