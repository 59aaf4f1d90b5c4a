/**
 * The answers to an idea's questions. Each is new in one prompt and stays in later prompts, also in later runs.
 * Invariant: the folder of the iteration whose prompt introduces an answer stores it, so that a second attempt writes
 * the same. An unreadable file loses its answers, never the iteration. The list is bounded.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readOwn } from '../../config/own-files.js';
import { ideaDir } from '../../config/paths.js';
import type { RunAgentInput } from '../../protocol/agent-run.js';
import { type Answered, answerIn, answerNote } from '../../protocol/command.js';
import { listRuns, writeAtomically } from '../../run-files/run.js';

/** A prompt repeats at most this many answers, the latest ones. */
const MOST_ANSWERS = 10;
/** Limits in characters, for all answers and for one question or answer. */
const MOST_CHARACTERS = 8000;
const MOST_OF_ONE = 2000;
/** Maximum number of runs to search, including this one. */
const MOST_RUNS = 20;

const FILE = 'notes.json';

interface KeptNotes {
  answers: Answered[];
}

const answersIn = (notes: readonly string[]): Answered[] => notes.flatMap((note) => answerIn(note) ?? []);

export async function keepAnswers(dir: string, notes: readonly string[]): Promise<void> {
  const answers = answersIn(notes);
  if (answers.length === 0) return;
  const kept: KeptNotes = { answers };
  // Without the file a later prompt lacks the answer; this prompt still has it.
  await writeAtomically(join(dir, FILE), JSON.stringify(kept)).catch(() => {});
}

type About = Pick<RunAgentInput, 'project' | 'runId' | 'idea' | 'serial' | 'notes'>;

/** Earlier answers, oldest first, without the ones that are new in this prompt. */
export async function earlierAnswers(
  root: string,
  { project, runId, idea, serial, notes }: About,
): Promise<Answered[]> {
  const before = (await listRuns(root, project).catch(() => [])).filter((run) => run < runId);
  const said = new Set(answersIn(notes).map(answerNote));
  const latest: Answered[] = [];
  let room = MOST_CHARACTERS;
  for (const run of [runId, ...before].slice(0, MOST_RUNS)) {
    const upTo = run === runId ? serial : Number.POSITIVE_INFINITY;
    for (const kept of (await keptIn(ideaDir(root, project, run, idea), upTo)).reverse()) {
      const key = answerNote(kept);
      if (said.has(key)) continue;
      said.add(key);
      const one = { question: clip(kept.question), answer: clip(kept.answer) };
      room -= answerNote(one).length;
      if (room < 0 || latest.length === MOST_ANSWERS) return latest.reverse();
      latest.push(one);
    }
  }
  return latest.reverse();
}

/** All answers of one run, oldest first. `dir`: the idea's folder in that run. */
export const answersInRun = (dir: string): Promise<Answered[]> => keptIn(dir, Number.POSITIVE_INFINITY);

/** Answers in the order of iterations, up to `serial` exclusive. */
async function keptIn(dir: string, serial: number): Promise<Answered[]> {
  const names = await readdir(dir).catch(() => []);
  const iterations = names
    .filter((name) => /^\d+$/.test(name) && Number(name) < serial)
    .sort((a, b) => Number(a) - Number(b));
  return (await Promise.all(iterations.map((name) => read(join(dir, name, FILE))))).flat();
}

async function read(path: string): Promise<Answered[]> {
  try {
    const { answers } = JSON.parse((await readOwn(path)) ?? '') as Partial<KeptNotes>;
    return Array.isArray(answers) ? answers.filter(isAnswered) : [];
  } catch {
    return [];
  }
}

const isAnswered = (value: Partial<Answered> | null): value is Answered =>
  typeof value?.question === 'string' && typeof value.answer === 'string';

function clip(text: string): string {
  if (text.length <= MOST_OF_ONE) return text;
  return `${text.slice(0, MOST_OF_ONE - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
