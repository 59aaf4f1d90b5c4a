/**
 * Why a running run stands still: a person paused or held what is left. `status`, the full screen and the Web UI say it
 * in the same words.
 * May import protocol and decide only.
 */
import type { AccountLine } from '../../protocol/limits.js';
import type { ShownState } from '../../protocol/states.js';
import type { IdeaLine, RunStatus } from '../../protocol/views.js';

/**
 * What waits for a person, and what rests because a person put it on hold. The full screen, `status` and the Web UI list
 * and count both alike: a held idea asks nothing.
 */
export function needsAndHeld({ attention, held = [] }: Pick<RunStatus, 'attention' | 'held'>): {
  needs: IdeaLine[];
  held: IdeaLine[];
} {
  const rests = (line: IdeaLine): boolean => line.held === true && line.status === 'pending' && line.approval !== true;
  return { needs: attention.filter((line) => !rests(line)), held: [...attention.filter(rests), ...held] };
}

/** What the run itself needs of a person, beside its ideas. `fix`: what to do before the command. */
export interface RunNeed {
  kind: 'review' | 'login';
  /** `run`, or the agents. */
  name: string;
  text: string;
  fix: string;
  command: string;
}

interface RunSeen {
  review?: boolean | undefined;
  why?: string | undefined;
  state: string;
  accounts?: Iterable<AccountLine> | undefined;
}

/** A run that stops takes neither command. */
export function needsOfRun({ review, why, state, accounts = [] }: RunSeen): RunNeed[] {
  if (state === 'stopping') return [];
  const run = { kind: 'review', name: 'run', text: inARowText(why), fix: 'look at them, then: ' } as const;
  const logins = [...accounts].filter((one) => one.kind === 'auth' && one.state !== 'open');
  return [
    ...(review ? [{ ...run, command: 'ralphctl review' }] : []),
    ...logins.map(({ agents, key, reason = 'needs a login' }) => {
      const name = agents.join(', ') || key;
      const fix = `log in to ${name}, then: `;
      return { kind: 'login' as const, name, text: reason, fix, command: 'ralphctl limits retry' };
    }),
  ];
}

/** `2 ideas failed one after another`: the reason of the pause without its command. */
const inARowText = (why = ''): string =>
  /\d+ ideas? failed one after another/.exec(why)?.[0] ?? 'ideas failed one after another';

/** `nothing runs: 1 paused, 1 held` */
export function restingText({ paused, held }: { paused: number; held: number }): string {
  const parts = [paused > 0 ? `${paused} paused` : '', held > 0 ? `${held} held` : ''];
  return `nothing runs: ${parts.filter((one) => one !== '').join(', ')}`;
}

type Seen = Pick<RunStatus, 'counts' | 'next' | 'active' | 'attention' | 'held'> & { state: ShownState };

/** `first`: the idea to resume first. Undefined while an idea works, lands, waits for a slot or can start. */
export function nothingRuns({
  state,
  counts,
  next,
  active,
  ...lists
}: Seen): { text: string; first: string } | undefined {
  if (state !== 'running' || counts.running + counts.landing + counts['wants-slot'] + next.length > 0) return undefined;
  const paused = active.filter((one) => one.status === 'paused' && !one.approval);
  const { held } = needsAndHeld(lists);
  const first = [...paused, ...held][0];
  return first && { text: restingText({ paused: paused.length, held: held.length }), first: first.id };
}
