/**
 * One episode: a run in a sandbox of its own, with what the plan says going wrong, and a driver that does what a person
 * would: start again when nothing runs any more, resume a pause, answer a question. Then the invariants.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Found, lookAtCheckout, violations } from './invariants.js';
import { say } from './person.js';
import { describeShock, type Episode, type Saying, type Shock } from './plan.js';
import type { HeldGit } from './points.js';
import { find, processes, signal, withToken } from './processes.js';
import { EventRecord, type Seen } from './record.js';
import { makePlace, type Place, type Program } from './sandbox.js';
import { strike } from './shocks.js';

export interface EpisodeResult {
  wrong: string[];
  /** What happened, in order, for people. */
  story: string[];
  seconds: number;
  /** Shocks whose place the run did not come to. */
  missed: number;
  /** Kept when something is wrong. */
  base: string;
}

interface Summary {
  notLanded: { idea: string; status: string; reason?: string }[];
}

const LIMIT_MS = 420_000;
const TICK_MS = 15;
/** Runs in a row, where a person ends them. */
const MOST_RUNS = 12;

export async function runEpisode(episode: Episode, program: Program): Promise<EpisodeResult> {
  const began = performance.now();
  const story: string[] = [];
  const tell = (text: string): void =>
    void story.push(`${((performance.now() - began) / 1000).toFixed(2).padStart(7)}  ${text}`);
  const place = await makePlace(episode, program);
  const before = await lookAtCheckout(place.repo);
  const run = new Run(episode, place, tell);
  let wrong: string[];
  try {
    const summary = await run.toItsEnd();
    if (summary === undefined) wrong = [`the run was not over after ${LIMIT_MS / 1000} s`];
    else {
      wrong = await violations({
        ...{ repo: place.repo, root: place.root, project: run.project, gate: place.gate, diary: place.diary },
        gated: place.gated,
        ...run.expected(),
        notLanded: summary.notLanded,
        charged: {
          failed: [...run.record.failed],
          allowed: episode.smallDisk ? Number.POSITIVE_INFINITY : run.agentsKilled,
        },
        checkout: { before, onTarget: episode.checkout === 'on-target' },
      });
      if (episode.rollAfter !== undefined) tell(`workflows that went on as new ones: ${await place.rolled()}`);
    }
    wrong.push(...run.wrong, ...run.record.wrong);
  } catch (error) {
    wrong = [`the episode itself failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`];
  }
  for (const text of wrong) tell(`VIOLATION ${text}`);
  await shutDown(place);
  if (wrong.length === 0) await place.remove();
  return { wrong, story, seconds: (performance.now() - began) / 1000, missed: run.missed, base: place.base };
}

async function shutDown(place: Place): Promise<void> {
  await place.points.arm([]);
  await place.call('worker', '--stop');
  await place.call('server', 'stop', '--force');
  // Whatever did not listen; a sandbox leaves nothing behind.
  for (const one of processes()) if (one.args.some((arg) => arg.includes(place.base))) signal(one.pid, 'SIGKILL');
}

class Run {
  project = '';
  readonly wrong: string[] = [];
  readonly record = new EventRecord();
  agentsKilled = 0;
  #runId = '';
  #runs = 1;
  #left: Shock[];
  #striking = 0;
  /** Of these, those that are a person's words. */
  #saying = 0;
  readonly #said: { what: Saying; idea: string; landed: string | undefined }[] = [];
  readonly #held = new Set<string>();
  readonly #points = new Map<string, number>();
  #aloneSince: number | undefined;
  #over = false;
  /** A person says one thing after the other. */
  #person: Promise<unknown> = Promise.resolve();

  constructor(
    readonly episode: Episode,
    readonly place: Place,
    readonly tell: (text: string) => void,
  ) {
    this.#left = [...episode.shocks];
  }

  get missed(): number {
    return this.#left.length;
  }

