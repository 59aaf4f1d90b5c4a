/**
 * Reads the files of one agent run for the page of its idea. Invariant: reads only; a missing file leaves its field
 * absent.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readOwn, tailOfOwn } from '../../config/own-files.js';
import { iterationDir } from '../../config/paths.js';
import type { RunRef } from '../../protocol/run-ref.js';
import type { GateOutput, IdeaDetails, StreamLine } from '../../screen/details.js';
import { clock } from '../../screen/text/time.js';
import { StreamFollower } from '../follow/stream-follow.js';
import { StreamView } from '../views/stream-lines.js';

const MOST_STREAM = 2000;
const MOST_BYTES = 256 << 10;
const PRINTED_BYTES = 4 << 10;

/** Follows one agent run; create a new instance for another run or idea. */
export class AgentRunFiles {
  readonly #dir: string;
  readonly #stream: StreamFollower;
  readonly #view = new StreamView(false, (at) => clock(at, Date.now()));
  readonly #lines: StreamLine[] = [];
  #tools = 0;
  readonly #filesRead = new Set<string>();
  #usage: { inputTokens?: number; outputTokens?: number; costUsd?: number } = {};
  #lastSign: number | undefined;

  constructor(root: string, { project, runId }: RunRef, idea: string, serial: number) {
    this.#dir = iterationDir(root, project, runId, idea, serial);
    this.#stream = new StreamFollower(join(this.#dir, 'stream.jsonl'));
  }

  async read(): Promise<Partial<IdeaDetails>> {
    let unusable: string | undefined;
    const events = await this.#stream.read().catch((error: Error) => {
      unusable = error.message;
      return [];
    });
    for (const event of events) {
      const at = Date.parse(event.at);
      this.#lastSign = at;
      if (event.kind === 'tool') {
        this.#tools += 1;
        if (/^read/i.test(event.name) && event.subject) this.#filesRead.add(event.subject);
      }
      if (event.kind === 'usage') this.#usage = event;
      this.#view.texts(event).forEach((text, index) => {
        this.#lines.push(index === 0 ? { at, text } : { text, more: true });
      });
    }
    this.#lines.splice(0, Math.max(0, this.#lines.length - MOST_STREAM));
    const [prompt, lastWords, output] = await Promise.all([
      textOf(join(this.#dir, 'prompt.md')),
      textOf(join(this.#dir, 'final-message.md')),
      this.#lines.length === 0 ? printedAtEnd(join(this.#dir, 'output.log')) : undefined,
    ]);
    return {
      stream: unusable === undefined ? [...this.#lines] : [...this.#lines, { text: unusable, colour: 'red' }],
      toolCalls: this.#tools,
      ...(this.#tools > 0 ? { filesRead: this.#filesRead.size } : {}),
      ...(this.#usage.inputTokens === undefined ? {} : { tokensIn: this.#usage.inputTokens }),
      ...(this.#usage.outputTokens === undefined ? {} : { tokensOut: this.#usage.outputTokens }),
      ...(this.#usage.costUsd === undefined ? {} : { dollars: this.#usage.costUsd }),
      ...(this.#lastSign === undefined ? {} : { lastSign: this.#lastSign }),
      ...(prompt === undefined ? {} : { prompt }),
      ...(lastWords === undefined ? {} : { lastWords }),
      ...(output ? { output } : {}),
    };
  }

  close(): Promise<void> {
    return this.#stream.close();
  }
}

async function textOf(path: string): Promise<string | undefined> {
  const { size } = await stat(path).catch(() => ({ size: -1 }));
  if (size < 0 || size > MOST_BYTES) return undefined;
  return readOwn(path).catch(() => undefined);
}

async function printedAtEnd(path: string): Promise<string[] | undefined> {
  const text = await tailOfOwn(path, PRINTED_BYTES).catch(() => undefined);
  return text?.split('\n').filter((one) => one.trim() !== '');
}

/** The output of the gate command that ran last. */
export async function gateOutputOf(dir: string): Promise<GateOutput | undefined> {
  const names = (await readdir(dir).catch(() => [])).filter((name) => name.endsWith('.log'));
  const stats = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(dir, name)).catch(() => undefined))?.mtimeMs ?? 0 })),
  );
  const newest = stats.sort((a, b) => b.at - a.at)[0];
  const text = newest && (await tailOfOwn(join(dir, newest.name), MOST_BYTES).catch(() => undefined));
  if (text === undefined) return undefined;
  const lines = text.replace(/\n$/, '').split('\n');
  return { total: lines.length, lines };
}
