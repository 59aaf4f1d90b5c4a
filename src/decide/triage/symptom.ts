/**
 * Gate 2, symptom or reproduction path: whether the report names something that a developer can check. An error message
 * counts, so do steps, and so does an observation with its action or its part of the program.
 * English reports without an error message are judged by the weighed cues of cues.ts, others by the evidence alone.
 */
import type { Doubt } from './coherence.js';
import { BIAS, WEIGHTS } from './cue-weights.js';
import { type Cues, cuesOf } from './cues.js';
import { notActionable } from './judged.js';
import type { Readable } from './readable.js';
import type { Shown } from './shown.js';
import { wordsOf } from './words.js';

/** Undefined: the report has a symptom. Reports in unknown languages pass. */
export function noSymptom(report: Readable, shown: Shown): Doubt | undefined {
  if (shown.error !== undefined) return undefined;
  return shown.language === 'en' ? byCues(report, shown) : byEvidence(report, shown);
}

const WISH = 'this is a wish or a question: it describes no symptom';
const NOTHING = 'there is no symptom, no error message and no way to reproduce it';

/** The sum of the weights. Above 0: rather no symptom than one. */
export const doubtOf = (cues: Cues): number =>
  Object.entries(cues).reduce((sum, [name, value]) => sum + (WEIGHTS[name as keyof Cues] ?? 0) * value, BIAS);

function byCues(report: Readable, shown: Shown): Doubt | undefined {
  // It says why no change of the code helps: gate 5 has the better reason.
  if (notActionable(report)) return undefined;
  const { seen, hard, anchors, asks, questions, steps } = shown;
  if (hard && anchors >= 2 && !asks) return undefined;
  const cues = cuesOf(report, shown);
  const wish = asks || questions || cues.wishes > 0;
  const doubt = { reason: wish ? WISH : NOTHING, about: report.said };
  const nothing = !seen && !hard && !steps && !report.picture;
  if (nothing && (anchors === 0 || questions || TALK.test(report.said))) return doubt;
  return doubtOf(cues) > 0 ? doubt : undefined;
}

function byEvidence(report: Readable, shown: Shown): Doubt | undefined {
  if (shown.language === undefined && !shown.asks) return undefined;
  const { steps, contrast, seen, hard, vague, anchors, firm, asks, questions } = shown;
  const wish = { reason: WISH, about: report.said };
  if (asks) return seen && contrast && anchors >= (hard ? 1 : 2) ? undefined : hard && anchors >= 2 ? undefined : wish;
  if (questions && !seen) return wish;
  if (steps && (seen || vague || contrast || anchors >= 2)) return undefined;
  if (contrast && anchors >= 1 && (hard || !vague || firm >= 1)) return undefined;
  const talk = TALK.test(report.said);
  if (hard && anchors >= (talk ? 2 : 1)) return undefined;
  if (seen && (vague ? firm >= 1 && anchors >= 2 : anchors >= (talk ? 2 : 1))) return undefined;
  if (anchors >= (vague ? 3 : 2) && !talk) return undefined;
  if (report.picture && (seen || vague || wordsOf(report.title).length >= 3)) return undefined;
  return { reason: NOTHING, about: report.said };
}

/** Matches praise, complaints and advertising. */
const TALK =
  /\b(?:thank(?:s| you)|contact me|my boss|competitors?|stakeholders?|your (?:company|support|team)|quality|experience|ashamed|satisfaction|guaranteed|best prices?|offer|discount code|look and feel|forum|in general|ignore all)\b/i;
