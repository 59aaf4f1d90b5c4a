/** More runs for record-histories.mjs: plans, commands to single ideas, accounts, failures, adopted runs. */
import { join } from 'node:path';

const write = (path, text) => ({ write: { path, text } });
const append = (path, text) => ({ append: { path, text: `${text}\n` } });
const complete = (id) => ({ do: [write(`${id}.txt`, `${id}\n`)], signal: 'COMPLETE' });
const held = (scratch, id, n, signal) => ({
  do: [
    write(join(scratch, `began-${id}-${n}`), ''),
    { waitFor: { path: join(scratch, `go-${id}-${n}`) } },
    append(`${id}.txt`, n),
  ],
  signal,
});
const steps = (id, ...signals) => ({
  script: (scratch) => signals.map((signal, at) => held(scratch, id, at + 1, signal)),
});

export const toldScenariosOn = ({ project, until, connected }) => {
  const status = async (p) => (await p.status()).status;
  const why = async (p, id) => JSON.parse(await p.run('why', id, '--json'));
  const idea = (p, id, wanted) => until(`${id} ${wanted}`, async () => (await why(p, id)).status === wanted);
  const closed = (p) => until('the end', async () => (await p.status()).facts?.open === false);
  const asks = (p, id) =>
    until(`${id} asks`, async () => (await status(p))?.attention.some((line) => line.id === id && line.reason));
  const ids = async (p, name, ...ideas) => {
    const id = await p.id();
    return {
      [`autopilot-${name}`]: `ralph:${id}:autopilot`,
      ...Object.fromEntries(ideas.map(([kind, of]) => [kind, `ralph:${id}:idea:${of}`])),
    };
  };

  return {
    /** One finished step, one that a person skips, an optional one that does not finish, and a last one. */
    async planned() {
      const plan = {
        phases: [
          { name: 'Model', steps: ['Make the model', 'Polish the model'] },
          {
            name: 'Wiring',
            steps: [
              { text: 'Try a shortcut', optional: true, maxIterations: 1 },
              { id: 'wire', text: 'Wire it' },
            ],
          },
        ],
      };
      const p = await project('planned', {
        ideas: {
          'p-1': {
            script: (scratch) => [
              { do: [append('p-1.txt', 'model')], signal: 'COMPLETE' },
              held(scratch, 'p-1', 2, 'PROGRESS:20'),
              { do: [append('p-1.txt', 'short')], signal: 'PROGRESS:10' },
              complete('p-1'),
            ],
          },
        },
        files: { 'ideas.json': JSON.stringify({ version: 1, ideas: [{ id: 'p-1', text: 'Build it', plan }] }) },
      });
      const done = p.run('start', 'ideas.json', '--json', '--wait');
      done.catch(() => {});
      await p.there('began-p-1-2');
      await p.run('skip', 'p-1', '--step', '--reason', 'good enough');
      await p.touch('go-p-1-2');
      await done;
      return ids(p, 'planned', ['idea-planned', 'p-1']);
    },

    /** A green gate with a removed test; a person approves it. */
    async approved() {
      const p = await project('approved', {
        ideas: {
          't-1': { script: () => [{ do: [{ run: 'rm t-1.test.js' }, write('t.txt', 't')], signal: 'COMPLETE' }] },
        },
        files: { 't-1.test.js': "test('a', () => {});\n" },
      });
      await p.run('start', '--detach');
      await asks(p, 't-1');
      await p.run('approve', 't-1', '--reason', 'it was about nothing');
      await closed(p);
      return ids(p, 'approved', ['idea-approved', 't-1']);
    },

    /** The first agent is at a limit: the second one takes over, and the first returns after a person's retry. */
    async fallback() {
      const refused = (scratch) =>
        `[ "$RALPHCTL_AGENT" = second ] || [ -e ${join(scratch, 'open')} ] || { echo 'hit your limit, try again in 5 hours' >&2; exit 1; }`;
      const p = await project('fallback', {
        ideas: {
          'f-1': {
            script: (scratch) =>
              ['PROGRESS:50', 'COMPLETE'].map((signal, at) => {
                const { do: todo } = held(scratch, 'f-1', at + 1, signal);
                return { do: [{ run: refused(scratch) }, ...todo], signal };
              }),
          },
        },
        config: {
          agent: 'first',
          fallback: ['second'],
          agents: {
            first: { adapter: 'scripted', env: { FIRST_API_KEY: 'one' } },
            second: { adapter: 'scripted', env: { SECOND_API_KEY: 'two' } },
          },
        },
      });
      const done = p.run('start', '--json', '--wait');
      done.catch(() => {});
      await p.there('began-f-1-1');
      await p.touch('open');
      await p.run('limits', 'retry');
      await p.touch('go-f-1-1');
      await p.touch('go-f-1-2');
      await done;
      return ids(p, 'fallback', ['idea-fallback', 'f-1']);
    },

    /** An agent without a login: its account is closed until a person fixes it. */
    async closed() {
      const refused = (scratch) => ({
        run: `[ -e ${join(scratch, 'login')} ] || { echo 'Invalid API key · Please run /login' >&2; exit 1; }`,
      });
      const p = await project('closed', {
        ideas: { 'a-1': { script: (s) => [{ do: [refused(s), write('a.txt', 'a')], signal: 'COMPLETE' }] } },
        config: { agent: 'first', agents: { first: { adapter: 'scripted', env: { FIRST_API_KEY: 'secret' } } } },
      });
      const done = p.run('start', '--json', '--wait');
      done.catch(() => {});
      await until('the standstill', async () => (await status(p))?.accounts?.length > 0);
      await p.touch('login');
      await p.run('limits', 'retry');
      await done;
      return ids(p, 'closed', ['idea-closed', 'a-1']);
    },

    /** Commands to single ideas in an open run, and to the run. */
    async told() {
      const p = await project('told', {
        ideas: {
          'e-1': steps('e-1', 'PROGRESS:30', 'PROGRESS:60', 'COMPLETE'),
          'e-2': steps('e-2', 'PROGRESS:50', 'COMPLETE'),
          'e-3': { script: () => [complete('e-3')] },
          'e-4': { script: () => [complete('e-4')] },
        },
      });
      await p.run('start', '--detach');
      await p.there('began-e-1-1');
      await p.there('began-e-2-1');
      await p.run('bump', 'e-4', '--reason', 'the customer waits');
      await p.run('score', 'e-3', '5');
      await p.run('hint', 'e-1', 'mind the gap');
      await p.run('edit', 'e-1', '--title', 'Do e-1 well', '--max-iterations', '7');
      await p.run('limit', 'e-1', '2');
      await p.run('pause', 'e-1');
      await p.touch('go-e-1-1');
      await idea(p, 'e-1', 'paused');
      await p.run('slots', '3', '--reason', 'more room');
      await idea(p, 'e-4', 'landed');
      await p.run('resume', 'e-1');
      await p.there('began-e-1-2');
      await p.run('pause', '--now', 'e-1');
      await idea(p, 'e-1', 'paused');
      await p.run('resume', 'e-1');
      await p.touch('go-e-1-2');
      await p.touch('go-e-1-3');
      await idea(p, 'e-1', 'landed');
      await p.run('stop', 'e-2', '--reason', 'not today');
      await p.touch('go-e-2-1');
      await until('e-2 held', async () => (await why(p, 'e-2')).held);
      await p.run('hint', 'e-2', 'begin at the end');
      await p.touch('go-e-2-2');
      await p.run('resume', 'e-2');
      await closed(p);
      return ids(p, 'told', ['idea-told', 'e-1'], ['idea-restarted', 'e-2']);
    },

    /** Failed runs are retried after a delay; then the idea has failed, and a person starts it over. */
    async retried() {
      const broken = (scratch, file) => ({
        run: `[ -e ${join(scratch, file)} ] || { echo 'this did not work'; touch ${join(scratch, file)}; exit 3; }`,
      });
      const p = await project('retried', {
        ideas: {
          'r-1': { script: (s) => [{ do: [broken(s, 'once'), write('r-1.txt', 'r')], signal: 'COMPLETE' }] },
          'r-2': {
            script: (s) => [
              {
                do: [write('half.txt', 'half'), { run: `[ -e ${join(s, 'mended')} ] || { echo no; exit 3; }` }],
                signal: 'COMPLETE',
              },
            ],
          },
          keep: steps('keep', 'COMPLETE'),
        },
        config: { slots: 3, errors: { threshold: 50, strategy: 'retry', maxRetries: 1, retryBaseMs: 200 } },
      });
      await p.run('start', '--detach');
      await idea(p, 'r-1', 'landed');
      await idea(p, 'r-2', 'failed');
      await p.touch('mended');
      await p.run('retry', 'r-2', '--fresh', '--reason', 'the tool is mended');
      await idea(p, 'r-2', 'landed');
      await p.touch('go-keep-1');
      await closed(p);
      return ids(p, 'retried', ['idea-retried', 'r-1'], ['idea-fresh', 'r-2']);
    },

    /** Two questions. The second one gets two answers while no worker runs: the idea takes the first one. */
    async answered() {
      const asking = (question) => ({ do: [append('q-1.txt', question)], signal: `NEEDS_HUMAN: ${question}` });
      const p = await project('answered', {
        ideas: { 'q-1': { script: () => [asking('which colour?'), asking('which port?'), complete('q-1')] } },
      });
      await p.run('start', '--detach');
      const question = (text) =>
        until(text, async () => (await status(p))?.attention.some(({ reason }) => reason?.includes(text)));
      await question('which colour?');
      await p.run('answer', 'q-1', 'red');
      await question('which port?');
      await p.run('worker', '--stop');
      await p.run('answer', 'q-1', '8080');
      await p.run('answer', 'q-1', '9090');
      await p.run('start', '--json', '--wait');
      return ids(p, 'answered', ['idea-answered', 'q-1']);
    },

    /** Texts that say nothing: as signals to the idea and to the run they are refused. */
    async 'empty-texts'() {
      const script = () => [{ signal: 'NEEDS_HUMAN: which colour?' }, complete('n-1')];
      const p = await project('empty-texts', { ideas: { 'n-1': { script } } });
      await p.run('start', '--detach');
      await until('the question', async () => (await status(p))?.attention.some(({ id }) => id === 'n-1'));
      const { workflow } = await connected();
      const id = await p.id();
      const idea = workflow.getHandle(`ralph:${id}:idea:n-1`);
      await idea.signal('answer', '\u001b[0m');
      await idea.signal('hint', '\u200b');
      await workflow.getHandle(`ralph:${id}:autopilot`).signal('answer', { idea: 'n-1', text: '\u0007' });
      const refused = async () => (await p.run('events')).split('\n').filter((line) => /"kind":"refused"/.test(line));
      await until('the refusals', async () => (await refused()).length === 3);
      await p.run('answer', 'n-1', 'red');
      await closed(p);
      return ids(p, 'empty-texts', ['idea-empty-texts', 'n-1']);
    },

    /** Too many failures in a row pause the run; it resumes after a review. */
    async review() {
      const fails = { script: () => [{ do: [{ say: 'no' }], exit: 3 }] };
      const p = await project('review', {
        ideas: {
          'x-1': fails,
          'x-2': fails,
          'x-3': { script: () => [complete('x-3')], depends: 'x-4' },
          'x-4': { script: () => [complete('x-4')] },
        },
        config: { slots: 1, errors: { threshold: 2, strategy: 'skip' } },
      });
      await p.run('start', '--detach');
      await until('the review', async () => (await status(p))?.review);
      await until('the pause', async () => (await status(p)).state === 'paused');
      await p.run('review', '--reason', 'seen');
      await closed(p);
      return ids(p, 'review', ['idea-failed', 'x-1']);
    },

    /** Each is green on its own, together they are red: the agent of the second one fixes it. */
    async 'landing-red'() {
      const meet = (scratch, me, other) => ({
        do: [write(join(scratch, me), ''), { waitFor: { path: join(scratch, other) } }, write(`${me}.part`, me)],
        signal: 'COMPLETE',
      });
      const mend = (me) => ({
        do: [{ run: `git rm -q --force ${me}.part` }, write(`${me}.txt`, me)],
        signal: 'COMPLETE',
      });
      const p = await project('landing-red', {
        ideas: {
          'c-1': { script: (s) => [meet(s, 'c-1', 'c-2'), mend('c-1')] },
          'c-2': { script: (s) => [meet(s, 'c-2', 'c-1'), mend('c-2')] },
        },
        config: { gate: ['test "$(ls *.part 2>/dev/null | wc -l)" -lt 2'] },
      });
      await p.run('start', '--json', '--wait');
      const second = (await p.run('logs', '--json'))
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
        .find((event) => event.kind === 'bounced');
      return ids(p, 'landing-red', ['idea-landing-red', second.idea]);
    },

    /** An idea that runs once (ralph: false), and one whose gate was red before it began. */
    async single() {
      const p = await project('single', {
        ideas: {
          'o-1': { script: () => [{ do: [write('o-1.txt', 'once')] }], ralph: false },
          'o-2': { script: () => [{ do: [write('o-2.txt', 'more')], signal: 'COMPLETE' }] },
        },
        config: { gate: ['test ! -e broken.txt || grep -q fine broken.txt'] },
        files: { 'broken.txt': 'broken\n' },
      });
      await p.run('start', '--detach');
      await asks(p, 'o-2');
      await until('o-1 to be over', async () => !['pending', 'running'].includes((await why(p, 'o-1')).status));
      await p.run('skip', 'o-2', '--reason', 'the gate is broken');
      if ((await why(p, 'o-1')).status === 'needs-human') await p.run('skip', 'o-1');
      await closed(p);
      return ids(p, 'single', ['idea-single', 'o-1'], ['idea-already-red', 'o-2']);
    },

    /** Commands while no worker runs; the attempt of the lost worker is returned and continues. */
    async 'no-worker'() {
      const p = await project('no-worker', {
        ideas: { 'w-1': steps('w-1', 'PROGRESS:50', 'COMPLETE'), 'w-2': steps('w-2', 'COMPLETE') },
        config: { slots: 1 },
      });
      await p.run('start', '--detach');
      await p.there('began-w-1-1');
      await p.run('worker', '--stop');
      await p.run('hint', 'w-1', 'from afar');
      await p.run('skip', 'w-2', '--reason', 'not needed');
      await p.run('pause');
      await p.run('resume');
      await p.touch('go-w-1-1');
      await p.touch('go-w-1-2');
      await p.run('start', '--json', '--wait');
      return ids(p, 'no-worker', ['idea-handed-back', 'w-1']);
    },

    /** More slots than ideas start at once. */
    async wide() {
      const ideas = Array.from({ length: 14 }, (_, at) => `v-${at + 1}`);
      const p = await project('wide', {
        ideas: Object.fromEntries(ideas.map((id) => [id, { script: () => [complete(id)] }])),
        config: { slots: 14 },
      });
      await p.run('start', '--json', '--wait');
      return ids(p, 'wide');
    },

    /** The autopilot is gone while an idea is open: the next run adopts the idea. */
    async adopted() {
      const p = await project('adopted', { ideas: { 'd-1': steps('d-1', 'PROGRESS:50', 'COMPLETE') } });
      await p.run('start', '--detach');
      await p.there('began-d-1-1');
      const client = await connected();
      await client.workflow.getHandle(`ralph:${await p.id()}:autopilot`).terminate('taken away');
      await p.run('start', '--detach');
      await until('the idea to be taken over', async () => (await status(p))?.counts.running === 1);
      await p.touch('go-d-1-1');
      await p.touch('go-d-1-2');
      await closed(p);
      return ids(p, 'adopted', ['idea-adopted', 'd-1']);
    },
  };
};

export const TOLD_KINDS = {
  planned: ['autopilot-planned', 'idea-planned'],
  approved: ['autopilot-approved', 'idea-approved'],
  fallback: ['autopilot-fallback', 'idea-fallback'],
  closed: ['autopilot-closed', 'idea-closed'],
  told: ['autopilot-told', 'idea-told', 'idea-restarted'],
  answered: ['autopilot-answered', 'idea-answered'],
  'empty-texts': ['autopilot-empty-texts', 'idea-empty-texts'],
  retried: ['autopilot-retried', 'idea-retried', 'idea-fresh'],
  review: ['autopilot-review', 'idea-failed'],
  'landing-red': ['autopilot-landing-red', 'idea-landing-red'],
  single: ['autopilot-single', 'idea-single', 'idea-already-red'],
  'no-worker': ['autopilot-no-worker', 'idea-handed-back'],
  adopted: ['autopilot-adopted', 'idea-adopted'],
  wide: ['autopilot-wide'],
};
