/**
 * Commands as plain Temporal signals of the run, one for each verb, for the Web UI and `temporal workflow signal`.
 * Input: a text (the reason, or for verbs about an idea its id, with a second text behind it), or an object as a command
 * has it. What is not legal changes nothing; the run's events say why.
 */
import { defineSignal } from '@temporalio/workflow';
import { isCommandLike, readVerb, type VerbInput } from '../decide/said.js';
import { type Command, IDEA_VERBS, RUN_VERBS, type Verb } from '../protocol/command.js';
import { PAUSE_NOW, RAISE_BUDGET, RELOAD_CONFIG, RETRY_LIMIT, SKIP_STEP } from '../protocol/names.js';
import * as messages from './messages.js';
import type { RunControls } from './signal-table.js';
import { internal, row, type SignalRow } from './signal-table.js';

const SIGNAL_NAMES: Partial<Record<Verb, string>> = {
  ...{ 'pause-now': PAUSE_NOW, 'skip-step': SKIP_STEP },
  ...{ 'retry-limit': RETRY_LIMIT, 'raise-budget': RAISE_BUDGET, 'reload-config': RELOAD_CONFIG },
};
const signalName = (verb: Verb): string => SIGNAL_NAMES[verb] ?? verb;

/** What the Web UI says of each. Texts stand in double quotes there: its input is JSON. */
const SAYS: Readonly<Record<Verb, string>> = {
  pause: 'Hold after the running iterations. Input: none, or the reason in double quotes',
  'pause-now': 'Hold at once: agents are ended, their work is kept, nothing is charged. Input: none, or "reason"',
  resume: 'Go on. Input: none, or the id of one idea: {"idea": "id"}',
  review: 'The ideas that failed were looked at: go on. Input: none',
  stop: 'End after the running iterations; finished work still lands. Input: none, or "reason"',
  abort: 'End at once: agents are ended, changes are saved, nothing more lands. Input: none, or "reason"',
  slots: 'How many agents work at once. Input: a number, 1 to 100',
  mode: 'Input: "autopilot", "semi-auto" or "step"',
  approve: 'Mode step: let all that waits go on. For one idea: {"idea": "id"}',
  'retry-limit': 'Try closed accounts now. Input: none, or the agent or account: "claude"',
  'raise-budget': 'More of the budget that is used up. Input: none for as much again, or a number',
  'reload-config': 'Easier with: ralphctl config reload. Input: the number of a revision in the files of the run',
  assign: 'Mode semi-auto: start an idea next. Input: "id"',
  retry: 'Run an idea again that is over. Input: "id", or {"idea": "id", "fresh": true} to drop its work first',
  edit: 'Change an idea. Input: {"idea": "id", "title": "…", "patch": {"maxIterations": 20}}',
  rollback: 'Take an idea back, from its branch or from the target. Input: "id"',
  cleanup: 'Remove the worktree of an idea; what is in it is saved. Input: "id"',
  limit: 'More iterations for an idea. Input: {"idea": "id", "n": 5}',
  unblock: 'Let a blocked idea start again. Input: "id"',
  skip: 'Leave an idea out of this run. Input: "id", or {"idea": "id", "reason": "…"}',
  'skip-step': 'Leave out the step of its plan that an idea is at. Input: "id"',
  abandon: 'Give an idea up; its work is kept. Input: "id", or {"idea": "id", "reason": "…"}',
  hint: 'Advice for the next prompt of an idea. Input: {"idea": "id", "text": "use port 8080"}',
  answer: 'Answer the question of an idea. Input: {"idea": "id", "text": "blue"}',
  bump: 'Put an idea first. Input: "id"',
  score: 'Points added to the score of an idea. Input: {"idea": "id", "n": 100}',
  split: 'Replace an idea by smaller ones. Easier with: ralphctl split',
};

/** Verbs that mean the run when they come with a mere text. */
const OF_RUN = new Set<string>(RUN_VERBS);

/** Nothing is taken for granted here: what the fields hold is checked where the command is planned. */
function commandOf(verb: Verb, first: VerbInput, second: string | number | undefined): Command {
  if (typeof first === 'object') {
    // `by`: what the command has as `n`, from before there was one.
    const { by, ...command } = first;
    return { ...command, ...(by === undefined ? {} : { n: by as number }), verb };
  }
  if (OF_RUN.has(verb)) return runCommand(verb, first);
  const idea = first === undefined ? {} : { idea: String(first) };
  if (second === undefined) return { verb, ...idea };
  if (verb === 'limit' || verb === 'score') return { verb, ...idea, n: Number(second) };
  const text = String(second);
  return { verb, ...idea, ...(verb === 'hint' || verb === 'answer' ? { text } : { reason: text }) };
}

function runCommand(verb: Verb, said: string | number | undefined): Command {
  if (verb === 'slots') return { verb, n: Number(said) };
  if (verb === 'mode') return { verb, mode: String(said) as NonNullable<Command['mode']> };
  if (verb === 'retry-limit') return { verb, ...(said === undefined ? {} : { text: String(said).trim() }) };
  if (verb === 'reload-config') return { verb, revision: Number(said) };
  if (verb === 'raise-budget')
    return { verb, ...(said === undefined ? {} : { n: Number(String(said).replace(/^\+/, '')) }) };
  const reason = said === undefined ? '' : String(said).trim();
  return { verb, ...(reason ? { reason } : {}) };
}

const verbs = [...new Set<Verb>([...RUN_VERBS, ...IDEA_VERBS])];

export const VERB_SIGNALS: SignalRow<RunControls>[] = [
  ...verbs.map((verb) =>
    row<RunControls, [VerbInput, string | number | undefined]>(
      defineSignal<[VerbInput, string | number | undefined]>(signalName(verb)),
      SAYS[verb],
      readVerb,
      ({ tell }, [first, second]) => tell((pilot) => void pilot.command(commandOf(verb, first, second))),
    ),
  ),
  internal(messages.commandSignal, isCommandLike as (value: unknown) => value is Command, ({ tell }, [command]) =>
    tell((pilot) => void pilot.command(command)),
  ),
];
