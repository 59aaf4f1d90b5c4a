/**
 * Message definitions of both workflows. Names come from the protocol, so that clients need not load the SDK's
 * workflow package. May import protocol, types of decide and @temporalio/workflow only.
 */
import {
  defineQuery,
  defineSignal,
  defineUpdate,
  type SignalDefinition,
  setDefaultSignalHandler,
  setHandler,
} from '@temporalio/workflow';
import type { Configured, Edited, Granted, Resync, UseAgent } from '../decide/messages/between.js';
import { isCommandLike, readVerb, type VerbInput } from '../decide/messages/said.js';
import type { Autopilot } from '../decide/run/autopilot.js';
import type { AlertBatch } from '../protocol/alerts.js';
import { IDEA_VERBS, type Intervention, type InterventionAnswer, RUN_VERBS, type Verb } from '../protocol/command.js';
import type { IdeaCard } from '../protocol/idea.js';
import type { IdeaReport, Verdict } from '../protocol/idea-run.js';
import {
  ABORT,
  ANSWER,
  APPROVE,
  COMMAND,
  CONFIGURED,
  EDITED,
  ENQUEUE,
  HINT,
  IDEA_REPORT,
  IDEA_STATUS,
  IDEAS,
  PAUSE,
  PAUSE_NOW,
  RAISE_BUDGET,
  RELOAD_CONFIG,
  RESUME,
  RESYNC,
  RETRY_LIMIT,
  SET_SLOTS,
  SET_STEP,
  SKIP_STEP,
  SLOT_GRANTED,
  STATUS,
  STOP,
  TAKE_ALERTS,
  TELL,
  USE_AGENT,
  VERDICT,
  WARN,
  WHY,
} from '../protocol/names.js';
import type { AutopilotInput } from '../protocol/run.js';
import type { IdeaPage, IdeaPageRequest, IdeaView, RunStatus, WhyView } from '../protocol/views.js';
import type { WarningAnswer } from '../protocol/warnings.js';
import { isUnreadable } from './payloads.js';

/** A person's message to an idea, as `decide/messages/said.ts` reads it: a text, where there is one. */
type Said = string | undefined;

/** To the workflow that delivers alerts. */
export const takeAlertsSignal = defineSignal<[AlertBatch]>(TAKE_ALERTS);

export const pauseSignal = defineSignal<[Said]>(PAUSE);
export const pauseNowSignal = defineSignal<[Said]>(PAUSE_NOW);
export const resumeSignal = defineSignal<[Said]>(RESUME);
export const stopSignal = defineSignal<[Said, boolean]>(STOP);
export const abortSignal = defineSignal<[Said]>(ABORT);
export const approveSignal = defineSignal<[Said]>(APPROVE);
export const hintSignal = defineSignal<[string]>(HINT);
export const answerSignal = defineSignal<[string]>(ANSWER);

export const reportSignal = defineSignal<[IdeaReport]>(IDEA_REPORT);

export const warnSignal = defineSignal<[WarningAnswer]>(WARN);

export const slotSignal = defineSignal<[Granted]>(SLOT_GRANTED);
export const agentSignal = defineSignal<[UseAgent]>(USE_AGENT);
export const verdictSignal = defineSignal<[Verdict]>(VERDICT);
export const editedSignal = defineSignal<[Edited]>(EDITED);
export const skipStepSignal = defineSignal<[Said]>(SKIP_STEP);
export const configuredSignal = defineSignal<[Configured]>(CONFIGURED);
export const setStepSignal = defineSignal<[boolean]>(SET_STEP);
export const commandSignal = defineSignal<[Intervention]>(COMMAND);
export const resyncSignal = defineSignal<[Resync]>(RESYNC);

export const statusQuery = defineQuery<RunStatus | undefined>(STATUS);
export const whyQuery = defineQuery<WhyView | undefined, [string]>(WHY);
export const ideasQuery = defineQuery<IdeaPage | undefined, [IdeaPageRequest?]>(IDEAS);
export const ideaQuery = defineQuery<IdeaView>(IDEA_STATUS);

/** ralphctl sends `tell`. Clients of 0.1 send this one, and a history that holds it replays only with a handler (decision 026). */
export const setSlotsUpdate = defineUpdate<number, [number]>(SET_SLOTS);
export const tellUpdate = defineUpdate<InterventionAnswer, [Intervention]>(TELL);
export const enqueueUpdate = defineUpdate<number, [IdeaCard[]]>(ENQUEUE);