  /** Which ideas are to have landed. */
  expected(): Pick<Found, 'ideas' | 'parts' | 'replaced' | 'undone'> {
    const parts = new Set<string>();
    const replaced = new Set<string>();
    const undone = new Map<string, number>();
    let { ideas } = this.place;
    for (const { what, idea, landed } of this.#said) {
      const named = what === 'undo' ? landed : what === 'rollback' ? idea : undefined;
      if (named !== undefined) undone.set(named, (undone.get(named) ?? 0) + 1);
      const halves = [`${idea}-1`, `${idea}-2`];
      // Where it was too late, the whole idea landed.
      if (what !== 'split' || !ideas.includes(idea) || !halves.some((half) => this.record.ideas.includes(half)))
        continue;
      ideas = [...ideas.filter((one) => one !== idea), ...halves];
      replaced.add(idea);
      for (const half of halves) parts.add(half);
    }
    return { ideas, parts, replaced, undone };
  }

  /** Undefined when it did not end in time. */
  async toItsEnd(): Promise<Summary | undefined> {
    const end = performance.now() + LIMIT_MS;
    await this.#arm();
    await this.#start();
    while (performance.now() < end) {
      await this.#follow();
      const summary = this.#striking === 0 ? await this.#summary() : undefined;
      if (summary && !(await this.#goesOn(summary))) {
        this.#over = true;
        await this.#settle();
        return summary;
      }
      await this.#nurse();
      await sleep(TICK_MS);
    }
    this.#over = true;
    this.tell((await this.place.call('status')).stdout);
    return undefined;
  }

  async #start(): Promise<void> {
    const started = await this.place.call('start', '--json', '--detach');
    const line = started.stdout.split('\n').find((one) => /"kind":"(started|attached)"/.test(one));
    if (started.code !== 0 || !line) throw new Error(`start failed (${started.code}): ${started.stderr}`);
    const { project, runId } = JSON.parse(line) as { project: string; runId: string };
    this.project = project;
    if (runId !== this.#runId) this.record.anotherRun();
    this.#runId = runId;
  }

  /** A run that a person ended early, or ideas that were left out of it: the next run lands them. */
  async #goesOn({ notLanded }: Summary): Promise<boolean> {
    if (notLanded.length === 0 || this.#said.length === 0 || this.#runs >= MOST_RUNS) return false;
    this.#runs += 1;
    this.tell(
      `the run ended without ${notLanded.map(({ idea, status }) => `${idea} (${status})`).join(', ')}; the next one`,
    );
    // What a rollback took off the target stays out until then.
    for (const { idea } of notLanded)
      if (this.#said.some((one) => one.what === 'rollback' && one.idea === idea)) await this.place.call('retry', idea);
    await this.#start();
    return true;
  }

  async #arm(): Promise<void> {
    const places = this.#left.flatMap(({ when }) => ('point' in when ? [{ point: when.point, side: when.side }] : []));
    const once = new Map(places.map((place) => [`${place.side} ${place.point}`, place]));
    await this.place.points.arm([...once.values()]);
  }

  async #follow(): Promise<void> {
    for (const seen of await this.record.read(this.place.root, this.project, this.#runId)) this.#passed(seen);
    for (const held of await this.place.points.held(this.#held)) await this.#standsStill(held);
  }

  #passed({ phase, nth, idea }: Seen): void {
    for (const shock of this.#take(({ when }) => 'phase' in when && when.phase === phase && when.nth <= nth))
      void this.#strike(shock, { idea });
  }

  async #standsStill(held: HeldGit): Promise<void> {
    const key = `${held.side} ${held.point}`;
    const nth = (this.#points.get(key) ?? 0) + 1;
    this.#points.set(key, nth);
    const due = this.#take(
      ({ when }) => 'point' in when && when.point === held.point && when.side === held.side && when.nth <= nth,
    );
    if (due.length === 0) return held.release();
    for (const shock of due) void this.#strike(shock, { held });
    await this.#arm();
  }

  #take(isDue: (shock: Shock) => boolean): Shock[] {
    const due = this.#left.filter(isDue);
    this.#left = this.#left.filter((shock) => !due.includes(shock));
    return due;
  }

  async #strike(shock: Shock, { idea, held }: { idea?: string | undefined; held?: HeldGit }): Promise<void> {
    const words = shock.do === 'pause-resume' || shock.do === 'say' ? 1 : 0;
    this.#striking += 1;
    this.#saying += words;
    try {
      if ('delayMs' in shock.when) await sleep(shock.when.delayMs);
      this.tell(describeShock(shock));
      const hit = await strike(shock, {
        ...{ place: this.place, project: this.project, ...(held ? { held } : {}) },
        onAgent: () => {
          this.agentsKilled += 1;
        },
        say: (what) => this.#say(what, idea),
      });
      this.tell(`  ${shock.do}: ${hit}`);
    } catch (error) {
      this.tell(`  ${String(error)}`);
    } finally {
      await held?.release();
      this.#striking -= 1;
      this.#saying -= words;
    }
  }

  #say(what: Saying, about: string | undefined): Promise<string> {
    const said = this.#person.then(() => this.#sayNow(what, about));
    this.#person = said.catch(() => undefined);
    return said;
  }

