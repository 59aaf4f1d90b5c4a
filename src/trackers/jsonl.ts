/**
 * A file of reports as a tracker. Claims, comments and ends are lines of a journal beside it; the file itself stays as
 * it is.
 * Invariant: the journal only grows, a line at a time, so of two holders who write at once both read the same order.
 */
import { resolve } from 'node:path';
import { readReports } from '../backlog/reports/jsonl.js';
import { appendOwn, readOwn } from '../config/own-files.js';
import { type TrackerConfig, writesTo } from '../config/schema/tracker.js';
import type { BugReport } from '../protocol/triage.js';
import type { ToolPlace } from './tool.js';
import { type Holder, type Item, type Shown, type Tracker, TrackerError } from './tracker.js';

interface Line extends Holder {
  ref: string;
  state: 'works' | 'asks' | 'done' | 'released';
  text: string;
  at: string;
}

export const journalOf = (file: string): string => `${file.replace(/\.jsonl$/i, '')}.ralphctl.jsonl`;

/** The file that ralphctl writes for this tracker, absolute; undefined where it writes none. */
export const journalIn = (cwd: string, config: TrackerConfig): string | undefined =>
  config.tracker === 'jsonl' && config.file !== undefined && writesTo(config)
    ? journalOf(resolve(cwd, config.file))
    : undefined;

export class JsonlTracker implements Tracker {
  readonly where: string;
  readonly #file: string;

  constructor(
    { cwd }: Pick<ToolPlace, 'cwd'>,
    private readonly config: TrackerConfig,
  ) {
    const { file = '' } = config;
    this.where = `reports of ${file}`;
    this.#file = resolve(cwd, file);
  }

  async check(): Promise<{ login?: string }> {
    await this.#reports();
    return {};
  }

  async list(): Promise<Item[]> {
    const [reports, lines] = await Promise.all([this.#reports(), this.#journal()]);
    const closed = new Set(this.config.write.done === 'close' ? doneIn(lines) : []);
    const { labels, author, query, most } = this.config;
    const words = (query ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    return reports
      .filter(({ id, state }) => state === 'open' && !closed.has(id))
      .filter((one) => labels.every((label) => one.labels.includes(label)))
      .filter((one) => author === undefined || one.author === author)
      .filter((one) => words.every((word) => `${one.title}\n${one.body}`.toLowerCase().includes(word)))
      .slice(0, most)
      .map(({ id, title, body, author: by, labels: tags, created, url }) => ({
        ...{ ref: id, title, body, labels: [...tags] },
        // Whoever has the file has chosen its reports.
        member: true,
        ...(by ? { author: by } : {}),
        ...(created ? { created } : {}),
        ...(url ? { url } : {}),
      }));
  }

  async closed(): Promise<BugReport[]> {
    return (await this.#reports()).filter(({ state }) => state === 'closed');
  }

  async claim(ref: string, holder: Holder, text: string): Promise<{ taken: string } | undefined> {
    const { claim, progress } = this.config.write;
    if (claim === 'off' && !progress) return undefined;
    const before = await this.#journal();
    const other = claim === 'off' ? undefined : holdersOf(before, ref).find((one) => !isOwn(one, holder));
    if (other) return { taken: whoHas(other) };
    await this.#add(before, ref, holder, { state: 'works', text });
    const [first] = holdersOf(await this.#journal(), ref);
    if (claim === 'off' || !first || isOwn(first, holder)) return undefined;
    await this.#add(await this.#journal(), ref, holder, { state: 'released', text: 'Another ralphctl was first.' });
    return { taken: whoHas(first) };
  }

  async free(ref: string, { owner }: Pick<Holder, 'owner'>): Promise<string[]> {
    const lines = await this.#journal();
    const held = holdersOf(lines, ref).filter((one) => one.owner !== owner);
    for (const one of held)
      await this.#add(lines, ref, one, { state: 'released', text: 'Another ralphctl takes it over.' });
    return held.map(whoHas);
  }

  async show(ref: string, holder: Holder, shown: Shown): Promise<void> {
    const { progress, done } = this.config.write;
    const lines = await this.#journal();
    // A later run has it: this message is late.
    if (lines.some((line) => line.ref === ref && isOwn(line, holder) && line.run > holder.run)) return;
    // An idea that an earlier run left at work is this run's now.
    const last = ownIn(lines, ref, holder).at(-1) ?? holdersOf(lines, ref).find((one) => isOwn(one, holder));
    if (last && last.run === holder.run && last.life > holder.life) return;
    const { state } = shown;
    const wanted = state === 'done' ? done !== 'off' || last !== undefined : last !== undefined;
    if (!wanted || ((state === 'works' || state === 'asks') && !progress)) return;
    await this.#add(lines, ref, holder, shown);
  }

  async #add(lines: readonly Line[], ref: string, holder: Holder, { state, text }: Shown): Promise<void> {
    const last = ownIn(lines, ref, holder).at(-1);
    if (last?.state === state && last.text === text && last.life === holder.life) return;
    const { owner, run, idea, life } = holder;
    const line: Line = { ref, owner, run, idea, life, state, text, at: new Date().toISOString() };
    // A torn line of a crash must not swallow this one.
    await appendOwn(journalOf(this.#file), `\n${JSON.stringify(line)}\n`, { flush: true }).catch(this.#failed);
  }

  async #journal(): Promise<Line[]> {
    const text = (await readOwn(journalOf(this.#file)).catch(this.#failed)) ?? '';
    return text.split('\n').flatMap((line) => {
      try {
        const read = JSON.parse(line) as Partial<Line>;
        return typeof read.ref === 'string' && typeof read.owner === 'string' ? [read as Line] : [];
      } catch {
        return [];
      }
    });
  }

  #reports() {
    return readReports(this.#file).catch(this.#failed);
  }

  #failed(error: unknown): never {
    throw new TrackerError(error instanceof Error ? error.message : String(error), false);
  }
}

const isOwn = (a: Pick<Holder, 'owner' | 'idea'>, b: Holder): boolean => a.owner === b.owner && a.idea === b.idea;

const ownIn = (lines: readonly Line[], ref: string, holder: Holder): Line[] =>
  lines.filter((line) => line.ref === ref && isOwn(line, holder) && line.run === holder.run);

/** Who holds the report now, in the order in which they took it. */
function holdersOf(lines: readonly Line[], ref: string): Line[] {
  let holders: Line[] = [];
  for (const line of lines) {
    if (line.ref !== ref) continue;
    const holds = line.state === 'works' || line.state === 'asks';
    const at = holders.findIndex((one) => isOwn(one, line));
    if (!holds) holders = holders.filter((_, index) => index !== at);
    else if (at < 0) holders.push(line);
  }
  return holders;
}

/** Reports whose last end is a landing. */
function doneIn(lines: readonly Line[]): string[] {
  const last = new Map<string, Line['state']>();
  for (const { ref, state } of lines) if (state === 'done' || state === 'released') last.set(ref, state);
  return [...last].flatMap(([ref, state]) => (state === 'done' ? [ref] : []));
}

const whoHas = ({ run }: Line): string => `run ${run} of another ralphctl`;
