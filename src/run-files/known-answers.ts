/**
 * Answers of a forge about the pull request of an idea, with the tag under which the forge gave them. A request with
 * that tag costs nothing of the forge's limit while the answer is the same.
 * Invariant: without the file everything is asked for as before, so nothing fails over it.
 */
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { projectDir } from '../config/paths.js';
import { readNote } from '../config/stored.js';
import { writeAtomically } from './run.js';

const entry = z.object({ tag: z.string(), link: z.string().optional(), lines: z.array(z.string()) });
const shape = z.looseObject({ answers: z.record(z.string(), entry) });
export type KnownAnswer = z.infer<typeof entry>;

/** Of all answers about one pull request, in characters. What does not fit is asked for anew each time. */
const MOST_KEPT = 1_000_000;

const fileOf = (root: string, project: string, idea: string): string =>
  join(projectDir(root, project), 'answers', `${idea}.json`);

export class KnownAnswers {
  /** Those that this look asked for; others are dropped, such as those about an earlier commit. */
  readonly #asked = new Map<string, KnownAnswer>();
  #room = MOST_KEPT;
  #changed = false;

  private constructor(
    private readonly file: string,
    private readonly before: ReadonlyMap<string, KnownAnswer>,
  ) {}

  static async open(root: string, project: string, idea: string): Promise<KnownAnswers> {
    const file = fileOf(root, project, idea);
    const noted = await readNote(file, shape, 'skip').catch(() => undefined);
    return new KnownAnswers(file, new Map(Object.entries(noted?.answers ?? {})));
  }

  get(request: string): KnownAnswer | undefined {
    return this.#asked.get(request) ?? this.before.get(request);
  }

  put(request: string, answer: KnownAnswer): void {
    const size = answer.lines.reduce((sum, line) => sum + line.length, request.length);
    if (size > this.#room) return;
    this.#room -= size;
    if (this.before.get(request)?.tag !== answer.tag) this.#changed = true;
    this.#asked.set(request, answer);
  }

  async save(): Promise<void> {
    if (!this.#changed && this.#asked.size === this.before.size) return;
    try {
      await mkdir(dirname(this.file), { recursive: true, mode: 0o700 });
      await writeAtomically(this.file, JSON.stringify({ version: 1, answers: Object.fromEntries(this.#asked) }));
    } catch {
      // The next look asks for everything.
    }
  }
}

/** Its pull request is over. */
export const dropAnswers = (root: string, project: string, idea: string): Promise<void> =>
  rm(fileOf(root, project, idea), { force: true }).catch(() => undefined);
