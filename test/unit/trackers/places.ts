/** Every tracker with one place of its own, for the conformance suite: how to fill it, and what a reader sees there. */
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type TrackerConfig, tracker as trackerSchema } from '../../../src/config/schema/tracker.js';
import { journalOf } from '../../../src/trackers/jsonl.js';
import { openTracker } from '../../../src/trackers/open.js';
import type { Tracker } from '../../../src/trackers/tracker.js';
import { FORGE_HOST, GITLAB_TEST_HOST, startForge } from '../../support/forge/forge.js';
import { GLAB_STAND_IN, ghProgram, glabProgram, leftOut } from '../../support/forge/programs.js';
import type { Repo } from '../../support/forge/world.js';

export interface Seen {
  open: boolean;
  /** Texts that a reader sees, the oldest first. */
  comments: string[];
  /** Whether it shows that somebody works on it. */
  taken: boolean;
}

export interface Given {
  ref: string;
  title: string;
  body?: string;
  labels?: string[];
  author?: string;
  /** Its title. */
  milestone?: string;
  state?: 'open' | 'closed';
}

export interface TestPlace {
  put(items: readonly Given[]): Promise<void>;
  /** As this person or machine. */
  open(write: unknown, more?: Record<string, unknown>, login?: string): Tracker;
  seen(ref: string): Promise<Seen>;
  /** What a reader sees at once changes only so often: requests that write. */
  dispose(): Promise<void>;
}

export interface Kind {
  name: string;
  /** Why it cannot run here. */
  leftOut: string;
  make(): Promise<TestPlace>;
}

const configOf = (given: Record<string, unknown>): TrackerConfig => trackerSchema.parse(given);
const EXAMPLE = fileURLToPath(new URL('../../../examples/trackers/notes/tracker.mjs', import.meta.url));

const scratch = (): Promise<string> => mkdtemp(join(tmpdir(), 'ralphctl-trackers-'));

const [gh, glab] = await Promise.all([ghProgram(), glabProgram()]);

/** Its number; a new one where there is none. */
function milestoneOf({ milestones }: Repo, title: string): number {
  const found = milestones.find((one) => one.title === title);
  const number = found?.number ?? milestones.length + 1;
  if (!found) milestones.push({ number, title, state: 'open' });
  return number;
}

/** `program`: the folder with the command line of the forge. */
const forgeKind =
  (tracker: 'github' | 'gitlab', host: string, program: (dir: string) => Promise<string>) => async () => {
    const [forge, dir] = await Promise.all([startForge(), scratch()]);
    const repo = forge.world.repo('acme', 'shop', { acme: 'OWNER', bot: 'COLLABORATOR', other: 'COLLABORATOR' });
    const folder = await program(dir);
    await forge.glabSettings(dir);
    return {
      async put(items: readonly Given[]) {
        for (const { ref, author = 'acme', milestone, ...given } of items)
          forge.world.issue(repo, {
            ...{ number: Number(ref), login: author, ...given },
            ...(milestone === undefined ? {} : { milestone: milestoneOf(repo, milestone) }),
          });
      },
      open: (write: unknown, more: Record<string, unknown> = {}, login = 'bot') =>
        openTracker(configOf({ tracker, repository: `${host}/acme/shop`, write, ...more }), {
          env: { ...forge.env(login, dir), PATH: `${folder}:${process.env.PATH}` },
          ...{ cwd: dir, timeoutMs: 30_000 },
        }),
      async seen(ref: string) {
        const issue = repo.issues.get(Number(ref));
        return {
          open: issue?.state === 'open',
          comments: (issue?.comments ?? []).map(({ body }) => body),
          taken: [...(issue?.assignees ?? []), ...(issue?.labels.filter((one) => one === 'ralphctl') ?? [])].length > 0,
        };
      },
      async dispose() {
        await forge.close();
        await rm(dir, { recursive: true, force: true });
      },
    };
  };

const github: Kind = {
  name: 'github',
  leftOut: leftOut(gh),
  make: forgeKind('github', FORGE_HOST, () => Promise.resolve(dirname(gh.path ?? ''))),
};

const gitlab: Kind = {
  name: 'gitlab, with a stand-in for glab',
  leftOut: '',
  make: forgeKind('gitlab', GITLAB_TEST_HOST, async (dir) => {
    await symlink(GLAB_STAND_IN, join(dir, 'glab'));
    return dir;
  }),
};

const realGitlab: Kind = {
  name: 'gitlab, with the real glab',
  leftOut: leftOut(glab),
  make: forgeKind('gitlab', GITLAB_TEST_HOST, () => Promise.resolve(dirname(glab.path ?? ''))),
};

const jsonl: Kind = {
  name: 'jsonl',
  leftOut: '',
  async make() {
    const dir = await scratch();
    const file = join(dir, 'reports.jsonl');
    return {
      async put(items) {
        const lines = items.map(({ ref, ...given }) => JSON.stringify({ id: ref, ...given }));
        await writeFile(file, `${lines.join('\n')}\n`);
      },
      open: (write, more = {}) =>
        openTracker(configOf({ tracker: 'jsonl', file: 'reports.jsonl', write, ...more }), {
          ...{ env: {}, cwd: dir, timeoutMs: 10_000 },
        }),
      async seen(ref) {
        const text = await readFile(journalOf(file), 'utf8').catch(() => '');
        const lines = text.split('\n').flatMap((line) => {
          if (line === '') return [];
          const one = JSON.parse(line) as { ref: string; owner: string; run: string; state: string; text: string };
          return one.ref === ref ? [one] : [];
        });
        const last = new Map(lines.map((one) => [`${one.owner} ${one.run}`, one]));
        // A claim is an owner's, whichever of its runs took it.
        const now = new Map(lines.map((one) => [one.owner, one]));
        const ends = lines.filter(({ state }) => state === 'done' || state === 'released');
        return {
          open: ends.at(-1)?.state !== 'done',
          comments: [...last.values()].map(({ text: shown }) => shown),
          taken: [...now.values()].some(({ state }) => state === 'works' || state === 'asks'),
        };
      },
      dispose: () => rm(dir, { recursive: true, force: true }),
    };
  },
};

const example: Kind = {
  name: 'the example program',
  leftOut: '',
  async make() {
    const dir = await scratch();
    const items = join(dir, 'items');
    await mkdir(items);
    return {
      async put(all) {
        for (const { ref, title, body = '', labels = [], author, milestone } of all) {
          const named = { author, milestone };
          const more = Object.entries(named).map(([key, value]) => (value === undefined ? '' : `${key}: ${value}\n`));
          const head = `labels: ${labels.join(', ')}\n${more.join('')}`;
          await writeFile(join(items, `${ref}.md`), `${head}\n# ${title}\n\n${body}\n`);
        }
      },
      open: (write, more = {}) =>
        openTracker(configOf({ tracker: 'command', run: [process.execPath, EXAMPLE, items], write, ...more }), {
          ...{ env: process.env, cwd: dir, timeoutMs: 30_000 },
        }),
      async seen(ref) {
        const text = await readFile(join(items, `${ref}.json`), 'utf8').catch(() => '');
        if (text === '') return { open: true, comments: [], taken: false };
        const state = JSON.parse(text) as { open: boolean; holders: unknown[]; comments: { text: string }[] };
        const comments = state.comments.map(({ text: shown }) => shown);
        return { open: state.open, comments, taken: state.holders.length > 0 };
      },
      dispose: () => rm(dir, { recursive: true, force: true }),
    };
  },
};

export const KINDS: readonly Kind[] = [github, gitlab, realGitlab, jsonl, example];
