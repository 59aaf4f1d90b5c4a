/**
 * Lists the commands that a person can give about an idea now, each complete and with its effect, the most useful
 * first.
 * Invariant: lists only commands that the caller gives as possible. Pure.
 */
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

/** `possible`: as the run names them, e.g. `pause --now`. */
export function commandsNow(idea: string, status: IdeaStatus, possible: readonly string[]): string[] {
  const order = [...new Set([...(FIRST[status] ?? []), ...Object.keys(COMMANDS)])];
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

/** Commands that need no open run. `givenUp`: no start runs the idea before a retry. */
export function commandsAfter(
  idea: string,
  status: IdeaStatus,
  { commit, givenUp = false }: { commit?: string; givenUp?: boolean } = {},
): string[] {
  if (status === 'landed')
    return [
      ...(commit ? [`ralphctl rollback ${idea} (takes it off the target, through the gate)`] : []),
      `ralphctl start --again ${idea} (runs it again)`,
    ];
  return [
    givenUp
      ? `ralphctl retry ${idea} (it is abandoned; with this, the next start runs it again)`
      : 'ralphctl start (tries it again, its work so far is kept)',
    ...(AFTER[status] ?? []).map((one) => written(COMMANDS[one] ?? [one, ''], idea)),
    `ralphctl logs ${idea} (what its agent said and did)`,
    `ralphctl saves ${idea} (its saved work)`,
  ];
}
