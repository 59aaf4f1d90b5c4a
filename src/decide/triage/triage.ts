/**
 * Triage: five gates in order, then score and tier. Every rejection has gate, reason and quote. Thousands of long reports
 * take seconds, so it comes in slices, too.
 * Invariant: pure; never throws for any report. The order of the reports does not change the verdicts.
 */
import {
  type BugReport,
  type KnownWork,
  type Overrule,
  type PastWork,
  RECENT_DAYS,
  type ReadGate,
  type Reading,
  type Rejection,
  type ScorePart,
  type Survivor,
  type Triage,
  type TriageGate,
} from '../../protocol/triage.js';
import { incoherent } from './coherence.js';
import { duplicates, type KnownFeatures, type Repeats } from './duplicates.js';
import { type Features, featuresOf } from './features.js';
import { elsewhere, notActionable, projectFacts } from './judged.js';
import { quoteOf } from './quote.js';
import { type Readable, readable } from './readable.js';
import { scoreOf, total } from './score.js';
import { shownIn } from './shown.js';
import { eachOf, type Slices, whole } from './slices.js';
import { noSymptom } from './symptom.js';
import { inOrder, learning } from './tier.js';

export interface TriageInput {
  reports: readonly BugReport[];
  /** Verdicts of people, by report id. */
  overrules: ReadonlyMap<string, Overrule>;
  /** Running ideas and landed ideas. */
  known: readonly KnownWork[];
  /** Landed ideas of this project, newest first. */
  past: readonly PastWork[];
  /** Paths of the project's files. Empty: unknown. */
  files: readonly string[];
  /** ISO time. */
  now: string;
  /** What an agent says of reports, by id: it takes the place of the rules of gates 3 and 5, and of the estimate. */
  readings?: ReadonlyMap<string, Reading>;
}

const DAY = 24 * 60 * 60_000;

interface Judged {
  report: BugReport;
  read: Readable;
  score: number;
  parts: ScorePart[];
  accepted: string | undefined;
  reading: Reading | undefined;
}

export const triage = (input: TriageInput): Triage => whole(triaging(input));

export function* triaging(input: TriageInput): Slices<Triage> {
  const { reports, overrules } = input;
  const open = reports.filter(({ state }) => state === 'open');
  const rejected = new Map<string, Rejection>();
  const facts = projectFacts(input.files);
  const reject = (report: BugReport, gate: Rejection['gate'], reason: string, about?: string, of?: string): void => {
    const { id, title } = report;
    const duplicate = of === undefined ? {} : { duplicateOf: of };
    const agent = gate === 'project' || gate === 'actionable' ? input.readings?.get(id)?.agent : undefined;
    const by = agent === undefined ? {} : { judgedBy: agent };
    rejected.set(id, { id, title, gate, reason, quote: quoteOf(report, firstLine(about)), ...duplicate, ...by });
  };
  const left: Judged[] = [];
  for (const report of open) {
    yield;
    const overrule = overrules.get(report.id);
    if (overrule?.verdict === 'reject') {
      reject(report, 'person', overrule.reason);
      continue;
    }
    const read = readable(report);
    const shown = shownIn(read);
    const parts = scoreOf(report, read, shown);
    const reading = input.readings?.get(report.id);
    const judged: Judged = { report, read, parts, score: total(parts), accepted: overrule?.reason, reading };
    const gates: readonly (readonly [TriageGate, () => ReturnType<typeof incoherent>])[] = [
      ['coherence', () => incoherent(read, report.body)],
      ['symptom', () => noSymptom(read, shown)],
      ['project', () => (reading ? doubtOf(reading.project) : elsewhere(read, facts))],
    ];
    const failed = overrule ? undefined : firstDoubt(gates);
    if (failed) reject(report, failed.gate, failed.reason, failed.about);
    else left.push(judged);
  }
  const repeats = yield* repeated(left, input);
  const survivors: Judged[] = [];
  for (const judged of left) {
    const { report, read, reading } = judged;
    const repeat = repeats.get(report.id);
    const doubt = judged.accepted === undefined ? actionDoubt(read, reading) : undefined;
    if (repeat) reject(report, 'duplicate', why(repeat), undefined, repeat.of);
    else if (doubt) reject(report, 'actionable', doubt.reason, doubt.about);
    else survivors.push(judged);
  }
  return {
    survivors: inOrder(yield* surviving(survivors, rejected, input.past)),
    rejected: open.flatMap(({ id }) => rejected.get(id) ?? []),
    closed: reports.filter(({ state }) => state === 'closed').map(({ id }) => id),
  };
}

