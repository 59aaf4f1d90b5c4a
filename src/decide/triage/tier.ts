/**
 * Tiers estimate the duration of a fix. Rules give the first estimate, and the durations of similar landed ideas
 * correct it.
 * Invariant: without past work the rules alone decide. One unusual idea cannot move an estimate far.
 */
import type { PastWork, Tier } from '../../protocol/triage.js';
import { conceptsOf, weightOfConcept } from './concepts.js';
import { eachOf, type Slices, whole } from './slices.js';

const MINUTE = 60_000;
const BEFORE: Readonly<Record<Tier, number>> = { T1: 1 * MINUTE, T2: 5 * MINUTE, T3: 20 * MINUTE };

export const tierOf = (ms: number): Tier => (ms < 2 * MINUTE ? 'T1' : ms < 10 * MINUTE ? 'T2' : 'T3');

const LONG =
  /\bmigrat\w+|\bschema\b|\bdatabase\b|\bpermissions?\b|\broles?\b|\baccess control\b|\brace\b|\bdeadlocks?\b|\bconcurren\w+|\bmemory\b|\bleaks?\b|\b(?:all|every|several|many) (?:pages?|screens?|modules?|services?)\b|\bperformance\b|\bslow\w*\b|\bquer(?:y|ies)\b|\bcach(?:e|ing)\b|\btime ?zones?\b|\bat the same time\b|\bsegfault|\bsegmentation\b|\bprotocol\b|\btakes \d+ ?(?:s|seconds|min)|\b\d{2,} ?(?:s|seconds) to\b|\btimes? ?out\b|\btimeout\b|\bencryption\b|\brefactor\w*/i;
const SHORT =
  /\btypo\b|\bmisspell\w*|\bspelling\b|\bwording\b|\blabel\b|\btooltip\b|\bcolou?rs?\b|\bpadding\b|\bmargin\b|\balign\w*|\bspacing\b|\bz-index\b|\boverlaps?\b|\bcut off\b|\bbroken link\b|\bwrong (?:link|unit|text|icon|flag|exit code)\b|\blinks? to\b|\bpoints? to\b|\btranslation\b|\breadme\b|\bdocs?\b|\boff by one\b|\bexit(?:s|ed)? (?:code )?\d|\bexit code\b|\bunknown option\b|\bcannot read propert|\bnonetype\b|\bnull\b|\bundefined\b|\bnan\b|\bis not defined\b|\bmodulenotfound|\bcannot find module\b|\bconfig(?:uration)? (?:value|key)\b|\bdefault value\b|\bplaceholder\b/i;

/** The estimate from the rules alone. */
export function tierByRules(text: string): Tier {
  if (LONG.test(text)) return 'T3';
  return SHORT.test(text) ? 'T1' : 'T2';
}

interface Lesson {
  tier: Tier;
  log: number;
  concepts: ReadonlySet<string>;
}

/** The rules weigh as much as this many ideas. */
const TRUST = 3;
const LEAST_NEAR = 3;
const MOST_LESSONS = 500;

export interface Estimate {
  tier: Tier;
  estimateMs: number;
  learntFrom: number;
}

/** `guess`: an agent's estimate in ms, in place of the rules'. */
export type Estimator = (text: string, guess?: number) => Estimate;

/** `past`: newest first. Uses ideas about the same concepts once enough exist, else all ideas of the same tier. */
export const learn = (past: readonly PastWork[]): Estimator => whole(learning(past));

export function* learning(past: readonly PastWork[]): Slices<Estimator> {
  const timed = past.filter(({ ms }) => Number.isFinite(ms) && ms > 0).slice(0, MOST_LESSONS);
  const lessons = yield* eachOf(timed, ({ title, text, ms }): Lesson => {
    const all = `${title}\n${text}`.slice(0, 20_000);
    return { tier: tierByRules(all), log: Math.log(ms), concepts: conceptsOf(all) };
  });
  return (text, guessMs) => {
    const guess = guessMs === undefined ? tierByRules(text) : tierOf(guessMs);
    const such = lessons.filter(({ tier }) => tier === guess);
    const concepts = conceptsOf(text);
    const near = such.filter((lesson) => shared(lesson.concepts, concepts) >= 3);
    const used = near.length >= LEAST_NEAR ? near : such;
    const sum = used.reduce((all, { log }) => all + log, TRUST * Math.log(guessMs ?? BEFORE[guess]));
    const estimateMs = Math.round(Math.exp(sum / (TRUST + used.length)));
    return { tier: tierOf(estimateMs), estimateMs, learntFrom: used.length };
  };
}

function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let sum = 0;
  for (const one of a) if (b.has(one)) sum += weightOfConcept(one);
  return sum;
}

/** Up to this many reports, T3 keeps its place by score. */
export const SMALL_BACKLOG = 5;

/** Sorts T1 and T2 by score, then T3; a small backlog sorts everything by score. */
export function inOrder<T extends { id: string; score: number; tier: Tier }>(list: readonly T[]): T[] {
  const late = (one: T): number => (list.length > SMALL_BACKLOG && one.tier === 'T3' ? 1 : 0);
  return [...list].sort((a, b) => late(a) - late(b) || b.score - a.score || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}
