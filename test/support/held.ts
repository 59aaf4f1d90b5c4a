/** Agents that say when they have begun and go on when they are told to: what a test of interventions needs. */
import { existsSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findProjectId } from '../../src/client/context.js';
import type { StampedEvent } from '../../src/protocol/events.js';
import type { RunSummary } from '../../src/protocol/run.js';
import type { IdeaStatus } from '../../src/protocol/states.js';
import type { RunStatus, WhyView } from '../../src/protocol/views.js';
import { roadmap, type Sandbox, sandbox, until, yaml } from './program.js';

/** One iteration: `began-ID-N` gets a line, then it waits for `go-ID-N`, then the idea's file grows and the signal is given. */
export interface HeldStep {
  signal: string;
  /** Does not wait. */
  free?: boolean;
  /** Ends with this code instead of a signal. */
  exit?: number;
  /** Played whenever the prompt has this text, whatever the iteration. */
  when?: string;
}

export interface HeldIdea {
  id: string;
  steps: HeldStep[];
  [property: string]: unknown;
}

const FIRST_GAP_MS = 100;
const MOST_BETWEEN_LOOKS_MS = 1600;

export class Held {
  #project: string | undefined;

  private constructor(
    readonly box: Sandbox,
    readonly stateRoot: string,
  ) {}

  static async open(stateRoot: string, ideas: HeldIdea[], config: Record<string, unknown> = {}): Promise<Held> {
    const tasks = ideas.map(({ steps: _, ...task }) => task);
    const box = await sandbox(stateRoot, {
      'roadmap.md': roadmap(tasks),
      'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', slots: 1, stepDelayMs: 0, gate: ['true'], ...config }),
    });
    const script = Object.fromEntries(
      ideas.map(({ id, steps }) => [id, steps.map((step, at) => entryOf(box.scratch, step, at + 1))]),
    );
    await box.write({ '.ralph-script.yaml': yaml({ ideas: script, default: [entryOf(box.scratch, DONE, 1)] }) });
    await box.commit('script');
    return new Held(box, stateRoot);
  }

  /** In a sandbox with a script of its own. */
  static around(box: Sandbox, stateRoot: string): Held {
    return new Held(box, stateRoot);
  }

  async start(...flags: string[]): Promise<void> {
    const { code, stderr } = await this.box.run('start', '--detach', ...flags);
    if (code !== 0) throw new Error(`start: ${stderr}`);
  }

  /** How often the agent began that iteration. */
  async times(id: string, n: number): Promise<number> {
    const path = join(this.box.scratch, `began-${id}-${n}`);
    return existsSync(path) ? (await readFile(path, 'utf8')).trim().split('\n').length : 0;
  }

  began(id: string, n = 1, times = 1): Promise<unknown> {
    return until(`${id} iteration ${n}, time ${times}`, async () => (await this.times(id, n)) >= times, 120_000);
  }

  async go(...steps: string[]): Promise<void> {
    for (const step of steps) await writeFile(join(this.box.scratch, `go-${step}`), '');
  }

  async status(): Promise<RunStatus> {
    const { json } = await this.box.run('status', '--json');
    return json[0]?.status as RunStatus;
  }

  state(wanted: string): Promise<unknown> {
    return this.#look(`state ${wanted}`, async () => (await this.status())?.state === wanted);
  }

  closed(): Promise<unknown> {
    return this.#look('the run to close', async () => (await this.box.run('status', '--json')).code === 6);
  }

  /** Each look starts the program: only when the run has told something since the last one, and now and then all the same. */
  #look<T>(what: string, check: () => Promise<T | undefined | false>): Promise<T> {
    let seen: string | undefined;
    let next = 0;
    let gap = 0;
    const look = async (): Promise<T | undefined | false> => {
      const told = await this.#told();
      if (told === seen && performance.now() < next) return undefined;
      gap = told === seen ? Math.min(gap * 2, MOST_BETWEEN_LOOKS_MS) : FIRST_GAP_MS;
      seen = told;
      try {
        return await check();
      } finally {
        next = performance.now() + gap;
      }
    };
    return until(what, look, 120_000);
  }

  /** Changes whenever a run of the repository tells something. */
  async #told(): Promise<string> {
    const { repo: cwd, env } = this.box;
    this.#project ??= await findProjectId({ cwd, root: this.stateRoot, cacheRoot: this.stateRoot, env, json: true });
    const runs = join(this.stateRoot, 'projects', this.#project, 'runs');
    const names = await readdir(runs).catch(() => []);
    const sizes = await Promise.all(
      names.map((name) =>
        stat(join(runs, name, 'events.jsonl')).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
    );
    return sizes.join(' ');
  }

  async why(id: string): Promise<WhyView> {
    return (await this.box.run('why', id, '--json')).json[0] as unknown as WhyView;
  }

  /** Waits for a status; gives what `why` says then. */
  idea(id: string, wanted: IdeaStatus): Promise<WhyView> {
    return this.#look(`${id} ${wanted}`, async () => {
      const view = await this.why(id);
      return view?.status === wanted && view;
    });
  }

  events(): Promise<StampedEvent[]> {
    return this.box
      .run('logs', '--json')
      .then(({ json }) => json.filter((line) => 'at' in line) as unknown as StampedEvent[]);
  }

  /** Waits for an event. */
  event(what: string, fits: (event: StampedEvent) => boolean): Promise<StampedEvent> {
    return this.#look(what, async () => (await this.events()).find(fits));
  }

  async saves(id: string): Promise<string[]> {
    const refs = await this.box.git('for-each-ref', '--format=%(refname)', `refs/ralphctl/save/${id}/`);
    return refs.split('\n').filter(Boolean);
  }

  /** The prompt of an idea's agent run. */
  async prompt(id: string, serial: number): Promise<string> {
    const about = await until('the run', async () => {
      const { json } = await this.box.run('status', '--json');
      const found = json[0] as { project: string; facts?: { runId?: string } };
      return found.facts?.runId ? { project: found.project, runId: found.facts.runId } : undefined;
    });
    const name = String(serial).padStart(3, '0');
    const path = ['projects', about.project, 'runs', about.runId, 'ideas', id, name, 'prompt.md'];
    return readFile(join(this.stateRoot, ...path), 'utf8');
  }

  /** Waits for the end; attaching could come too late and start another run. */
  async finish(): Promise<RunSummary> {
    await this.closed();
    const { json } = await this.box.run('status', '--json');
    return json[0]?.last as RunSummary;
  }
}

export const DONE: HeldStep = { signal: 'COMPLETE', free: true };

function entryOf(scratch: string, { signal, free, exit, when }: HeldStep, n: number): Record<string, unknown> {
  return {
    ...(when === undefined ? {} : { whenPrompt: { contains: when } }),
    do: [
      { append: { path: 'draft-$' + '{IDEA}.txt', text: `draft ${n}\n` } },
      { run: `echo $$ >> ${scratch}/began-$RALPHCTL_IDEA-$RALPHCTL_ITERATION` },
      ...(free ? [] : [{ waitFor: { path: join(scratch, 'go-$' + '{IDEA}-$' + '{ITERATION}') } }]),
      { append: { path: '$' + '{IDEA}.txt', text: `${n}\n` } },
      // One that ends without a word counts as a program that does not start.
      ...(exit === undefined ? [] : [{ say: 'This did not work.' }]),
    ],
    ...(exit === undefined ? { signal } : { exit }),
  };
}