function firstDoubt(gates: readonly (readonly [TriageGate, () => ReturnType<typeof incoherent>])[]) {
  for (const [gate, judge] of gates) {
    const doubt = judge();
    if (doubt) return { gate, ...doubt };
  }
  return undefined;
}

const doubtOf = ({ pass, reason, quote }: ReadGate) => (pass ? undefined : { reason, about: quote });

const actionDoubt = (read: Readable, reading: Reading | undefined) =>
  reading ? doubtOf(reading.actionable) : notActionable(read);

const firstLine = (text = ''): string => text.split('\n', 1)[0] ?? '';

function* repeated(left: readonly Judged[], { reports, known, now }: TriageInput): Slices<Map<string, Repeats>> {
  const candidates = yield* eachOf(left, ({ report, score, accepted }) => ({
    id: report.id,
    score,
    created: report.created ?? '',
    stays: accepted !== undefined,
    features: featuresOf(report),
  }));
  const closed = reports
    .filter(({ state }) => state === 'closed')
    .map(
      ({ id, title, body, created, closed: at }): KnownWork => ({
        id,
        title,
        text: body,
        state: 'closed',
        closed: at ?? created,
        created,
      }),
    );
  const works = [...known, ...closed].filter((work) => work.state !== 'closed' || isRecent(work.closed, now));
  const all = yield* eachOf(
    works,
    (work): KnownFeatures => ({ work, features: featuresOf({ title: work.title, body: work.text }) }),
  );
  return yield* duplicates(
    candidates,
    all.filter(({ features }) => says(features)),
  );
}

const says = ({ errors, concepts }: Features): boolean => errors.size > 0 || concepts.size > 0;

/** A missing or unreadable time counts as recent, because the source still lists the entry. */
function isRecent(closed: string | undefined, now: string): boolean {
  const age = Date.parse(now) - Date.parse(closed ?? '');
  // What closed longer ago is no duplicate: the bug came back.
  return !(age > RECENT_DAYS * DAY);
}

function why({ of, kind, alike }: Repeats): string {
  const what = {
    open: `${of}, which is under way`,
    closed: `${of}, which was closed lately`,
    held: `${of}, which a label keeps back`,
    report: of,
  }[kind];
  const by = alike.by === 'error' ? 'the same error' : `the same symptom (${alike.shared.slice(0, 5).join(', ')})`;
  return `it repeats ${what}: ${by}`;
}

function* surviving(
  list: readonly Judged[],
  rejected: ReadonlyMap<string, Rejection>,
  past: readonly PastWork[],
): Slices<Survivor[]> {
  const estimate = yield* learning(past);
  const repeats = new Map<string, string[]>();
  for (const { id, duplicateOf } of rejected.values())
    if (duplicateOf !== undefined) repeats.set(duplicateOf, [...(repeats.get(duplicateOf) ?? []), id].sort());
  return yield* eachOf(list, ({ report, read, parts, score, accepted, reading }) => ({
    id: report.id,
    title: report.title,
    score,
    scoreParts: parts,
    ...estimate(`${read.title}\n${read.said}`, reading && reading.minutes * 60_000),
    duplicates: repeats.get(report.id) ?? [],
    ...(accepted === undefined ? {} : { accepted }),
    ...(reading ? { judgedBy: reading.agent } : {}),
  }));
}
