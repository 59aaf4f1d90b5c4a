/**
 * One episode: a run in a sandbox of its own, with what the plan says going wrong, and a driver that does what a person
 * would: start again when nothing runs any more, resume a pause, answer a question. Then the invariants.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lookAtCheckout, violations } from './invariants.js';
import { describeShock, type Episode, type Phase, type Shock } from './plan.js';
import { find, processes, signal, withToken } from './processes.js';
import { makePlace, type Place, type Program } from './sandbox.js';
import { strike } from './shocks.js';

export interface EpisodeResult {
  wrong: string[];
  /** What happened, in order, for people. */
  story: string[];
  seconds: number;
  /** Kept when something is wrong. */
  base: string;
}

interface Summary {
  notLanded: { idea: string; status: string; reason?: string }[];
}

const LIMIT_MS = 300_000;
const TICK_MS = 20;

export async function runEpisode(episode: Episode, program: Program): Promise<EpisodeResult> {
  const began = Date.now();
  const story: string[] = [];
  const tell = (text: string): void =>
    void story.push(`${((Date.now() - began) / 1000).toFixed(2).padStart(7)}  ${text}`);
  const place = await makePlace(episode, program);
  const before = await lookAtCheckout(place.repo);
  let wrong: string[];
  try {
    const run = new Run(episode, place, tell);
    const summary = await run.toItsEnd();
    if (summary === undefined) wrong = [`the run was not over after ${LIMIT_MS / 1000} s`];
    else {
      wrong = await violations({
        ...{ repo: place.repo, root: place.root, project: run.project, ideas: place.ideas, gate: place.gate },
        ...{ diary: place.diary, notLanded: summary.notLanded, excused: new Set<string>() },
        checkout: { before, onTarget: episode.checkout === 'on-target' },
      });
    }
    wrong.push(...run.wrong);
  } catch (error) {
    wrong = [`the episode itself failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`];
  }
  for (const text of wrong) tell(`VIOLATION ${text}`);
  await shutDown(place);
  if (wrong.length === 0) await place.remove();
  return { wrong, story, seconds: (Date.now() - began) / 1000, base: place.base };
}

async function shutDown(place: Place): Promise<void> {
  await place.call('worker', '--stop');
  await place.call('server', 'stop');
  // Whatever did not listen; a sandbox leaves nothing behind.
  for (const one of processes()) if (one.args.some((arg) => arg.includes(place.base))) signal(one.pid, 'SIGKILL');
}

class Run {
  project = '';
  readonly wrong: string[] = [];
  #runId = '';
  #left: Shock[];
  #striking = 0;
  #signalling = 0;
  readonly #seen = new Map<Phase, number>();
  #events = 0;
  #quietSince = Date.now();
  #aloneSince: number | undefined;

  constructor(
    readonly episode: Episode,
    readonly place: Place,
    readonly tell: (text: string) => void,
  ) {
    this.#left = [...episode.shocks];
  }

  /** Undefined when it did not end in time. */
  async toItsEnd(): Promise<Summary | undefined> {
    const end = Date.now() + LIMIT_MS;
    const started = await this.place.call('start', '--json', '--detach');
    const line = started.stdout.split('\n').find((one) => one.includes('"kind":"started"'));
    if (started.code !== 0 || !line) throw new Error(`start failed (${started.code}): ${started.stderr}`);
    const { project, runId } = JSON.parse(line) as { project: string; runId: string };
    this.project = project;
    this.#runId = runId;
    while (Date.now() < end) {
      await this.#follow();
      const summary = this.#striking === 0 ? await this.#summary() : undefined;
      if (summary) {
        await this.#settle();
        return summary;
      }
      await this.#nurse();
      await sleep(TICK_MS);
    }
    this.tell((await this.place.call('status')).stdout);
    return undefined;
  }

  async #follow(): Promise<void> {
    const file = join(this.place.root, 'projects', this.project, 'runs', this.#runId, 'events.jsonl');
    const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').slice(0, -1);
    for (const line of lines.slice(this.#events)) this.#count(line);
    if (lines.length > this.#events) this.#quietSince = Date.now();
    this.#events = lines.length;
  }

  #count(line: string): void {
    let event: { kind?: string; status?: string };
    try {
      event = JSON.parse(line) as typeof event;
    } catch {
      return;
    }
    const phase = (event.kind === 'idea' ? event.status : event.kind) as Phase;
    const nth = (this.#seen.get(phase) ?? 0) + 1;
    this.#seen.set(phase, nth);
    const due = this.#left.filter(({ when }) => when.phase === phase && when.nth <= nth);
    this.#left = this.#left.filter((shock) => !due.includes(shock));
    for (const shock of due) void this.#strike(shock);
  }

  async #strike(shock: Shock): Promise<void> {
    const signals = shock.do === 'pause-resume' ? 1 : 0;
    this.#striking += 1;
    this.#signalling += signals;
    try {
      await sleep(shock.when.delayMs);
      this.tell(describeShock(shock));
      this.tell(`  hit: ${await strike(shock, this.place, this.project)}`);
    } catch (error) {
      this.tell(`  ${String(error)}`);
    } finally {
      this.#striking -= 1;
      this.#signalling -= signals;
    }
  }

  /** What a person would do who looks at it now and then. */
  async #nurse(): Promise<void> {
    // Signals reach nobody while nothing runs; every other shock is over before a person would look.
    if (this.#striking > this.#signalling) return;
    const alone = find('supervisor', { project: this.project, root: this.place.root }).length === 0;
    if (!alone) this.#aloneSince = undefined;
    else this.#aloneSince ??= Date.now();
    if (this.#aloneSince !== undefined && Date.now() - this.#aloneSince > 1000) {
      const { code, stderr } = await this.place.call('start', '--json', '--detach');
      this.tell(`started again: exit code ${code}${code === 0 ? '' : ` ${stderr.trim()}`}`);
      this.#aloneSince = Date.now() + 2000;
    }
    if (Date.now() - this.#quietSince < 6000) return;
    this.#quietSince = Date.now();
    const { stdout } = await this.place.call('status', '--json');
    const line = stdout.split('\n').find((one) => one.startsWith('{'));
    const status =
      line &&
      (JSON.parse(line) as { status?: { state: string; attention: { id: string; status: string; reason?: string }[] } })
        .status;
    if (!status) return;
    if (status.state === 'paused' || status.state === 'pausing')
      this.tell(`resumed: ${(await this.place.call('resume')).code}`);
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
    const end = Date.now() + 20_000;
    while (Date.now() < end && withToken(processes(), this.project).length > 0) await sleep(100);
    const never = this.#left.map(describeShock);
    if (never.length > 0) this.tell(`did not come to: ${never.join('; ')}`);
  }
}
