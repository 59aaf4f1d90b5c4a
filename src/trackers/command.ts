/**
 * A tracker that is a program of the user's: one request as a JSON line on its stdin, answers as JSON lines on its
 * stdout, once for each call.
 */
import type { TrackerConfig } from '../config/schema/tracker.js';
import { cutAroundCommands } from '../protocol/cut.js';
import { inOneLine } from '../protocol/escapes.js';
import type { BugReport } from '../protocol/triage.js';
import { endOf } from './http-answer.js';
import { MOST_CLOSED } from './pages.js';
import { callTool, type ToolPlace } from './tool.js';
import { type Holder, type Item, type Shown, type Tracker, TrackerError } from './tracker.js';
import { type TrackerLine, type TrackerRequest, trackerAnswer, type WireItem, wrongInAnswer } from './wire.js';

/** Far more than 20,000 items have. Lines are values in memory at once. */
const MAX_BYTES = 64 << 20;
const MOST_LINES = 100_000;

/** How programs say that they do not know a request. An unknown host is an outage. */
const UNKNOWN_OP =
  /\b(?:unknown|unsupported) (?:op|operation|request|command)\b|(?:\bnot|n't) (?:know|support|implement)|\bunimplemented\b/i;
const UNKNOWN_ANSWER = '{"error":"unknown op"}';

const OPS = { works: 'progress', asks: 'progress', done: 'done', released: 'release' } as const;

export class CommandTracker implements Tracker {
  readonly where: string;

  constructor(
    private readonly tool: ToolPlace,
    private readonly config: TrackerConfig,
  ) {
    this.where = `items of ${config.run?.[0] ?? 'a program'}`;
  }

  async check(): Promise<{ login?: string }> {
    const last = (await this.#call({ version: 1, op: 'check' })).at(-1);
    return last && 'ok' in last && last.login !== undefined ? { login: last.login } : {};
  }

  async list(): Promise<Item[]> {
    const { labels, author, milestone, query, most } = this.config;
    const filter = {
      ...{ labels, most },
      ...(author === undefined ? {} : { author }),
      ...(milestone === undefined ? {} : { milestone }),
      ...(query === undefined ? {} : { query }),
    };
    const lines = await this.#call({ version: 1, op: 'list', filter });
    return lines
      .flatMap((line) => ('item' in line ? [line.item] : []))
      .filter((one) => milestone === undefined || one.milestone === milestone)
      .map(asItem)
      .filter((one) => labels.every((label) => one.labels.includes(label)))
      .filter((one) => author === undefined || one.author === author)
      .slice(0, most);
  }

  /** An optional request: of a program that does not know it, nothing is compared with what it has closed. */
  async closed(since: Date): Promise<BugReport[]> {
    const lines = await this.#call({ version: 1, op: 'closed', since: since.toISOString(), most: MOST_CLOSED }).catch(
      (error: unknown): TrackerLine[] => {
        if (!(error instanceof TrackerError)) throw error;
        // Before it stands the path of the program.
        const said = error.message.slice(error.message.indexOf(' (closed)'));
        if (!error.retry && UNKNOWN_OP.test(said)) return [];
        // An outage: without what was closed, triage would take reports again that somebody has just fixed.
        const hint = `a program that lists no closed items answers with ${UNKNOWN_ANSWER}`;
        throw new TrackerError(`${error.message}; ${hint}`, error.retry, error.at, error.needsPerson);
      },
    );
    return lines
      .flatMap((line) => ('item' in line ? [line.item] : []))
      .slice(0, MOST_CLOSED)
      .map(({ ref: id, title, body, labels, created, closed, url }) => ({
        ...{ id, title, body: body ?? '', labels: labels ?? [], state: 'closed' },
        ...(created ? { created } : {}),
        ...(closed ? { closed } : {}),
        ...(url ? { url } : {}),
      }));
  }

  async claim(ref: string, holder: Holder, text: string): Promise<{ taken: string } | undefined> {
    const { claim, progress } = this.config.write;
    if (claim === 'off') {
      if (progress) await this.#call({ version: 1, op: 'progress', ref, holder, text });
      return undefined;
    }
    const lines = await this.#call({ version: 1, op: 'claim', ref, holder, text });
    // Also before another line: a claim in doubt is none.
    const lost = lines.find((line) => 'taken' in line);
    return lost && 'taken' in lost ? { taken: saidWords(lost.taken) } : undefined;
  }

  free(): Promise<string[]> {
    const [program = 'the program'] = this.config.run ?? [];
    const error = new TrackerError(`${program} keeps its own claims: free the item there`, false);
    return Promise.reject(error);
  }

  async show(ref: string, holder: Holder, { state, text }: Shown): Promise<void> {
    const { claim, progress, done } = this.config.write;
    const op = OPS[state];
    if (op === 'progress') {
      if (progress) await this.#call({ version: 1, op, ref, holder, text });
    } else if (op === 'done') {
      if (done !== 'off') await this.#call({ version: 1, op, ref, holder, text, close: done === 'close' });
      else if (claim !== 'off') await this.#call({ version: 1, op: 'release', ref, holder, text });
    } else if (claim !== 'off' || progress || done !== 'off') await this.#call({ version: 1, op, ref, holder, text });
  }

  async #call(request: TrackerRequest): Promise<TrackerLine[]> {
    const argv = this.config.run ?? [];
    const stdin = `${JSON.stringify(request)}\n`;
    const { exitCode, signal, stdout, stderr } = await callTool(
      { ...this.tool, maxBytes: MAX_BYTES },
      { argv, stdin, passEnv: this.config.passEnv },
    );
    const [program = 'the tracker program'] = argv;
    const about = `${program} (${request.op})`;
    if (exitCode === null)
      throw new TrackerError(`${about} ${endOf(signal === undefined ? {} : { signal }, this.tool.timeoutMs)}`, true);
    const said = stdout.filter((line) => line.trim() !== '');
    if (said.length > MOST_LINES) throw new TrackerError(`${about} printed more than ${MOST_LINES} lines`, false);
    const lines = said.map((line, at) => readLine(line, at + 1, about));
    const failed = lines.find((line) => 'error' in line);
    if (failed && 'error' in failed) {
      const at = failed.retryAt === undefined ? undefined : Date.parse(failed.retryAt);
      throw new TrackerError(`${about}: ${saidWords(failed.error)}`, failed.retry ?? at !== undefined, at);
    }
    const [why = ''] = stderr.split('\n').slice(-1);
    if (exitCode !== 0)
      throw new TrackerError(
        `${about} failed with exit code ${exitCode}${why === '' ? '' : `: ${saidWords(why)}`}`,
        true,
      );
    const last = lines.at(-1);
    // A program that was cut off in the middle of a list must not pass for one with fewer items.
    if (!last || !('ok' in last || 'taken' in last))
      throw new TrackerError(`${about} ended without {"ok":true} as its last line`, true);
    return lines;
  }
}

/** They become a part of the run's history. */
const MOST_SAID = 300;

const saidWords = (text: string): string => cutAroundCommands(inOneLine(text.slice(0, 4000)).trim(), MOST_SAID);

function readLine(line: string, number: number, about: string): TrackerLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new TrackerError(`${about}: line ${number} of its output is no JSON`, false);
  }
  const { data } = trackerAnswer.safeParse(value);
  if (data) return data as TrackerLine;
  const what = `line ${number} of its output does not fit schemas/tracker-answer.schema.json`;
  throw new TrackerError(`${about}: ${what}: ${wrongInAnswer(value)}`, false);
}

const asItem = ({
  ref,
  title,
  body,
  labels,
  author,
  member,
  url,
  created,
  assigned,
  after,
  priority,
}: WireItem): Item => ({
  ...{ ref, title, body: body ?? '', labels: labels ?? [], member: member ?? false },
  ...(author ? { author } : {}),
  ...(url ? { url } : {}),
  ...(created ? { created } : {}),
  ...(assigned ? { assigned } : {}),
  ...(after ? { after } : {}),
  ...(typeof priority === 'number' ? { priority } : {}),
});
