/** A whole run that delivers to a forge on this machine, with a real bare repository behind it. */
import { dirname, join } from 'node:path';
import { inject } from 'vitest';
import { DONE, Held } from '../held.js';
import { pidsWith } from '../processes.js';
import { until } from '../program.js';
import { type Forge, startForge } from './forge.js';
import { type Pull, withGit } from './pulls.js';
import type { Repo } from './world.js';

export const PATIENT_MS = 120_000;

export interface Place {
  owner: string;
  /** `landing.pr.repo` */
  address: string;
  /** The program of the forge. */
  program: string;
}

export const onGithub = (program: string | undefined): Place => ({
  ...{ owner: 'me', address: 'github.localhost/me/shop' },
  program: program ?? '',
});

export interface Delivering {
  forge: Forge;
  held: Held;
  repo: Repo;
  pulls: Map<number, Pull>;
  bare: string;
  inBare: (...args: string[]) => Promise<string>;
  /** The open pull request of the idea. */
  pullOf: (id: string) => Pull | undefined;
  opened: (id: string) => Promise<Pull>;
  /** Files that its page shows. */
  shows: (pull: Pull) => Promise<string[]>;
  /** Whether `upper` has all commits of `lower`. */
  has: (upper: string, lower: string) => Promise<boolean>;
  killWorker: () => Promise<void>;
  /** Ends the run and the forge. */
  close: () => Promise<void>;
}

export async function delivering(
  place: Place,
  ids: readonly string[],
  landing: Record<string, unknown> = {},
): Promise<Delivering> {
  const forge = await startForge();
  return deliveringTo(forge, place, ids, landing).catch(async (error: unknown) => {
    await forge.close();
    throw error;
  });
}

async function deliveringTo(
  forge: Forge,
  { owner, address, program }: Place,
  ids: readonly string[],
  landing: Record<string, unknown>,
): Promise<Delivering> {
  const pr = { repo: address, pollSeconds: 1, labels: ['ralph'], reviewers: ['ann'] };
  const ideas = ids.map((id) => ({ id, steps: [DONE, DONE, DONE] }));
  const held = await Held.open(inject('stateRoot'), ideas, {
    slots: 2,
    landing: { mode: 'pr', pr, retrySeconds: 1, ...landing },
  });
  const { box } = held;
  const bare = join(dirname(box.repo), 'bare.git');
  await box.git('init', '--quiet', '--bare', '--initial-branch=main', bare);
  await box.git('remote', 'add', 'origin', bare);
  await box.git('push', '--quiet', '--set-upstream', 'origin', 'main');
  const repo = forge.world.repo(owner, 'shop', { me: 'OWNER', ann: 'MEMBER' });
  const { pulls } = withGit(repo, bare);
  const PATH = `${dirname(program)}:${box.env.PATH}`;
  Object.assign(box.env, forge.env('me', box.scratch), { PATH, no_proxy: '127.0.0.1' });
  const inBare = (...args: string[]): Promise<string> => box.git('-C', bare, ...args);
  const pullOf = (id: string): Pull | undefined =>
    [...pulls.values()].find(({ head, state }) => head === `ralph/${id}` && state === 'open');
  return {
    ...{ forge, held, repo, pulls, bare, inBare, pullOf },
    opened: (id) => until(`the pull request of ${id}`, () => Promise.resolve(pullOf(id)), PATIENT_MS),
    shows: async ({ head, base }) => (await inBare('diff', '--name-only', `${base}...${head}`)).split('\n'),
    has: (upper, lower) =>
      inBare('merge-base', '--is-ancestor', lower, upper).then(
        () => true,
        () => false,
      ),
    killWorker: async () => {
      const project = String((await box.run('status', '--json')).json[0]?.project);
      for (const pid of await pidsWith('worker', '--child', '--project', project)) process.kill(pid, 'SIGKILL');
    },
    close: async () => {
      await box.dispose();
      await forge.close();
    },
  };
}
