/** Runs that record-histories.mjs records of `landing.mode`: what lands goes to a remote, or to a pull request. */
import { chmod, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const works = (id) => [{ do: [{ append: { path: `${id}.txt`, text: 'one\n' } }], signal: 'COMPLETE' }];

export const deliveryScenariosOn = ({ project, until, bundled, env }) => ({
  /** The remote rejects a push, then takes it; the run waits for that. */
  async pushed() {
    const ideas = { 'v-1': { script: () => works('v-1') }, 'v-2': { script: () => works('v-2'), depends: 'v-1' } };
    const p = await project('pushed', { ideas, config: { landing: { mode: 'push', retrySeconds: 1 } } });
    const bare = `${p.repo}.git`;
    await p.git('init', '-q', '--bare', '-b', 'main', bare);
    await p.git('remote', 'add', 'origin', bare);
    await p.git('push', '-q', 'origin', 'main');
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

  /** Two pull requests: one has red checks first and is merged then, the other is closed. */
  async reviewed() {
    const files = ['forge', 'pulls', 'programs'].map((name) => `test/support/forge/${name}.ts`);
    const { startForge, check, closePull, mergePull, withGit, ghProgram } = await bundled(...files);
    const { path: gh, missing } = await ghProgram();
    if (!gh) throw new Error(missing);
    const forge = await startForge();
    const ideas = {
      'w-1': { script: () => [...works('w-1'), ...works('w-1')] },
      'w-2': { script: () => works('w-2') },
    };
    const pr = { repo: 'github.localhost/me/shop', pollSeconds: 1 };
    const p = await project('reviewed', { ideas, config: { landing: { mode: 'pr', pr } } });
    const bare = `${p.repo}.git`;
    await p.git('init', '-q', '--bare', '-b', 'main', bare);
    await p.git('remote', 'add', 'origin', bare);
    await p.git('push', '-q', 'origin', 'main');
    Object.assign(env, forge.env('me', p.scratch), { PATH: `${dirname(gh)}:${env.PATH}`, no_proxy: '127.0.0.1' });
    const repo = forge.world.repo('me', 'shop', { me: 'OWNER' });
    const { pulls } = withGit(repo, bare);
    const numberOf = (idea) =>
      until(
        `the pull request of ${idea}`,
        async () => [...pulls.values()].find(({ head, state }) => head === `ralph/${idea}` && state === 'open')?.number,
      );
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
});

export const DELIVERY_KINDS = {
  pushed: ['autopilot-pushed'],
  reviewed: ['autopilot-reviewed', 'idea-reviewed'],
};
