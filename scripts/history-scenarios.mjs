/** The runs for record-histories.mjs: the backlog, the agent's script, and a person's commands. */
import { join } from 'node:path';

const write = (path, text) => ({ write: { path, text } });
const complete = (id) => ({ do: [write(`${id}.txt`, `${id}\n`)], signal: 'COMPLETE' });
/** Reports its start in the scratch folder, and continues on request. */
const held = (scratch, id, n, signal) => ({
  do: [
    { write: { path: join(scratch, `began-${id}-${n}`), text: '' } },
    { waitFor: { path: join(scratch, `go-${id}-${n}`) } },
    { append: { path: `${id}.txt`, text: `${n}\n` } },
  ],
  signal,
});
const twoSteps = (id) => ({
  script: (scratch) => [held(scratch, id, 1, 'PROGRESS:50'), held(scratch, id, 2, 'COMPLETE')],
});

/** Each returns the executions to keep: file name without version → workflow id (and run id, for one of several). */
export const scenariosOn = ({
  project,
  scriptedAgent,
  until,
  connected,
  workerOf,
  continuedRun,
  bounced,
  startEarlyRollover,
}) => ({
  async happy() {
    const p = await project('happy', {
      ideas: { 'h-1': { script: () => [complete('h-1')] }, 'h-2': { script: () => [complete('h-2')], depends: 'h-1' } },
    });
    await p.run('start', '--json', '--wait');
    const id = await p.id();
    return { 'autopilot-happy': `ralph:${id}:autopilot`, 'idea-happy': `ralph:${id}:idea:h-1` };
  },

  async mixed() {
    const meet = (scratch, me, other, text) => ({
      do: [write(join(scratch, me), ''), { waitFor: { path: join(scratch, other) } }, write('shared.txt', text)],
      signal: 'COMPLETE',
    });
    const merged = {
      whenPrompt: { contains: 'conflict markers' },
      do: [write('shared.txt', 'both\n')],
      signal: 'COMPLETE',
    };
    const p = await project('mixed', {
      ideas: {
        'c-1': { script: (s) => [meet(s, 'c-1', 'c-2', 'one\n'), merged] },
        'c-2': { script: (s) => [meet(s, 'c-2', 'c-1', 'two\n'), merged] },
        'red-1': {
          script: () => [
            { do: [write('red-1.txt', 'bad\n')], signal: 'COMPLETE' },
            { do: [write('red-1.txt', 'good\n')], signal: 'COMPLETE' },
          ],
        },
        'ask-1': {
          script: () => [
            { signal: 'NEEDS_HUMAN: which colour?' },
            { whenPrompt: { contains: 'The answer: green' }, do: [write('colour.txt', 'green\n')], signal: 'COMPLETE' },
          ],
        },
        'blocked-1': { script: () => [{ do: [write('half.txt', 'half\n')], signal: 'BLOCKED: no database here' }] },
        'slow-1': { script: () => [{ do: [write('slow.txt', 'more\n')], signal: 'PROGRESS:40' }], max_iterations: 2 },
      },
    });
    const done = p.run('start', '--json', '--wait');
    done.catch(() => {});
    await until('the question', async () => (await p.status()).status.attention.some((line) => line.id === 'ask-1'));
    await p.run('answer', 'ask-1', 'green');
    await done;
    const id = await p.id();
    const idea = (name) => `ralph:${id}:idea:${name}`;
    const loser = (await bounced(idea('c-1'))) ? 'c-1' : 'c-2';
    return {
      'autopilot-mixed': `ralph:${id}:autopilot`,
      'idea-conflict': idea(loser),
      'idea-gate-red': idea('red-1'),
      'idea-needs-human': idea('ask-1'),
      'idea-blocked': idea('blocked-1'),
      'idea-timeout': idea('slow-1'),
    };
  },

  async 'pause-resume'() {
    const p = await project('pause', { ideas: { 'p-1': twoSteps('p-1') } });
    const done = p.run('start', '--json', '--wait');
    await p.there('began-p-1-1');
    await p.run('pause', '--reason', 'lunch');
    await p.touch('go-p-1-1');
    await until('the pause', async () => (await p.status()).status.state === 'paused');
    await p.run('resume');
    await p.touch('go-p-1-2');
    await done;
    const id = await p.id();
    return { 'autopilot-pause-resume': `ralph:${id}:autopilot`, 'idea-pause-resume': `ralph:${id}:idea:p-1` };
  },

  async stop() {
    const p = await project('stop', { ideas: { 's-1': twoSteps('s-1') } });
    const done = p.run('start', '--json', '--wait');
    await p.there('began-s-1-1');
    await p.run('stop', '--reason', 'enough');
    await p.touch('go-s-1-1');
    await done;
    const id = await p.id();
    return { 'autopilot-stop': `ralph:${id}:autopilot`, 'idea-stop': `ralph:${id}:idea:s-1` };
  },

  async 'worker-lost'() {
    const p = await project('lost', { ideas: { 'w-1': twoSteps('w-1') } });
    const done = p.run('start', '--json', '--wait');
    await p.there('began-w-1-1');
    const id = await p.id();
    process.kill(await workerOf(id), 'SIGKILL');
    await p.touch('go-w-1-1');
    await p.touch('go-w-1-2');
    await done;
    return { 'autopilot-worker-lost': `ralph:${id}:autopilot`, 'idea-worker-lost': `ralph:${id}:idea:w-1` };
  },

  async 'pause-now'() {
    const p = await project('pause-now', { ideas: { 'n-1': twoSteps('n-1') } });
    const done = p.run('start', '--json', '--wait');
    await p.there('began-n-1-1');
    await p.run('pause', '--now', '--reason', 'fire drill');
    await until('the pause', async () => (await p.status()).status.state === 'paused');
    await p.run('hint', 'n-1', 'mind the gap');
    await p.run('resume');
    await p.touch('go-n-1-1');
    await p.touch('go-n-1-2');
    await done;
    const id = await p.id();
    return { 'autopilot-pause-now': `ralph:${id}:autopilot`, 'idea-pause-now': `ralph:${id}:idea:n-1` };
  },

  async abort() {
    const p = await project('abort', { ideas: { 'a-1': twoSteps('a-1'), 'a-2': twoSteps('a-2') } });
    const done = p.run('start', '--json', '--wait');
    await p.there('began-a-1-1');
    await p.there('began-a-2-1');
    await p.run('abort', '--reason', 'wrong branch');
    await done;
    const id = await p.id();
    return { 'autopilot-abort': `ralph:${id}:autopilot`, 'idea-abort': `ralph:${id}:idea:a-1` };
  },

  async modes() {
    const p = await project('modes', {
      ideas: { 'm-1': { script: () => [complete('m-1')] }, 'm-2': { script: () => [complete('m-2')] } },
    });
    await p.run('start', '--detach', '--mode', 'semi-auto');
    await until('the run to wait', async () => (await p.status()).status.state === 'waiting_user');
    await p.run('assign', 'm-2');
    await until('m-2 to land', async () => (await p.status()).status.counts.landed === 1);
    await p.run('mode', 'step');
    await until('m-1 to wait', async () => (await p.status()).status.attention.some((line) => line.approval));
    const id = await p.id();
    await p.run('approve', 'm-1');
    await until('the end', async () => (await p.status()).facts?.open === false);
    return { 'autopilot-modes': `ralph:${id}:autopilot`, 'idea-step': `ralph:${id}:idea:m-1` };
  },

  /** Retry, more iterations, rollback before and after landing, cleanup, skip, split, in a run that is held open. */
  async recovery() {
    const config = { errors: { threshold: 50, strategy: 'skip' } };
    const slow = [{ do: [write('s.txt', 's')], signal: 'PROGRESS:50' }, complete('s-1')];
    const p = await project('recovery', {
      config,
      ideas: {
        keep: twoSteps('keep'),
        's-1': { script: () => slow, max_iterations: 1 },
        'b-1': { script: () => [{ do: [write('half.txt', 'half')], signal: 'BLOCKED: no key' }] },
        'l-1': { script: () => [complete('l-1')] },
        'f-1': { script: () => [{ exit: 3 }] },
      },
    });
    await p.run('start', '--detach');
    const state = (idea, wanted) =>
      until(`${idea} ${wanted}`, async () => JSON.parse(await p.run('why', idea, '--json')).status === wanted);
    await state('s-1', 'timeout');
    await state('b-1', 'blocked');
    await state('l-1', 'landed');
    await state('f-1', 'failed');
    await p.run('limit', 's-1', '2');
    await state('s-1', 'landed');
    await p.run('retry', 'f-1', '--reason', 'once more');
    await until('the second failure', async () => {
      const { status, told } = JSON.parse(await p.run('why', 'f-1', '--json'));
      return status === 'failed' && told;
    });
    await p.run('rollback', 'l-1', '--reason', 'wrong idea');
    await until('the undo', async () => JSON.parse(await p.run('why', 'l-1', '--json')).held);
    await p.run('cleanup', 'b-1');
    await until('the cleanup', async () =>
      /removed/.test(JSON.parse(await p.run('why', 'b-1', '--json')).reason ?? ''),
    );
    await p.run('rollback', 'b-1');
    await until('the rollback', async () => (await p.run('logs', '--json')).includes('was rolled back'));
    await state('b-1', 'blocked');
    await p.run('skip', 'f-1');
    await p.run('abandon', 'b-1');
    await p.run('split', 'keep', '--into', 'one', '--into', 'two');
    // Its parts play the same script, because none is written for them: they fail, as intended.
    await until('the end', async () => (await p.status()).facts?.open === false);
    const id = await p.id();
    return { 'autopilot-recovery': `ralph:${id}:autopilot`, 'idea-extended': `ralph:${id}:idea:s-1` };
  },

  async limited() {
    const refused = (scratch) =>
      `[ -e ${join(scratch, 'open')} ] || { echo 'hit your limit, try again in 5 hours' >&2; exit 1; }`;
    const script = (scratch) => [{ do: [{ run: refused(scratch) }, write('l.txt', 'l\n')], signal: 'COMPLETE' }];
    const p = await project('limited', { ideas: { 'l-1': { script }, 'l-2': { script, depends: 'l-1' } } });
    const done = p.run('start', '--json', '--wait');
    done.catch(() => {});
    await until('the standstill', async () => (await p.status()).status.resumesAt);
    await p.touch('open');
    await p.run('limits', 'retry');
    await done;
    const id = await p.id();
    return { 'autopilot-limited': `ralph:${id}:autopilot`, 'idea-limited': `ralph:${id}:idea:l-1` };
  },

  async budget() {
    const p = await project('budget', {
      ideas: {
        'g-1': {
          script: () => [{ do: [write('g-1.txt', 'half\n')], signal: 'PROGRESS:50' }, complete('g-1')],
        },
      },
      config: { budget: { idea: { iterations: 1 }, run: { iterations: 2 } } },
    });
    const done = p.run('start', '--json', '--wait');
    done.catch(() => {});
    await until('the question', async () => (await p.status()).status.attention.some((line) => line.id === 'g-1'));
    await p.run('answer', 'g-1', 'raise');
    await until('the pause', async () => (await p.status()).status.state === 'paused');
    await p.run('budget', 'raise', '+5');
    await done;
    const id = await p.id();
    return { 'autopilot-budget': `ralph:${id}:autopilot`, 'idea-budget': `ralph:${id}:idea:g-1` };
  },

  async warned() {
    const still = { do: [], signal: 'PROGRESS:10' };
    const p = await project('warned', {
      ideas: { 'x-1': { script: (scratch) => [still, still, still, held(scratch, 'x-1', 4, 'COMPLETE')] } },
      config: { warnings: { stuckAfter: 2 } },
    });
    const done = p.run('start', '--json', '--wait');
    done.catch(() => {});
    await p.there('began-x-1-4');
    await until('the warning', async () => (await p.status()).status.warnings?.length > 0);
    await p.run('warn', 'x-1', '+3');
    await until('the answer', async () => (await p.status()).status.warnings === undefined);
    await p.touch('go-x-1-4');
    await done;
    const id = await p.id();
    return { 'autopilot-warned': `ralph:${id}:autopilot`, 'idea-warned': `ralph:${id}:idea:x-1` };
  },

  /** Every rung of the escalation, one after another. */
  async escalated() {
    const still = { do: [], signal: 'PROGRESS:10' };
    const agent = { adapter: 'command', command: [process.execPath, scriptedAgent] };
    const p = await project('escalated', {
      ideas: { 'e-1': { script: () => [still, still, still, still, still, complete('e-1')] } },
      config: {
        agent: 'first',
        fallback: ['second'],
        agents: { first: { ...agent, stronger: { model: 'big' } }, second: agent },
        escalation: { after: 1, every: 1 },
      },
    });
    const done = p.run('start', '--json', '--wait');
    done.catch(() => {});
    await until('the question', async () => (await p.status()).status.attention.some((line) => line.id === 'e-1'));
    await p.run('answer', 'e-1', 'begin with the file');
    await done;
    const id = await p.id();
    return { 'autopilot-escalated': `ralph:${id}:autopilot`, 'idea-escalated': `ralph:${id}:idea:e-1` };
  },

  async continued() {
    const steps = (id) => ({
      script: () =>
        [1, 2, 3, 4, 5, 6, 7, 8].map((n) => ({
          do: [{ append: { path: `${id}.txt`, text: `${n}\n` } }],
          signal: n < 8 ? 'PROGRESS:50' : 'COMPLETE',
        })),
    });
    const ids = ['n-1', 'n-2', 'n-3', 'n-4'];
    const p = await project('continued', { ideas: Object.fromEntries(ids.map((id) => [id, steps(id)])) });
    const workflowId = await startEarlyRollover(p, 24);
    const id = await p.id();
    const client = await connected();
    await p.run('start', '--json', '--wait');
    return {
      'autopilot-continued': await continuedRun(client, workflowId),
      'idea-continued': await continuedRun(client, `ralph:${id}:idea:n-1`),
    };
  },
});

/** The files that a scenario writes must be known before it runs. */
export const KINDS = {
  happy: ['autopilot-happy', 'idea-happy'],
  mixed: [
    'autopilot-mixed',
    ...['conflict', 'gate-red', 'needs-human', 'blocked', 'timeout'].map((kind) => `idea-${kind}`),
  ],
  'pause-resume': ['autopilot-pause-resume', 'idea-pause-resume'],
  stop: ['autopilot-stop', 'idea-stop'],
  'worker-lost': ['autopilot-worker-lost', 'idea-worker-lost'],
  'pause-now': ['autopilot-pause-now', 'idea-pause-now'],
  abort: ['autopilot-abort', 'idea-abort'],
  modes: ['autopilot-modes', 'idea-step'],
  recovery: ['autopilot-recovery', 'idea-extended'],
  limited: ['autopilot-limited', 'idea-limited'],
  budget: ['autopilot-budget', 'idea-budget'],
  warned: ['autopilot-warned', 'idea-warned'],
  escalated: ['autopilot-escalated', 'idea-escalated'],
  continued: ['autopilot-continued', 'idea-continued'],
};
