/** Runs that record-histories.mjs records of `landing.mode`: what lands goes to a remote, or to a pull request. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const works = (id) => [{ do: [{ append: { path: `${id}.txt`, text: 'one\n' } }], signal: 'COMPLETE' }];

const FORGE_FILES = ['forge', 'pulls', 'programs'].map((name) => `test/support/forge/${name}.ts`);

async function plainRemote(p) {
  const bare = `${p.repo}.git`;
  await p.git('init', '-q', '--bare', '-b', 'main', bare);
  await p.git('remote', 'add', 'origin', bare);
  await p.git('push', '-q', 'origin', 'main');
  return bare;
}

/** A remote whose hook waits. */
async function hangingRemote(p) {
  const bare = await plainRemote(p);
  const [asked, free] = ['asked', 'free'].map((name) => join(p.scratch, name));
  const hook = join(bare, 'hooks', 'pre-receive');
  await writeFile(hook, `#!/bin/sh\ntouch '${asked}'; until [ -e '${free}' ]; do sleep 0.1; done\n`);
  await chmod(hook, 0o755);
  return { hangs: async () => existsSync(asked), goOn: () => writeFile(free, '') };
}

export const deliveryScenariosOn = ({
  project,
  until,
  bundled,
  env,
  connected,
  workerOf,
  gone,
  read,
  startEarlyRollover,
}) => ({
  /** The remote rejects a push, then takes it; the run waits for that. */
  async pushed() {
    const ideas = { 'v-1': { script: () => works('v-1') }, 'v-2': { script: () => works('v-2'), depends: 'v-1' } };
    const p = await project('pushed', { ideas, config: { landing: { mode: 'push', retrySeconds: 1 } } });
    const bare = await plainRemote(p);
    const hook = join(bare, 'hooks', 'pre-receive');
    await writeFile(hook, '#!/bin/sh\necho "not now" >&2\nexit 1\n');
    await chmod(hook, 0o755);
    await p.run('start', '--detach');
    await until('a rejected push', async () => (await p.run('logs', '--json')).includes('"state":"held"'));
    await rm(hook);
    await until('the end', async () => (await p.status()).facts?.open === false);
    const id = await p.id();
    return { 'autopilot-pushed': `ralph:${id}:autopilot` };
  },

  /** The last push of a stopped run hangs, and an abort ends it. */
  async 'push-cut'() {
    const ideas = { 'x-1': { script: () => works('x-1') } };
    const p = await project('push-cut', { ideas, config: { landing: { mode: 'push' } } });
    const { hangs } = await hangingRemote(p);
    await p.run('start', '--detach');
    await until('the push', hangs);
    await p.run('stop');
    const id = await p.id();
    const workflowId = `ralph:${id}:autopilot`;
    const handle = (await connected()).workflow.getHandle(workflowId);
    const has = async (part) => (await handle.fetchHistory()).events.some((event) => event[part]);
    await until('the last chance', () => has('timerStartedEventAttributes'));
    await p.run('abort');
    await until('the end', async () => (await p.status()).facts?.open === false);
    return { 'autopilot-push-cut': workflowId };
  },

  /** A run that wants to continue as new while a push hangs starts and lands its ideas all the same. */
  async 'push-rollover'() {
    const ideas = Object.fromEntries(['y-1', 'y-2', 'y-3'].map((id) => [id, { script: () => works(id) }]));
    const p = await project('push-rollover', { ideas, config: { slots: 1, landing: { mode: 'push' } } });
    const { hangs, goOn } = await hangingRemote(p);
    const workflowId = await startEarlyRollover(p, 12);
    await p.run('start', '--detach');
    await until('the push', hangs);
    const landed = () => p.git('log', '--format=%B', 'main');
    await until('all to land', async () => (await landed()).split('Ralph-Idea:').length === 4);
    const handle = (await connected()).workflow.getHandle(workflowId);
    const { runId } = (await handle.describe()) ?? {};
    await goOn();
    await until('the end', async () => (await p.status()).facts?.open === false);
    return { 'autopilot-push-rollover': { workflowId, runId } };
  },

  /** A landing waits for a limit of the forge, and its next try takes long. */
  async 'forge-slow'() {
    const ideas = {
      'u-1': {
        script: (s) => [{ ...works('u-1')[0], do: [{ waitFor: { path: join(s, 'go') } }, ...works('u-1')[0].do] }],
      },
    };
    const p = await project('forge-slow', { ideas, config: { landing: { mode: 'pr', pr: PR } } });
    const { forge, pulls, mergePull } = await onForge(p, { bundled, env, until });
    try {
      await p.run('start', '--detach');
      forge.trouble.limitedForMs = 1000;
      await p.touch('go');
      await until('the limit', async () => forge.trouble.limitedUntil !== undefined);
      forge.trouble.slowMs = 1500;
      await until('the pull request', async () => pulls.size > 0);
      forge.calm();
      mergePull(repo, [...pulls.keys()][0], 'me');
      await until('the end', async () => (await p.status()).facts?.open === false);
    } finally {
      await forge.close();
    }
    return { 'autopilot-forge-slow': `ralph:${await p.id()}:autopilot` };
  },

  /** Two pull requests: one has red checks first and is merged then, the other is closed. */
  async reviewed() {
    const ideas = {
      'w-1': { script: () => [...works('w-1'), ...works('w-1')] },
      'w-2': { script: () => works('w-2') },
    };
    const p = await project('reviewed', { ideas, config: { landing: { mode: 'pr', pr: PR } } });
    const { forge, repo, numberOf, check, closePull, mergePull } = await onForge(p, { bundled, env, until });
    try {
      await p.run('start', '--detach');
      const first = await numberOf('w-1');
      check(repo, 7, 'ralph/w-1', 'failure', 'Error: 3 is not 4');
      closePull(repo, await numberOf('w-2'), 'me');
      const told = async (part) => (await p.run('logs', '--json')).split('\n').filter((line) => line.includes(part));
      await until('red checks', async () => (await told('"state":"checks"')).length > 0);
      await until('another review', async () => (await told('"state":"open"')).length > 2);
      mergePull(repo, first, 'me');
      await until('the end', async () => (await p.status()).facts?.open === false);
    } finally {
      await forge.close();
    }
    const id = await p.id();
    return { 'autopilot-reviewed': `ralph:${id}:autopilot`, 'idea-reviewed': `ralph:${id}:idea:w-1` };
  },

  /** Two pull requests on top of each other: the lower one is squashed, and the upper one moves onto the target. */
  async stacked() {
    const ideas = { 'f-1': { script: () => works('f-1') }, 'f-2': { script: () => works('f-2'), depends: 'f-1' } };
    const p = await project('stacked', { ideas, config: { landing: { mode: 'pr', stack: true, pr: PR } } });
    const { forge, repo, pulls, numberOf, mergePull } = await onForge(p, { bundled, env, until });
    try {
      await p.run('start', '--detach');
      const upper = await numberOf('f-2');
      mergePull(repo, await numberOf('f-1'), 'me', { how: 'squash' });
      await until('the target below it', async () => pulls.get(upper).base === 'main');
      mergePull(repo, upper, 'me');
      await until('the end', async () => (await p.status()).facts?.open === false);
    } finally {
      await forge.close();
    }
    const id = await p.id();
    return { 'autopilot-stacked': `ralph:${id}:autopilot`, 'idea-stacked': `ralph:${id}:idea:f-2` };
  },

  /**
   * No worker runs, and an idea in review gets a question of its run and the answer to it: both come in one task. The
   * messages are those of the run, which a worker would send one task apart.
   */
  async 'asked-late'() {
    const ideas = { 'l-1': { script: () => works('l-1') } };
    const p = await project('asked-late', { ideas, config: { landing: { mode: 'pr', pr: PR } } });
    const { forge, numberOf } = await onForge(p, { bundled, env, until });
    try {
      await p.run('start', '--detach');
      await numberOf('l-1');
      const told = async (part) => (await p.run('logs', '--json')).split('\n').filter((line) => line.includes(part));
      await until('the review', async () => (await told('"state":"open"')).length > 0);
      const id = await p.id();
      const workflowId = `ralph:${id}:idea:l-1`;
      const worker = await workerOf(id);
      const supervisor = Number(/^PPid:\s*(\d+)$/m.exec(await read(`/proc/${worker}/status`))?.[1]);
      for (const pid of [supervisor, worker]) {
        process.kill(pid, 'SIGKILL');
        await gone(pid);
      }
      const handle = (await connected()).workflow.getHandle(workflowId);
      await handle.signal('verdict', { kind: 'ask', question: 'Go on without the one below?' });
      await handle.signal('answer', 'Go on without it.', { id: 'an-answer', by: 'cli', who: 'tester' });
      await p.run('start', '--detach');
      await until('the answer to be taken', async () => {
        const { events } = await handle.fetchHistory();
        return events.some(
          (event) => event.signalExternalWorkflowExecutionInitiatedEventAttributes?.signalName === 'answerTaken',
        );
      });
      await p.run('abort');
      await until('the end', async () => (await p.status()).facts?.open === false);
      return { 'idea-asked-late': workflowId };
    } finally {
      await forge.close();
    }
  },

  /** The one below is closed, and the forge cannot be asked about the upper one: the question waits until it can. */
  async unreached() {
    const ideas = { 'r-1': { script: () => works('r-1') }, 'r-2': { script: () => works('r-2'), depends: 'r-1' } };
    const p = await project('unreached', { ideas, config: { landing: { mode: 'pr', stack: true, pr: PR } } });
    const { forge, repo, pulls, numberOf, closePull, mergePull } = await onForge(p, { bundled, env, until });
    try {
      await p.run('start', '--detach');
      const upper = await numberOf('r-2');
      const told = async (part) => (await p.run('logs', '--json')).split('\n').filter((line) => line.includes(part));
      await until('both in review', async () => (await told('"state":"open"')).length > 1);
      let lost = 0;
      forge.trouble.lose = ({ path }) => {
        const hit = path.endsWith(`/pulls/${upper}`);
        if (hit) lost += 1;
        return hit;
      };
      closePull(repo, await numberOf('r-1'), 'me');
      await until('the end of the lower one', async () => (await told('"state":"closed"')).length > 0);
      const before = lost;
      const asks = async () => (await p.status()).status.attention.some(({ id }) => id === 'r-2');
      await until('looks at the upper one', async () => lost > before + 1 || (await asks()));
      forge.calm();
      await until('the question', asks);
      await p.run('answer', 'r-2', 'Go on without it.');
      await until('the target below it', async () => pulls.get(upper).base === 'main');
      mergePull(repo, upper, 'me');
      await until('the end', async () => (await p.status()).facts?.open === false);
    } finally {
      await forge.close();
    }
    return { 'autopilot-unreached': `ralph:${await p.id()}:autopilot` };
  },

  /** Merged, and somebody sets the branch of the remote back: a person is asked. */
  async 'merged-lost'() {
    const ideas = { 'm-1': { script: () => works('m-1') } };
    const p = await project('merged-lost', { ideas, config: { landing: { mode: 'pr', pr: PR } } });
    const { forge, repo, numberOf, mergePull } = await onForge(p, { bundled, env, until });
    const before = (await p.git('rev-parse', 'main')).trim();
    try {
      await p.run('start', '--detach');
      mergePull(repo, await numberOf('m-1'), 'me');
      execFileSync('git', ['-C', `${p.repo}.git`, 'update-ref', 'refs/heads/main', before]);
      const asks = async () => (await p.status()).status.attention.some(({ id }) => id === 'm-1');
      await until('the question', asks);
      await p.run('skip', 'm-1');
      await until('the end', async () => (await p.status()).facts?.open === false);
    } finally {
      await forge.close();
    }
    return { 'autopilot-merged-lost': `ralph:${await p.id()}:autopilot` };
  },

  /** An idea with a plan is in review, and somebody closes its pull request. */
  async 'plan-closed'() {
    const plan = { phases: [{ name: 'Model', steps: ['Make the model'] }] };
    const p = await project('plan-closed', {
      ideas: { 'p-1': { script: () => works('p-1') } },
      config: { landing: { mode: 'pr', pr: PR } },
      files: { 'ideas.json': JSON.stringify({ version: 1, ideas: [{ id: 'p-1', text: 'Build it', plan }] }) },
    });
    const { forge, repo, numberOf, closePull } = await onForge(p, { bundled, env, until });
    try {
      await p.run('start', 'ideas.json', '--detach');
      closePull(repo, await numberOf('p-1'), 'me');
      await until('the end', async () => (await p.status()).facts?.open === false);
    } finally {
      await forge.close();
    }
    const id = await p.id();
    return { 'idea-plan-closed': `ralph:${id}:idea:p-1` };
  },
});

