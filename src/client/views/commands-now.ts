/**
 * Lists the commands that a person can give about an idea now, each complete and with its effect, the most useful
 * first.
 * Invariant: lists only commands that the caller gives as possible. Pure.
 */
import { ranOutOf } from '../../decide/idea/completion.js';
import type { Gone, Renamed } from '../../model/model.js';
import type { LineGone } from '../../model/since.js';
import { againCommand, type StartAgain, startCommand } from '../../model/start-again.js';
import type { IdeaVerb } from '../../protocol/command.js';
import type { IdeaStatus } from '../../protocol/states.js';

/** In the order of use. `%` is the idea's id. */
const COMMANDS: Readonly<Record<string, readonly [command: string, effect: string]>> = {
  approve: ['approve %', 'lets it continue, or land'],
  answer: ['answer % "…"', 'answers its question'],
  resume: ['resume %', 'lets it continue'],
  retry: ['retry %', 'starts it again with a new count; its work is kept'],
  unblock: ['unblock %', 'queues it again'],
  limit: ['limit % 10', 'grants 10 more iterations'],
  hint: ['hint % "…"', 'adds advice to its next prompt'],
  edit: ['edit %', 'changes its text and limits'],
  time: ['edit % --timeout MINUTES', 'gives it more working time'],
  'one run': ['edit % --iteration-timeout MINUTES', 'lets an agent run take longer'],
  assign: ['assign %', 'starts it in the next free slot'],
  bump: ['bump %', 'puts it first in the queue'],
  pause: ['pause %', 'holds it after its iteration'],
  'pause --now': ['pause % --now', 'ends its agent and holds it'],
  stop: ['stop %', 'ends it after its iteration and holds it'],
  split: ['split %', 'replaces it with smaller ideas'],
  'skip --step': ['skip % --step', 'leaves out the current step of its plan'],
  skip: ['skip %', 'leaves it out of this run'],
  score: ['score % 10', 'adds 10 points to its score'],
  rollback: ['rollback %', 'takes its commits back'],
  cleanup: ['cleanup %', 'saves its work and removes its worktree'],
  abandon: ['abandon %', 'leaves it out of this run and later ones'],
};

/** Commands that come first in a status. */
const FIRST: Partial<Record<IdeaStatus, readonly string[]>> = {
  timeout: ['limit', 'retry', 'hint'],
  blocked: ['unblock', 'hint'],
  failed: ['retry', 'hint'],
  running: ['hint', 'pause', 'stop'],
};

const written = ([command, effect]: readonly [string, string], idea: string): string =>
  `ralphctl ${command.replace('%', idea)} (${effect})`;

/** What has to be longer for an idea that timed out; undefined: it needs more iterations. */
function longer(status: IdeaStatus, reason: string | undefined): 'time' | 'one run' | undefined {
  const out = status === 'timeout' ? ranOutOf(reason) : 'iterations';
  return out === 'iterations' ? undefined : out;
}

/** `possible`: as the run names them, e.g. `pause --now`. */
export function commandsNow(idea: string, status: IdeaStatus, allowed: readonly string[], reason?: string): string[] {
  // More iterations do not help it.
  const late = longer(status, reason);
  const possible = late
    ? allowed.flatMap((one) => (one === 'limit' ? [] : one === 'edit' ? [late, one] : one))
    : allowed;
  const first = late ? [late, 'retry', 'hint'] : (FIRST[status] ?? []);
  const order = [...new Set([...first, ...Object.keys(COMMANDS)])];
  const same = (one: string): boolean => one === 'unblock' && possible.includes('resume');
  const known = order.filter((one) => possible.includes(one) && !same(one));
  const others = possible.filter((one) => !(one in COMMANDS));
  return [
    ...known.flatMap((one) => (COMMANDS[one] ? [written(COMMANDS[one], idea)] : [])),
    ...others.map((one) => `ralphctl ${one} ${idea}`),
  ];
}

/** Commands besides `start`, while no run is open. */
const AFTER: Partial<Record<IdeaStatus, readonly string[]>> = {
  timeout: ['limit', 'hint'],
  blocked: ['hint'],
  failed: ['hint'],
};