/*
 * Handlers of Temporal signals as rows of a table.
 * Invariant: anybody can send anything under any name, and an error in a handler would block the workflow for good. So
 * each row reads its input before it acts. Unreadable input changes nothing and is reported.
 * Messages between the two workflows use the default handler, so that the Web UI does not offer them.
 */

/** Longest message between the workflows, as JSON: the sum of them must fit an activity payload. */
const MAX_INTERNAL = 1_000_000;

export interface SignalRow<On> {
  name: string;
  /** Help for the person who sends it. Absent: between the workflows. */
  description?: string;
  /** Returns why the message was ignored. */
  take: (on: On, args: readonly unknown[]) => string | undefined | Promise<string | undefined>;
}

type Read<Args extends unknown[]> = (args: readonly unknown[]) => Args | { problem: string };

const taking =
  <On, Args extends unknown[]>(read: Read<Args>, act: (on: On, args: Args) => void | Promise<void>) =>
  (on: On, args: readonly unknown[]): string | undefined | Promise<string | undefined> => {
    const said = read(args);
    if ('problem' in said) return said.problem;
    const done = act(on, said);
    return done instanceof Promise ? done.then(() => undefined) : undefined;
  };

/** A signal that people send. */
export function row<On, Args extends unknown[]>(
  { name }: SignalDefinition<Args>,
  description: string,
  read: Read<Args>,
  act: (on: On, args: Args) => void | Promise<void>,
): SignalRow<On> {
  return { name, description, take: taking(read, act) };
}

/** A signal of a ralphctl program, with one argument. */
export function internal<On, T>(
  { name }: SignalDefinition<[T]>,
  check: (value: unknown) => value is T,
  act: (on: On, args: [T]) => void | Promise<void>,
): SignalRow<On> {
  const read: Read<[T]> = ([value]) => {
    if (!check(value)) return { problem: 'only a workflow of ralphctl may send this message' };
    return JSON.stringify(value).length > MAX_INTERNAL ? { problem: 'the message is too long' } : [value];
  };
  return { name, take: taking(read, act) };
}

/** `ignored` gets the name of an ignored signal, and the reason. */
export function registerSignals<On>(
  on: On,
  rows: readonly SignalRow<On>[],
  ignored: (name: string, why: string) => void,
): void {
  const tell = (name: string, why: string | undefined): void => {
    if (why !== undefined) ignored(name, why);
  };
  const receive = ({ name, take }: SignalRow<On>, args: unknown[]): void | Promise<void> => {
    const unreadable = args.find(isUnreadable);
    if (unreadable) return tell(name, unreadable.why);
    const result = take(on, args);
    if (result instanceof Promise) return result.then((why) => tell(name, why));
    return tell(name, result);
  };
  const unlisted = new Map<string, SignalRow<On>>();
  for (const one of rows) {
    const { name, description } = one;
    if (description === undefined) unlisted.set(name, one);
    else setHandler(defineSignal<unknown[]>(name), (...args: unknown[]) => receive(one, args), { description });
  }
  setDefaultSignalHandler((name, ...args) => {
    const one = unlisted.get(name);
    if (one) return receive(one, args);
    tell(name, 'there is no such signal');
  });
}

export interface RunControls {
  input: AutopilotInput;
  /** Undefined until the run has been opened. */
  pilot: () => Autopilot | undefined;
  /** Queues an event for the main loop. */
  tell: (event: (pilot: Autopilot) => void) => void;
}

/*
 * Commands as plain Temporal signals of the run, one per verb, for the Web UI and `temporal workflow signal`.
 * Input: a text (the reason; for verbs about an idea its id, with an optional second text), or an object shaped like a
 * command. An illegal command changes nothing, and the run's events give the reason.
 */

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
  answer: 'Answer the question of an idea. Input: {"idea": "id", "text": "blue"}',
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

const verbs = [...new Set<Verb>([...RUN_VERBS, ...IDEA_VERBS])];

export const VERB_SIGNALS: SignalRow<RunControls>[] = [
  ...verbs.map((verb) =>
    row<RunControls, [VerbInput, string | number | undefined]>(
      defineSignal<[VerbInput, string | number | undefined]>(signalName(verb)),
      SAYS[verb],
      readVerb,
      ({ tell }, [first, second]) =>
        tell((pilot) => void pilot.command({ ...commandOf(verb, first, second), by: 'signal' })),
    ),
  ),
  internal(commandSignal, isCommandLike as (value: unknown) => value is Intervention, ({ tell }, [command]) =>
    tell((pilot) => void pilot.command(command)),
  ),
];
