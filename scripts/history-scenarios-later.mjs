/** More runs that record-histories.mjs records: workers that are lost again and again, a new configuration, runs that wait for a person. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The file holds the process id, so that another run of the same step is seen. */
const held = (scratch, id, n, signal) => ({
  do: [
    { run: `echo $$ > ${join(scratch, `began-${id}-${n}`)}` },
    { waitFor: { path: join(scratch, `go-${id}-${n}`) } },
    { append: { path: `${id}.txt`, text: `${n}\n` } },
  ],
  signal,
});

/** Losses in a row after which an idea asks. */
const MOST_LOST = 5;

export const laterScenariosOn = ({ project, until, connected, workerOf, read, gone }) => {
  const kept = async (p, name, of) => {
    const id = await p.id();
    return { [`autopilot-${name}`]: `ralph:${id}:autopilot`, [`idea-${name}`]: `ralph:${id}:idea:${of}` };
  };
  const asks = (p, id) =>
    until(`${id} asks`, async () => (await p.status()).status?.attention.some((line) => line.id === id && line.reason));
  const waitsForYou = (p) =>
    until('the run waits for a person', async () => (await p.status()).status?.state === 'waits for you');

  return {
    /** An agent takes its worker down each time, until a person is asked; then it works. */
    async 'worker-down'() {
      const p = await project('down', { ideas: { 'k-1': { script: (s) => [held(s, 'k-1', 1, 'COMPLETE')] } } });
      await p.run('start', '--detach');
      const id = await p.id();
      let last;
      for (let lost = 0; lost < MOST_LOST; lost++) {
        last = await until('another agent run', async () => {
          const began = await read(join(p.scratch, 'began-k-1-1'));
          return began !== last && began;
        });
        const worker = await workerOf(id);
        process.kill(worker, 'SIGKILL');
        await gone(worker);
      }
      await asks(p, 'k-1');
      await waitsForYou(p);
      await p.touch('go-k-1-1');
      await p.run('answer', 'k-1', 'it is mended');
      await until('the end', async () => (await p.status()).facts?.open === false);
      return kept(p, 'worker-down', 'k-1');
    },

    /** The configuration changes in the open run: more slots, another limit, another gate. */
    async reloaded() {
      const idea = { script: (s) => [held(s, 'l-1', 1, 'PROGRESS:50'), held(s, 'l-1', 2, 'COMPLETE')] };
      const second = { script: (s) => [held(s, 'l-2', 1, 'COMPLETE')] };
      const p = await project('reloaded', { ideas: { 'l-1': idea, 'l-2': second }, config: { slots: 1 } });
      await p.run('start', '--detach');
      await p.there('began-l-1-1');
      await writeFile(
        join(p.repo, 'ralphctl.json'),
        JSON.stringify({ version: 1, agent: 'scripted', slots: 2, stepDelayMs: 0, maxIterations: 7, gate: ['true'] }),
      );
      await p.run('config', 'reload', '--json');
      await p.there('began-l-2-1');
      for (const file of ['go-l-1-1', 'go-l-1-2', 'go-l-2-1']) await p.touch(file);
      await until('the end', async () => (await p.status()).facts?.open === false);
      return kept(p, 'reloaded', 'l-1');
    },

    /** Every idea that has begun asks: the run waits for a person, is paused and resumed meanwhile, and goes on with the answer. */
    async 'waits-for-you'() {
      const p = await project('waits', {
        ideas: {
          'q-1': { script: (s) => [{ signal: 'NEEDS_HUMAN: which colour?' }, held(s, 'q-1', 2, 'COMPLETE')] },
          'q-2': { script: (s) => [held(s, 'q-2', 1, 'COMPLETE')], depends: 'q-1' },
        },
      });
      await p.run('start', '--detach');
      await asks(p, 'q-1');
      await waitsForYou(p);
      await p.run('pause', '--reason', 'lunch');
      await p.run('resume');
      await waitsForYou(p);
      for (const file of ['go-q-1-2', 'go-q-2-1']) await p.touch(file);
      await p.run('answer', 'q-1', 'green');
      await until('the end', async () => (await p.status()).facts?.open === false);
      return kept(p, 'waits-for-you', 'q-1');
    },

    /** The one idea that is left is paused, so the list of runs calls the run paused until the idea resumes. */
    async resting() {
      const p = await project('resting', {
        ideas: {
          'z-1': { script: (s) => [held(s, 'z-1', 1, 'PROGRESS:50'), held(s, 'z-1', 2, 'COMPLETE')] },
          'z-2': { script: (s) => [held(s, 'z-2', 1, 'COMPLETE')], depends: 'z-1' },
        },
      });
      const memo = async () => (await p.status()).facts?.progress?.state;
      await p.run('start', '--detach');
      await p.there('began-z-1-1');
      await p.run('pause', 'z-1');
      await p.touch('go-z-1-1');
      await until('the list to call it paused', async () => (await memo()) === 'paused');
      await p.run('resume', 'z-1');
      await until('the list to call it running', async () => (await memo()) === 'running');
      for (const file of ['go-z-1-2', 'go-z-2-1']) await p.touch(file);
      await until('the end', async () => (await p.status()).facts?.open === false);
      return kept(p, 'resting', 'z-1');
    },

    /** Two change one line, a third another line of the same file: it waits behind the one that came back. */
    async placed() {
      const lines = (first, last) => ({
        write: { path: 'shared.txt', text: `${first}\n${'same\n'.repeat(8)}${last}\n` },
      });
      const step = (s, id, n, ...does) => ({
        do: [
          { write: { path: join(s, `began-${id}-${n}`), text: '' } },
          { waitFor: { path: join(s, `go-${id}-${n}`) } },
          ...does,
        ],
        signal: 'COMPLETE',
      });
      const reworks = (s) => ({
        whenPrompt: { contains: 'conflict markers' },
        ...step(s, 'p-2', 2, lines('both', 'last')),
      });
      const p = await project('placed', {
        ideas: {
          'p-1': { script: (s) => [step(s, 'p-1', 1, lines('one', 'last'))] },
          'p-2': { script: (s) => [step(s, 'p-2', 1, lines('two', 'last')), reworks(s)] },
          'p-3': { script: (s) => [step(s, 'p-3', 1, lines('first', 'three'))] },
        },
        config: { slots: 3 },
        more: { 'shared.txt': `first\n${'same\n'.repeat(8)}last\n` },
      });
      await p.run('start', '--detach');
      for (const id of ['p-1', 'p-2', 'p-3']) await p.there(`began-${id}-1`);
      await p.touch('go-p-1-1');
      await until('p-1 landed', async () => (await p.git('log', '--format=%s', 'main')).includes('p-1'));
      await p.touch('go-p-2-1');
      await p.there('began-p-2-2');
      await p.touch('go-p-3-1');
      await until('p-3 to wait', async () => (await p.run('why', 'p-3')).includes('lands after p-2'));
      await p.touch('go-p-2-2');
      await until('the end', async () => (await p.status()).facts?.open === false);
      return kept(p, 'placed', 'p-3');
    },

    /** A question, its answer and the end are told to a command: by two runs of the workflow that delivers. */
    async alerted() {
      const rows = [{ to: 'command', name: 'ops', run: ['true'], events: ['question', 'landed', 'run-done'] }];
      const p = await project('alerted', {
        ideas: {
          'n-1': { script: (s) => [{ signal: 'NEEDS_HUMAN: which colour?' }, held(s, 'n-1', 2, 'COMPLETE')] },
          'n-2': { script: (s) => [held(s, 'n-2', 1, 'COMPLETE')] },
        },
        config: { notify: { groupSeconds: 3, timeZone: 'UTC', quiet: '03:00-03:01', rows } },
      });
      await p.run('start', '--detach');
      await asks(p, 'n-1');
      const id = await p.id();
      const delivered = async () => (await p.run('logs', '--json')).includes('"kind":"alert"');
      await until('the first alert', delivered);
      await p.touch('go-n-2-1');
      await until('n-2 landed', async () => (await p.git('log', '--format=%s', 'main')).includes('n-2'));
      await p.run('answer', 'n-1', 'green');
      await p.touch('go-n-1-2');
      await until('the end', async () => (await p.status()).facts?.open === false);
      const handle = (await connected()).workflow.getHandle(`ralph:${id}:alerts`);
      await until('the last alert', async () => (await handle.describe()).status.name === 'COMPLETED');
      return { 'autopilot-alerted': `ralph:${id}:autopilot`, 'alerts-alerted': `ralph:${id}:alerts` };
    },

    /** Questions are answered while one alert waits for its group, and another one for its next try. */
    async 'taken-back'() {
      const rows = [
        { to: 'command', name: 'group', run: ['true'], events: ['question', 'run-done'] },
        { to: 'command', name: 'again', run: ['false'], events: ['question', 'blocked'] },
      ];
      const p = await project('taken-back', {
        ideas: {
          'w-1': { script: (s) => [{ signal: 'NEEDS_HUMAN: which colour?' }, held(s, 'w-1', 2, 'COMPLETE')] },
          'w-2': { script: () => [{ signal: 'BLOCKED: no key' }] },
        },
        config: { notify: { groupSeconds: 2, timeZone: 'UTC', quiet: '03:00-03:01', rows } },
      });
      await p.run('start', '--detach');
      await asks(p, 'w-1');
      const id = await p.id();
      const handle = (await connected()).workflow.getHandle(`ralph:${id}:alerts`);
      await until('a failed try', async () =>
        (await handle.describe()).raw.pendingActivities?.some(({ attempt }) => Number(attempt) > 1),
      );
      await p.run('answer', 'w-1', 'green');
      await p.touch('go-w-1-2');
      await until('the end', async () => (await p.status()).facts?.open === false);
      return { 'autopilot-taken-back': `ralph:${id}:autopilot`, 'alerts-taken-back': `ralph:${id}:alerts` };
    },

    /** A question is answered while its alert waits for the next try, and another event has come since. */
    async 'put-back'() {
      const events = ['question', 'blocked', 'run-done'];
      const rows = [{ to: 'command', name: 'ops', run: ['test', '-e', 'open'], events }];
      const p = await project('put-back', {
        ideas: {
          'q-1': { script: (s) => [{ signal: 'NEEDS_HUMAN: which colour?' }, held(s, 'q-1', 2, 'COMPLETE')] },
          'q-2': { script: () => [{ signal: 'BLOCKED: no key' }] },
          'q-3': { script: (s) => [held(s, 'q-3', 1, 'BLOCKED: no disk')] },
        },
        config: { slots: 3, notify: { groupSeconds: 3, timeZone: 'UTC', rows } },
      });
      await p.run('start', '--detach');
      const id = await p.id();
      const handle = (await connected()).workflow.getHandle(`ralph:${id}:alerts`);
      const types = async () => (await handle.fetchHistory()).events.map(({ eventType }) => String(eventType));
      await until('a failed try', async () =>
        (await handle.describe()).raw.pendingActivities?.some(({ attempt }) => Number(attempt) > 1),
      );
      const told = (await types()).length;
      await p.touch('go-q-3-1');
      await until('the event that came since', async () => (await types()).length > told);
      await p.run('answer', 'q-1', 'green');
      await until('the rest, sent again', async () =>
        (await handle.describe()).raw.pendingActivities?.some(({ activityId }) => activityId !== '1'),
      );
      await writeFile(join(p.repo, 'open'), '');
      await p.touch('go-q-1-2');
      await until('the last alert', async () => (await handle.describe()).status.name === 'COMPLETED');
      return { 'alerts-put-back': `ralph:${id}:alerts` };
    },
  };
};

export const LATER_KINDS = {
  alerted: ['autopilot-alerted', 'alerts-alerted'],
  'taken-back': ['autopilot-taken-back', 'alerts-taken-back'],
  'put-back': ['alerts-put-back'],
  'worker-down': ['autopilot-worker-down', 'idea-worker-down'],
  placed: ['autopilot-placed', 'idea-placed'],
  reloaded: ['autopilot-reloaded', 'idea-reloaded'],
  resting: ['autopilot-resting', 'idea-resting'],
  'waits-for-you': ['autopilot-waits-for-you', 'idea-waits-for-you'],
};