export interface AfterRun {
  /** Of its status. */
  reason?: string | undefined;
  commit?: string | undefined;
  /** Abandoned, rolled back or skipped after the run: no start, or not the next one, runs it before a retry. */
  out?: 'abandoned' | 'rolled back' | 'skipped' | undefined;
  /** Ideas for which it waits, and which the next start leaves out until a retry. */
  first?: readonly string[] | undefined;
  /** That its branch is behind its target, as a sentence without its end. */
  behind?: string | undefined;
  /** Its landed work is no longer on the target. */
  off?: Gone | undefined;
  /** It has a branch all the same: a later run worked on it. */
  branch?: true | undefined;
  /** Its target does not exist any more, and another branch has what landed there. */
  renamed?: Renamed | undefined;
  /** A person has queued it again since. */
  queued?: boolean | undefined;
  /** An agent has worked on it. */
  worked?: boolean | undefined;
  /** There are saves of its work. */
  saved?: boolean | undefined;
  /** Its uncommitted work was taken out of its worktree, into this save. `back`: the next start brings it back. */
  putAway?: { n: number; back: boolean } | undefined;
  /** The next start begins it anew. */
  anew?: boolean | undefined;
  /** Its rollback was refused, and would be again. */
  refused?: boolean | undefined;
  /** All verbs that it takes. */
  accepts?: readonly IdeaVerb[] | undefined;
  /** It has a single attempt. */
  single?: boolean | undefined;
  /** How the next run starts. */
  start?: StartAgain | undefined;
  /** The backlog does not have it any more. `command` shows the last version that had it. */
  lineGone?: (LineGone & { command?: string | undefined }) | undefined;
}

/** Commands that need no open run. */
export function commandsAfter(
  idea: string,
  status: IdeaStatus,
  {
    commit,
    out,
    off,
    branch,
    refused,
    renamed,
    queued,
    anew,
    worked,
    saved = worked,
    putAway,
    reason,
    single,
    start,
    lineGone,
    first = [],
  }: AfterRun = {},
): string[] {
  const again = againCommand(idea, start);
  const late = longer(status, reason);
  const after = (AFTER[status] ?? []).filter((one) => !(single && one === 'limit'));
  const anyway = again === undefined || lineGone ? [] : [`${again} (runs it again)`];
  const inspect = [
    ...(worked ? [`ralphctl logs ${idea} (what its agent said and did)`] : []),
    ...(saved ? [`ralphctl saves ${idea} (its saved work)`] : []),
  ];
  const line = lineGone?.command ? [`${lineGone.command} (has its line; with it, a start runs it again)`] : [];
  if (lineGone && status !== 'landed') return [...line, ...inspect];
  if (off) return [offCommand(idea, off, { out, queued, start, branch }), ...inspect];
  if (status === 'landed' && renamed) return renamed.commands.map((one) => `${one} (${renamedEffect(one)})`);
  if (status === 'landed')
    return [
      ...(commit && !refused ? [`ralphctl rollback ${idea} (takes it off the target, through the gate)`] : []),
      ...anyway,
    ];
  const before = first.map((one) => `ralphctl retry ${one} (${idea} waits for it, and a start leaves it out)`);
  const asks = status === 'needs-human' && !out ? [written(COMMANDS.answer ?? ['answer', ''], idea)] : [];
  return [
    ...asks,
    ...before,
    out
      ? `ralphctl retry ${idea} (it is ${out}; with this, the next start runs it again)`
      : `${startCommand(start)} (${first.length > 0 ? 'then ' : ''}${startEffect(idea, { anew, worked, putAway })})`,
    ...(late ? [late, 'hint'] : after).map((one) => written(COMMANDS[one] ?? [one, ''], idea)),
    ...inspect,
  ];
}

/** The one command that is needed. */
function offCommand(idea: string, off: Gone, { out, queued, start, branch }: AfterRun): string {
  if (queued) return `${startCommand(start)} (${branch ? 'continues from its branch' : 'runs it from its beginning'})`;
  if (off.noBranch) return `${off.command} (brings the branch back)`;
  if (off.runs && !out) return `${off.command} (runs it again)`;
  return `${off.runs ? `ralphctl retry ${idea}` : off.command} (with this, the next start runs it again)`;
}

const renamedEffect = (command: string): string =>
  command.startsWith('git ') ? 'gives the target its branch back' : 'goes on with that branch';

function startEffect(idea: string, { anew, worked, putAway }: AfterRun): string {
  if (!worked) return 'runs it';
  if (putAway && !putAway.back && !anew)
    return `continues from its branch, without its save ${putAway.n}: ralphctl saves restore ${idea} ${putAway.n}`;
  return anew ? 'runs it from its beginning' : 'tries it again, its work so far is kept';
}

/** Verbs that the idea takes too while no run is open, and that no listed command names. */
export function alsoAfter(idea: string, { accepts = [], refused }: AfterRun, commands: readonly string[]): string[] {
  const named = (verb: string): boolean => commands.some((one) => `${one} `.startsWith(`ralphctl ${verb} ${idea} `));
  return accepts
    .filter((verb) => !named(verb) && !(refused && verb === 'rollback'))
    .map((verb) => (verb === 'skip-step' ? 'skip --step' : verb))
    .sort();
}