  async #sayNow(what: Saying, about: string | undefined): Promise<string> {
    // Its turn may come late: then it is about an idea that is at work by now.
    const { working, ideas } = this.record;
    const now = about !== undefined && working.has(about) ? about : [...working].at(-1);
    const idea = now ?? about ?? ideas.at(-1) ?? this.place.ideas[0] ?? '';
    const landed = this.record.landed.at(-1);
    this.#said.push({ what, idea, landed });
    return say(what, { idea, landed }, this.place, () => this.#over);
  }

  /** What a person would do who looks at it now and then. */
  async #nurse(): Promise<void> {
    // Words reach nobody while nothing runs; every other shock is over before a person would look.
    if (this.#striking > this.#saying) return;
    const now = performance.now();
    const alone = find('supervisor', { project: this.project, root: this.place.root }).length === 0;
    if (!alone) this.#aloneSince = undefined;
    else this.#aloneSince ??= now;
    // A run that has just ended lets its worker go: there is none to repair.
    if (this.#aloneSince !== undefined && now - this.#aloneSince > 1000 && !(await this.#summary())) {
      const { code, stderr } = await this.place.call('start', '--json', '--detach');
      this.tell(`started again: exit code ${code}${code === 0 ? '' : ` ${stderr.trim()}`}`);
      this.#aloneSince = performance.now() + 2000;
    }
    if (this.#saying > 0 || now - this.record.movedAt < 6000) return;
    this.record.movedAt = now;
    await this.#help();
  }

  async #help(): Promise<void> {
    const { stdout } = await this.place.call('status', '--json');
    const line = stdout.split('\n').find((one) => one.startsWith('{'));
    const status =
      line &&
      (JSON.parse(line) as { status?: { state: string; attention: { id: string; status: string; reason?: string }[] } })
        .status;
    if (!status) return;
    if (status.state === 'paused' || status.state === 'pausing')
      this.tell(`resumed: ${(await this.place.call('resume')).code}`);
    // What was said may have been heard and not answered: then the word that lets go again is still missing.
    for (const idea of new Set(this.#said.flatMap((said) => [said.idea, said.landed ?? said.idea]))) {
      for (const verb of ['resume', 'retry']) {
        const { code } = await this.place.call(verb, idea);
        if (code === 0) this.tell(`${verb} ${idea}`);
      }
    }
    for (const { id, status: state, reason } of status.attention) {
      if (state !== 'needs-human') continue;
      this.tell(`${id} asks: ${reason}`);
      // A kill is no reason to ask anybody; a full disk is.
      if (!this.episode.smallDisk) this.wrong.push(`${id} asked a person: ${reason}`);
      await this.place.call('answer', id, 'go on');
    }
  }

  async #summary(): Promise<Summary | undefined> {
    const file = join(this.place.root, 'projects', this.project, 'runs', this.#runId, 'summary.json');
    if (!existsSync(file)) return undefined;
    return JSON.parse(await readFile(file, 'utf8')) as Summary;
  }

  /** The last processes may still be on their way out. */
  async #settle(): Promise<void> {
    const end = performance.now() + 20_000;
    while (performance.now() < end && withToken(processes(), this.project).length > 0) await sleep(100);
    const never = this.#left.map(describeShock);
    if (never.length > 0) this.tell(`did not come to: ${never.join('; ')}`);
  }
}
