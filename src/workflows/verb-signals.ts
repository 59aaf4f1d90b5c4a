/**
 * Commands as plain Temporal signals of the run, one for each verb, for the Web UI and `temporal workflow signal`.
 * Input: a text (the reason, or for verbs about an idea its id, with a second text behind it), or an object as a command
 * has it. What is not legal changes nothing; the run's events say why.
 */
import { defineSignal } from '@temporalio/workflow';
import { type Command, IDEA_VERBS, RUN_VERBS, type Verb } from '../protocol/command.js';
import { PAUSE_NOW, RAISE_BUDGET, RETRY_LIMIT, SKIP_STEP } from '../protocol/names.js';
import * as messages from './messages.js';
import type { RunControls } from './run-handlers.js';
import { row, type SignalRow } from './signal-table.js';

/** `by`: what the command has as `n`, from before there was one. */
type Input = string | number | (Partial<Command> & { by?: number }) | null | undefined;

const SIGNAL_NAMES: Partial<Record<Verb, string>> = {
  ...{ 'pause-now': PAUSE_NOW, 'skip-step': SKIP_STEP },
  ...{ 'retry-limit': RETRY_LIMIT, 'raise-budget': RAISE_BUDGET },
};
const signalName = (verb: Verb): string => SIGNAL_NAMES[verb] ?? verb;

/** Verbs that mean the run when they come with a mere text. */
const OF_RUN = new Set<string>(RUN_VERBS);

function commandOf(verb: Verb, first: Input, second: string | undefined): Command {
  if (typeof first === 'object' && first !== null) {
    const { by, ...command } = first;
    return { ...command, ...(by === undefined ? {} : { n: by }), verb };
  }
  if (OF_RUN.has(verb)) return runCommand(verb, first ?? undefined);
  const idea = first === undefined || first === null ? {} : { idea: String(first) };
  if (second === undefined) return { verb, ...idea };
  if (verb === 'limit' || verb === 'score') return { verb, ...idea, n: Number(second) };
  return { verb, ...idea, ...(verb === 'hint' || verb === 'answer' ? { text: second } : { reason: second }) };
}

function runCommand(verb: Verb, said: string | number | undefined): Command {
  if (verb === 'slots') return { verb, n: Number(said) };
  if (verb === 'mode') return { verb, mode: String(said) as NonNullable<Command['mode']> };
  if (verb === 'retry-limit') return { verb, ...(said === undefined ? {} : { text: String(said).trim() }) };
  if (verb === 'raise-budget')
    return { verb, ...(said === undefined ? {} : { n: Number(String(said).replace(/^\+/, '')) }) };
  const reason = said === undefined ? '' : String(said).trim();
  return { verb, ...(reason ? { reason } : {}) };
}

const verbs = [...new Set<Verb>([...RUN_VERBS, ...IDEA_VERBS])];

export const VERB_SIGNALS: SignalRow<RunControls>[] = [
  ...verbs.map((verb) =>
    row<RunControls, [Input?, string?]>(
      defineSignal<[Input?, string?]>(signalName(verb)),
      ({ tell }, [first, second]) => tell((pilot) => void pilot.command(commandOf(verb, first, second))),
    ),
  ),
  row(messages.commandSignal, ({ tell }, [command]) => tell((pilot) => void pilot.command(command))),
];
