/** Agents that say when they have begun and go on when they are told to: what a test of interventions needs. */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StampedEvent } from '../../src/protocol/events.js';
import type { RunSummary } from '../../src/protocol/run.js';
import type { IdeaStatus } from '../../src/protocol/states.js';
import type { RunStatus, WhyView } from '../../src/protocol/views.js';
import { roadmap, type Sandbox, sandbox, until, yaml } from './program.js';
import { type Told, whenOver, whenTold } from './told.js';

/** One iteration: `began-ID-N` gets a line, then it waits for `go-ID-N`, then the idea's file grows and the signal is given. */
export interface HeldStep {
  signal: string;
  /** Does not wait. */
  free?: boolean;
  /** Changes no file. */
  idle?: boolean;
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

export class Held {
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
    return this.#look(
      `state ${wanted}`,
      async () => (await this.status())?.state === wanted,
      ({ events }) => events.filter((event) => event.kind === 'run').at(-1)?.state === wanted,
    );
  }

  /** What `status --json` says of the last run then. */
  closed(): Promise<{ last: RunSummary }> {
    return whenOver(this.box);
  }

  #look<T>(what: string, check: () => Promise<T | undefined | false>, isLikely: (told: Told) => boolean): Promise<T> {
    return whenTold(what, this.box, check, isLikely);
  }

  async why(id: string): Promise<WhyView> {
    return (await this.box.run('why', id, '--json')).json[0] as unknown as WhyView;
  }

  /** Waits for a status; gives what `why` says then. */
  idea(id: string, wanted: IdeaStatus): Promise<WhyView> {
    return this.#look(
      `${id} ${wanted}`,
      async () => {
        const view = await this.why(id);
        return view?.status === wanted && view;
      },
      ({ events }) =>
        events.filter((event) => event.kind === 'idea').findLast((event) => event.idea === id)?.status === wanted,
    );
  }

  events(): Promise<StampedEvent[]> {
    return this.box
      .run('logs', '--json')
      .then(({ json }) => json.filter((line) => 'at' in line) as unknown as StampedEvent[]);
  }

  /** Waits for an event. */
  event(what: string, fits: (event: StampedEvent) => boolean): Promise<StampedEvent> {
    return this.#look(
      what,
      async () => (await this.events()).find(fits),
      (told) => told.events.some(fits),
    );
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
    return (await this.closed()).last;
  }
}

export const DONE: HeldStep = { signal: 'COMPLETE', free: true };

function entryOf(scratch: string, { signal, free, idle, exit, when }: HeldStep, n: number): Record<string, unknown> {
  return {
    ...(when === undefined ? {} : { whenPrompt: { contains: when } }),
    do: [
      ...(idle ? [] : [{ append: { path: 'draft-$' + '{IDEA}.txt', text: `draft ${n}\n` } }]),
      { run: `echo $$ >> ${scratch}/began-$RALPHCTL_IDEA-$RALPHCTL_ITERATION` },
      ...(free ? [] : [{ waitFor: { path: join(scratch, 'go-$' + '{IDEA}-$' + '{ITERATION}') } }]),
      ...(idle ? [] : [{ append: { path: '$' + '{IDEA}.txt', text: `${n}\n` } }]),
      // One that ends without a word counts as a program that does not start.
      ...(exit === undefined ? [] : [{ say: 'This did not work.' }]),
    ],
    ...(exit === undefined ? { signal } : { exit }),
  };
}
