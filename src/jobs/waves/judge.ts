/**
 * Triages the reports of a wave with what the project knows: verdicts of people, work under way, landed work, files.
 * Invariant: the same verdicts as `ralphctl triage`.
 */
import { keptBack } from '../../decide/triage/kept-back.js';
import { eachOf } from '../../decide/triage/slices.js';
import { learning } from '../../decide/triage/tier.js';
import { triaging } from '../../decide/triage/triage.js';
import { unread } from '../../decide/triage/unread.js';
import type { Candidate } from '../../decide/waves/choose.js';
import { listFiles } from '../../git/checkout-index.js';
import type { Idea } from '../../protocol/idea.js';
import type { BugReport, Reading } from '../../protocol/triage.js';
import type { WaveReading, WaveRejection } from '../../protocol/waves.js';
import { readingsOf } from '../../run-files/readings.js';
import { overrulesOf } from '../../run-files/triage.js';
import { workHere } from '../../run-files/work-here.js';
import type { AcceptedReport } from '../ledger/waves.js';
import { inTurns } from './in-turns.js';
import type { Read } from './read/read.js';

/** Lets an agent read reports. */
export type Reads = (wanted: readonly BugReport[], files: readonly string[]) => Promise<Read>;

interface Judged {
  /** In the order of the source. */
  candidates: Candidate[];
  rejected: WaveRejection[];
  /** By idea: what an agent says of its report. */
  readings: Map<string, Reading>;
  /** Candidates that a person has accepted. */
  accepted: AcceptedReport[];
  /** Absent: no agent was asked. */
  told?: WaveReading;
  /** About each run that triage cannot read. */
  problems: string[];
}

interface Here {
  root: string;
  project: string;
  repo: string;
}

export async function judge(
  here: Here,
  {
    ideas,
    reports,
    held = [],
    reads,
  }: { ideas: readonly Idea[]; reports?: readonly BugReport[]; held?: readonly string[]; reads?: Reads | undefined },
): Promise<Judged> {
  const { root, project, repo } = here;
  const { known, past, problems } = await workHere(root, project);
  const estimate = await inTurns(learning(past));
  const byRef = new Map(ideas.flatMap((idea) => (idea.origin ? [[idea.origin.ref, idea] as const] : [])));
  const own = ideas.filter(({ origin }) => reports === undefined || origin === undefined);
  // The place in the backlog counts within a priority.
  const score = ({ priority }: Idea, at: number): number => (priority?.steps ?? 0) * 100_000 + ideas.length - at;
  const tiers = await inTurns(eachOf(own, ({ title, text }) => estimate(`${title}\n${text}`).tier));
  const candidates = own.map(
    (idea, at): Candidate => ({
      ...{ id: idea.id, tier: tiers[at] ?? 'T2', score: score(idea, at), dependsOn: idea.dependsOn },
    }),
  );
  if (reports === undefined) return { candidates, rejected: [], readings: new Map(), accepted: [], problems: [] };
  const judged = reports.filter(({ id, state }) => state === 'closed' || byRef.has(id));
  const ids = new Set(ideas.map(({ id }) => id));
  const [overrules, files, readings] = await Promise.all([
    overrulesOf(root, project, judged),
    listFiles(repo),
    readingsOf(root, project, judged),
  ]);
  const about = {
    ...{ reports: judged, overrules, past, files, readings, now: new Date().toISOString() },
    // An idea never repeats itself.
    known: [...known.filter(({ id }) => !ids.has(id)), ...keptBack(reports, new Set(held), (id) => byRef.has(id))],
  };
  let result = await inTurns(triaging(about));
  const byId = new Map(judged.map((one) => [one.id, one]));
  const wanted = reads ? unread(result).flatMap((id) => byId.get(id) ?? []) : [];
  const read = reads && wanted.length > 0 ? await reads(wanted, files) : undefined;
  for (const [id, reading] of read?.readings ?? []) readings.set(id, reading);
  if (read && read.readings.size > 0) result = await inTurns(triaging(about));
  const accepted: AcceptedReport[] = [];
  for (const { id, title, tier, score: points, accepted: reason } of result.survivors) {
    const idea = byRef.get(id);
    if (!idea) continue;
    candidates.push({ id: idea.id, tier, score: points, dependsOn: idea.dependsOn });
    if (reason !== undefined) accepted.push({ report: id, as: idea.id, title, reason });
  }
  const rejected = result.rejected.map(
    ({ id, title, gate, reason, quote, duplicateOf, judgedBy }): WaveRejection => ({
      ...{ report: id, as: byRef.get(id)?.id ?? id, title, gate, reason, quote },
      ...(duplicateOf === undefined ? {} : { duplicateOf }),
      ...(judgedBy === undefined ? {} : { judgedBy }),
    }),
  );
  const byIdea = new Map<string, Reading>();
  for (const [ref, idea] of byRef) {
    const one = readings.get(ref);
    if (one) byIdea.set(idea.id, one);
  }
  return { candidates, rejected, readings: byIdea, accepted, problems, ...(read ? { told: read.told } : {}) };
}