export const PR = { repo: 'github.localhost/me/shop', pollSeconds: 1 };

/** A forge on this machine, with the repository of the project. */
export async function onForge(p, { bundled, env, until }) {
  const { startForge, withGit, ghProgram, ...acts } = await bundled(...FORGE_FILES);
  const { path: gh, missing } = await ghProgram();
  if (!gh) throw new Error(missing);
  const forge = await startForge();
  const bare = await plainRemote(p);
  Object.assign(env, forge.env('me', p.scratch), { PATH: `${dirname(gh)}:${env.PATH}`, no_proxy: '127.0.0.1' });
  const repo = forge.world.repo('me', 'shop', { me: 'OWNER' });
  const { pulls } = withGit(repo, bare);
  const numberOf = (idea) =>
    until(
      `the pull request of ${idea}`,
      async () => [...pulls.values()].find(({ head, state }) => head === `ralph/${idea}` && state === 'open')?.number,
    );
  return { ...acts, forge, repo, pulls, numberOf };
}

export const DELIVERY_KINDS = {
  pushed: ['autopilot-pushed'],
  'push-cut': ['autopilot-push-cut'],
  'push-rollover': ['autopilot-push-rollover'],
  'forge-slow': ['autopilot-forge-slow'],
  reviewed: ['autopilot-reviewed', 'idea-reviewed'],
  'plan-closed': ['idea-plan-closed'],
  stacked: ['autopilot-stacked', 'idea-stacked'],
  'asked-late': ['idea-asked-late'],
  unreached: ['autopilot-unreached'],
  'merged-lost': ['autopilot-merged-lost'],
};
