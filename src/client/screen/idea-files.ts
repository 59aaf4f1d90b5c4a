/** What the files and the branch of one idea tell its page. Invariant: reads only; what is missing is absent. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { iterationDir } from '../../config/paths.js';
import { branchRef, ideaBranch } from '../../git/refs.js';
import { git } from '../../git/runner.js';
import type { IdeaModel, RunModel } from '../../model/model.js';
import type { DiffFile, DiffView, GateOutput, IdeaDetails, StreamLine } from '../../screen/details.js';
import { StreamFollower } from '../follow/stream-follow.js';
import { StreamView } from '../views/stream-lines.js';

const MOST_STREAM = 2000;
const MOST_OUTPUT = 400;
const MOST_BYTES = 256 << 10;
const MOST_DIFF = 2000;

/** Follows one agent run; another run or idea needs another one. */
export class AgentRunFiles {
  readonly #dir: string;
  readonly #stream: StreamFollower;
  readonly #view = new StreamView(false);
  readonly #lines: StreamLine[] = [];
  #tools = 0;
  #lastSign: number | undefined;

  constructor(root: string, model: RunModel, idea: string, serial: number) {
    this.#dir = iterationDir(root, model.project, model.runId, idea, serial);
    this.#stream = new StreamFollower(join(this.#dir, 'stream.jsonl'));
  }

  async read(): Promise<Partial<IdeaDetails>> {
    for (const event of await this.#stream.read()) {
      const at = Date.parse(event.at);
      this.#lastSign = at;
      if (event.kind === 'tool') this.#tools += 1;
      this.#view.texts(event).forEach((text, index) => {
        this.#lines.push(index === 0 ? { at, text } : { text, more: true });
      });
    }
    this.#lines.splice(0, Math.max(0, this.#lines.length - MOST_STREAM));
    const [prompt, lastWords, gateOutput] = await Promise.all([
      textOf(join(this.#dir, 'prompt.md')),
      textOf(join(this.#dir, 'final-message.md')),
      gateOutputOf(join(this.#dir, 'gate')),
    ]);
    return {
      stream: [...this.#lines],
      toolCalls: this.#tools,
      ...(this.#lastSign === undefined ? {} : { lastSign: this.#lastSign }),
      ...(prompt === undefined ? {} : { prompt }),
      ...(lastWords === undefined ? {} : { lastWords }),
      ...(gateOutput ? { gateOutput } : {}),
    };
  }

  close(): Promise<void> {
    return this.#stream.close();
  }
}

async function textOf(path: string): Promise<string | undefined> {
  const { size } = await stat(path).catch(() => ({ size: -1 }));
  if (size < 0 || size > MOST_BYTES) return undefined;
  return readFile(path, 'utf8').catch(() => undefined);
}

/** Of the command that ran last. */
async function gateOutputOf(dir: string): Promise<GateOutput | undefined> {
  const names = (await readdir(dir).catch(() => [])).filter((name) => name.endsWith('.log'));
  const stats = await Promise.all(names.map(async (name) => ({ name, at: (await stat(join(dir, name))).mtimeMs })));
  const newest = stats.sort((a, b) => b.at - a.at)[0];
  const text = newest && (await tailOf(join(dir, newest.name)));
  if (text === undefined) return undefined;
  const lines = text.replace(/\n$/, '').split('\n');
  return { total: lines.length, lines: lines.slice(-MOST_OUTPUT) };
}

async function tailOf(path: string): Promise<string | undefined> {
  const bytes = await readFile(path).catch(() => undefined);
  return bytes?.subarray(-MOST_BYTES).toString('utf8');
}

/** What the idea changed, against where it began. `file`: that one's lines, too; of the first where it is no changed file. */
export async function diffOf(repo: string, idea: IdeaModel, wanted?: string): Promise<DiffView | undefined> {
  const range = await rangeOf(repo, idea);
  if (!range) return undefined;
  const read = { read: true } as const;
  const { stdout } = await git(repo).result(['diff', '--numstat', '-z', '--no-renames', ...range, '--'], read);
  const files = stdout.split('\0').flatMap((row): DiffFile[] => {
    const [added, deleted, path] = row.split('\t');
    return path ? [{ path, added: Number(added) || 0, deleted: Number(deleted) || 0 }] : [];
  });
  const base = range[0] ?? '';
  const file = files.find(({ path }) => path === wanted)?.path ?? files[0]?.path;
  if (wanted === undefined || file === undefined) return { base, files };
  const shown = await git(repo).result(['diff', '--no-color', '--no-ext-diff', ...range, '--', file], read);
  const lines = shown.stdout.split('\n');
  const start = lines.findIndex((line) => line.startsWith('@@'));
  return { base, files, file, lines: (start < 0 ? lines : lines.slice(start)).slice(0, MOST_DIFF) };
}

async function rangeOf(repo: string, idea: IdeaModel): Promise<[string, string] | undefined> {
  const exists = async (name: string): Promise<string | undefined> => {
    const { stdout, code } = await git(repo).result(['rev-parse', '--verify', '-q', `${name}^{commit}`], {
      read: true,
    });
    return code === 0 ? stdout.trim() : undefined;
  };
  if (idea.status === 'landed' && idea.commit) {
    const commit = await exists(idea.commit);
    const parent = commit && (await exists(`${commit}^`));
    return commit && parent ? [parent, commit] : undefined;
  }
  const tip = (await exists(`refs/heads/${ideaBranch(idea.id)}`)) ?? (await exists(branchRef(idea.id)));
  const base = idea.base && (await exists(idea.base));
  return tip && base ? [base, tip] : undefined;
}
