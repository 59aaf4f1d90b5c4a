/**
 * When the target is pushed to its remote, and when a failed push is tried again (D2).
 * Invariant: a landing is over before its push begins, and no outcome of a push changes it. One push at a time. A
 * landing or an undo makes the push due at once, whatever wait is left. Without settings for delivery nothing here
 * changes the state. Pure; may import protocol and decide only.
 */

import type {
  DeliveryLine,
  DeliverySettings,
  DeliveryState,
  HeldCause,
  KnownTips,
  NotDelivered,
  PushTargetResult,
} from '../../protocol/delivery.js';
import { many } from '../../protocol/many.js';
import type { AutopilotState } from '../../protocol/run.js';
import { clip, MAX_REASON } from '../text.js';

/** ms */
const LONGEST_WAIT = 15 * 60_000;
/** At the end of a run with nothing else to do. With a first wait of 30 s these tries take 15 minutes. */
const TRIES_AT_END = 6;
const MOST_NAMED = 3;

/** Causes that can pass without a person. */
const PASSES: ReadonlySet<HeldCause> = new Set<HeldCause>(['unreachable', 'moved', 'failed']);
/** Causes that are in the commits: the same commits have the same cause. */
const IN_COMMITS: ReadonlySet<HeldCause> = new Set<HeldCause>(['conflict', 'red', 'foreign', 'secret']);

type Held = NonNullable<DeliveryState['held']>;
type Run = Pick<AutopilotState, 'run' | 'delivery' | 'aborting'>;

/** The target moved. */
export function owePush(state: Pick<AutopilotState, 'delivery'>, settings: DeliverySettings | undefined): void {
  if (settings?.mode !== 'push') return;
  state.delivery = { ...state.delivery, due: true };
  if (state.delivery.held) state.delivery.held = { ...state.delivery.held, at: 0 };
}

/** The push that begins now; at most one. */
export function beginPush(state: Run, now: number): { do: 'push'; known?: KnownTips }[] {
  const { delivery } = state;
  if (!delivery?.due || delivery.busy || holdsStill(state)) return [];
  const { held } = delivery;
  if (held && held.at > now) return [];
  delivery.busy = true;
  delete delivery.due;
  if (!held?.tips || !IN_COMMITS.has(held.cause)) return [{ do: 'push' }];
  const { tips, cause, why } = held;
  return [{ do: 'push', known: { ...tips, cause, why } }];
}

export function endPush(
  state: Pick<AutopilotState, 'delivery'>,
  settings: DeliverySettings,
  result: PushTargetResult,
  now: number,
): void {
  const { due, held } = state.delivery ?? {};
  if (result.kind === 'pushed') {
    // What landed during the push goes with the next one.
    if (due) state.delivery = { due };
    else delete state.delivery;
    return;
  }
  const { cause, why, commits, ideas, tips } = result;
  const tries = (held?.tries ?? 0) + 1;
  const wait = Math.min(LONGEST_WAIT, settings.retryMs * 2 ** Math.min(tries - 1, 20));
  const next = { cause, why: clip(why, MAX_REASON), ideas, tries, since: held?.since ?? now, at: due ? 0 : now + wait };
  state.delivery = {
    due: true,
    held: { ...next, ...(commits === undefined ? {} : { commits }), ...(tips ? { tips } : {}) },
  };
}

const holdsStill = ({ run, aborting }: Run): boolean => aborting === true || run === 'paused' || run === 'pausing';

/** Whether a person should hear of it: it will not pass, or it has not passed for a while. */
export const needsPerson = ({ cause, tries }: Pick<Held, 'cause' | 'tries'>): boolean =>
  !PASSES.has(cause) || tries >= 3;

/** When to look again without an event; epoch ms. */
export function pushWakesAt(state: Run): number | undefined {
  const { delivery } = state;
  if (!delivery?.due || delivery.busy || holdsStill(state)) return undefined;
  return delivery.held && delivery.held.at > 0 ? delivery.held.at : undefined;
}

/** Whether a push is all that the run still does. */
export const onlyPushes = (
  { delivery, lane, landing }: Pick<AutopilotState, 'delivery' | 'lane' | 'landing'>,
  open: number,
): boolean => delivery?.busy === true && open === 0 && lane.length === 0 && landing === undefined;

/** Whether a run with nothing else to do stays open for a push. */
export function waitsForPush({ delivery, run, aborting }: Run): boolean {
  if (!delivery) return false;
  if (delivery.busy) return true;
  if (!delivery.due || aborting) return false;
  const { held } = delivery;
  if (!held || held.at === 0) return true;
  return run !== 'stopping' && PASSES.has(held.cause) && held.tries < TRIES_AT_END;
}

const RETRIES = 'An open run retries by itself; to retry now: ralphctl sync';
const LATER = 'To push it: ralphctl sync, or the next ralphctl start';
const SET_BACK = 'Set it back, or end the run and start another one: ralphctl stop; then: ralphctl start';
const JOIN = 'Join both in your checkout: ';
/** A merge: open ideas stand on the landed commits, which a rebase would replace. */
const joinBy = (to: string): string => `${JOIN}git pull --no-rebase ${to.replace('/', ' ')}`;
const FIX: Readonly<Record<HeldCause, (to: string) => string>> = {
  unreachable: () => RETRIES,
  moved: () => RETRIES,
  failed: () => RETRIES,
  rejected: () => `Allow the push there, or fix what its answer names. ${RETRIES}`,
  rewound: () => `Then: ralphctl sync`,
  conflict: (to) => `${joinBy(to)}; then: ralphctl sync`,
  red: (to) => `${joinBy(to)}, fix it, commit; then: ralphctl sync`,
  foreign: (to) => `${joinBy(to)}; then: ralphctl sync`,
  secret: () => 'Take it out of these commits, or allow its file in landing.secretsAllowed; then: ralphctl sync',
  remote: () => SET_BACK,
};

/** `2 commits (t-1, t-2) are not on origin/main: …`, with the fix. */
export function heldText({ cause, why, commits, ideas }: NotDelivered, to: string): string {
  const names = ideas.slice(0, MOST_NAMED).join(', ') + (ideas.length > MOST_NAMED ? ', …' : '');
  const of = names === '' ? '' : ` (${names})`;
  const what =
    commits === undefined
      ? `Landed work${of} may not be on`
      : `${commitsText(commits)}${of} ${commits === 1 ? 'is' : 'are'} not on`;
  return `${what} ${to}: ${why}. ${FIX[cause](to)}`;
}

/** The same text once no run is open: no run retries, and none has to end. */
export const heldAfterRun = (text: string): string => text.replace(RETRIES, LATER).replace(SET_BACK, LATER);

/** Whether the text of {@link heldText} asks a person to join the target and the remote. */
export const asksToJoin = (text: string): boolean => text.includes(JOIN);

/** The text without its last command, for a list that names the command itself. */
export const heldWithoutSync = (text: string): string =>
  heldAfterRun(text)
    .replace(` ${LATER}`, '')
    .replace(/(?:; then|\. Then|\. Push it with): ralphctl sync$/, '');

const commitsText = (commits: number): string => many(commits, 'commit');

/** For `status`; undefined while the remote has everything, or the first push is about to begin. */
export function deliveryLine(
  delivery: DeliveryState | undefined,
  settings: DeliverySettings | undefined,
): DeliveryLine | undefined {
  const held = delivery?.held;
  if (!held || !settings) return undefined;
  const { since, at } = held;
  return { to: settings.to, text: heldText(held, settings.to), since, ...(at > 0 ? { at } : {}) };
}
