/** The words that people read instead of the names on the wire. Pure. */
import type { AccountLine, TroubleKind } from '../../protocol/limits.js';
import type { Rejection } from '../../protocol/triage.js';
import { TRIAGE_GATES } from '../../protocol/triage.js';
import type { WarningKind, WarningLine } from '../../protocol/warnings.js';

/** State of the run. */
export const stateWord = (state: string): string => (state === 'waiting_user' ? 'waits for you to start ideas' : state);

/** Why an agent cannot work: as a verb, and as a name where space is short. */
const TROUBLES: Readonly<Record<TroubleKind, readonly [verb: string, name: string]>> = {
  limited: ['is at a usage limit', 'usage limit'],
  provider: ['gets no answer from its provider', 'its provider does not answer'],
  auth: ['needs a login', 'login expired'],
  launch: ['does not start', 'does not start'],
};

export const troubleVerb = (kind: TroubleKind | undefined): string => TROUBLES[kind ?? 'limited'][0];
export const limitWord = ({ kind }: Pick<AccountLine, 'kind'>): string => TROUBLES[kind ?? 'limited'][1];

const WARNINGS: Readonly<Record<WarningLine['kind'], string>> = {
  stuck: 'stuck',
  iterations: 'iterations nearly used',
  budget: 'budget nearly used',
  outside: 'changes outside its worktree',
  worker: 'waits for a worker',
  errors: 'failures in a row',
  push: 'not pushed',
  target: 'landings wait',
  files: 'files of the run',
};

export const warningWord = (kind: WarningLine['kind']): string => WARNINGS[kind] ?? kind;

/** What an open warning of an idea means for it. */
const MEANS: Readonly<Record<WarningKind, string>> = {
  stuck: 'it keeps working until it makes progress, asks you, or reaches a limit',
  iterations: 'it keeps working, and times out when they are used up',
  budget: 'it keeps working, and asks you when it is used up',
  outside: 'it keeps working; who changed this is not known',
  worker: 'it waits, and continues as soon as a worker takes its work',
};

export const warningMeans = (kind: WarningKind): string => MEANS[kind];

/** Gates of triage. */
export const GATE_NAMES: Readonly<Record<Rejection['gate'], string>> = {
  coherence: 'body coherence',
  symptom: 'symptom',
  project: 'project match',
  duplicate: 'duplicates',
  actionable: 'actionability',
  person: 'a person',
};

export const gateNumber = (gate: Rejection['gate']): number | undefined => {
  const at = (TRIAGE_GATES as readonly string[]).indexOf(gate);
  return at < 0 ? undefined : at + 1;
};

/** `gate 1, body coherence`; a person is no gate. */
export function gateText(gate: Rejection['gate']): string {
  const number = gateNumber(gate);
  return number === undefined ? GATE_NAMES[gate] : `gate ${number}, ${GATE_NAMES[gate]}`;
}

const ENDING = new Set<string>(['stopping', 'stopped', 'aborted']);

/** An idea that goes back to the backlog in such a state of the run was ended with it. */
export const isEnding = (state: string | undefined): boolean => state !== undefined && ENDING.has(state);
