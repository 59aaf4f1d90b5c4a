/**
 * Commands as plain Temporal signals of the run, one per verb, for the Web UI and `temporal workflow signal`.
 * Input: a text (the reason; for verbs about an idea its id, with an optional second text), or an object shaped like a
 * command.
 * Invariant: an illegal command changes nothing, and the run's events give the reason.
 * May import protocol, decide and @temporalio/workflow only.
 */
import { defineSignal, patched, uuid4 } from '@temporalio/workflow';
import { emptyText } from '../decide/idea/answers.js';
import { isCommandLike, readVerb, type VerbInput } from '../decide/messages/said.js';
import type { Outcome } from '../decide/run/answers.js';
import type { Autopilot } from '../decide/run/autopilot.js';
import { IDEA_VERBS, type Intervention, RUN_VERBS, type Verb } from '../protocol/command.js';
import { saysAnything } from '../protocol/escapes.js';
import { PAUSE_NOW, RAISE_BUDGET, RELOAD_CONFIG, RETRY_LIMIT, SKIP_STEP } from '../protocol/names.js';
import type { AutopilotInput } from '../protocol/run.js';
import { commandSignal } from './messages.js';
import { internal, row, type SignalRow } from './signal-rows.js';

export interface RunControls {
  input: AutopilotInput;
  /** Undefined until the run has been opened. */
  pilot: () => Autopilot | undefined;
  /** Queues an event for the main loop. */
  tell: (event: (pilot: Autopilot) => void) => void;
}

const SIGNAL_NAMES: Partial<Record<Verb, string>> = {
  ...{ 'pause-now': PAUSE_NOW, 'skip-step': SKIP_STEP },
  ...{ 'retry-limit': RETRY_LIMIT, 'raise-budget': RAISE_BUDGET, 'reload-config': RELOAD_CONFIG },
};
const signalName = (verb: Verb): string => SIGNAL_NAMES[verb] ?? verb;

/** The Web UI's help for each. Texts are in double quotes there, because the input is JSON. */
const SAYS: Readonly<Record<Verb, string>> = {
  pause: 'Hold after the running iterations. Input: none, or the reason in double quotes',
  'pause-now': 'Hold at once: agents are ended, their work is kept, nothing is charged. Input: none, or "reason"',
  resume: 'Resume. Input: none, or the id of one idea: {"idea": "id"}',
  review: 'Resume after you looked at the failed ideas. Input: none',
  stop: 'End after the running iterations; finished work still lands. Input: none, or "reason"',
  abort: 'End at once: agents are ended, changes are saved, nothing more lands. Input: none, or "reason"',
  slots: 'How many agents work at once. Input: a number, 1 to 100',
  mode: 'Input: "autopilot", "semi-auto" or "step"',
  approve: 'Mode step: approve all that waits. For one idea: {"idea": "id"}',
  'retry-limit': 'Try closed accounts now. Input: none, or the agent or account: "claude"',
  'raise-budget': 'Raise the budget that is used up. Input: none for the same amount again, or a number',
  'reload-config': 'Easier with: ralphctl config reload. Input: the number of a revision in the files of the run',
  assign: 'Mode semi-auto: start an idea next. Input: "id"',
  retry: 'Run an idea again that is over. Input: "id", or {"idea": "id", "fresh": true} to drop its work first',
  edit: 'Change an idea. Input: {"idea": "id", "title": "…", "patch": {"maxIterations": 20}}',
  rollback: 'Roll an idea back, on its branch or on the target. Input: "id"',
  cleanup: 'Remove the worktree of an idea; its work is saved. Input: "id"',
  limit: 'More iterations for an idea. Input: {"idea": "id", "n": 5}',
  unblock: 'Let a blocked idea start again. Input: "id"',
  skip: 'Leave an idea out of this run. Input: "id", or {"idea": "id", "reason": "…"}',
  'skip-step': 'Skip the current step in the plan of an idea. Input: "id"',
  abandon: 'Give an idea up; its work is kept. Input: "id", or {"idea": "id", "reason": "…"}',
  hint: 'Advice for the next prompt of an idea. Input: {"idea": "id", "text": "use port 8080"}',
  answer: 'Answer the question of an idea; the first answer counts. Input: {"idea": "id", "text": "blue"}',
  bump: 'Put an idea first. Input: "id"',
  score: 'Points added to the score of an idea. Input: {"idea": "id", "n": 100}',
  split: 'Replace an idea by smaller ones. Easier with: ralphctl split',
};

/** Verbs that apply to the run when the input is a plain text. */
const OF_RUN = new Set<string>(RUN_VERBS);

/** Every field is checked later, where the command is planned. */
function commandOf(verb: Verb, first: VerbInput, second: string | number | undefined): Intervention {
  if (typeof first === 'object') {
    // `by` is the older name of `n`.
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

function runCommand(verb: Verb, said: string | number | undefined): Intervention {
  if (verb === 'slots') return { verb, n: Number(said) };
  if (verb === 'mode') return { verb, mode: String(said) as NonNullable<Intervention['mode']> };
  if (verb === 'retry-limit') return { verb, text: said === undefined ? undefined : String(said).trim() };
  if (verb === 'reload-config') return { verb, revision: Number(said) };
  if (verb === 'raise-budget')
    return { verb, n: said === undefined ? undefined : Number(String(said).replace(/^\+/, '')) };
  const reason = said === undefined ? '' : String(said).trim();
  return { verb, reason: reason || undefined };
}

/** Older versions took texts that say nothing, and their histories hold those messages. */
export const refusesEmpty = (verb: 'hint' | 'answer', idea: string, text: string): string | undefined =>
  saysAnything(text) || !patched('empty-texts') ? undefined : emptyText({ verb, idea, text });

/** Runs of older versions passed every answer on, and their histories hold those messages. */
export function giveCommand(pilot: Autopilot, said: Intervention): Outcome {
  const { verb, idea = '', text } = said;
  const empty =
    (verb === 'hint' || verb === 'answer') &&
    typeof text === 'string' &&
    text.trim() !== '' &&
    refusesEmpty(verb, idea, text);
  const command = empty ? { ...said, text: '' } : said;
  if (command.verb !== 'answer') return pilot.command(command);
  // An idea takes an empty id for none, and would never say what became of the answer.
  return pilot.command({ ...command, id: command.id || uuid4() }, !patched('first-answer-counts'));
}

const verbs = [...new Set<Verb>([...RUN_VERBS, ...IDEA_VERBS])];

export const VERB_SIGNALS: SignalRow<RunControls>[] = [
  ...verbs.map((verb) =>
    row<RunControls, [VerbInput, string | number | undefined]>(
      defineSignal<[VerbInput, string | number | undefined]>(signalName(verb)),
      SAYS[verb],
      readVerb,
      ({ tell }, [first, second]) =>
        tell((pilot) => void giveCommand(pilot, { ...commandOf(verb, first, second), by: 'signal' })),
    ),
  ),
  internal(commandSignal, isCommandLike as (value: unknown) => value is Intervention, ({ tell }, [command]) =>
    tell((pilot) => void giveCommand(pilot, command)),
  ),
];
