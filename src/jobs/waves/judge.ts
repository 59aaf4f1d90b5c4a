/**
 * Triages the reports of a wave with what the project knows: verdicts of people, work under way, landed work, files.
 * Invariant: the same verdicts as `ralphctl triage`.
 */
import { learn } from '../../decide/triage/tier.js';
import { triage } from '../../decide/triage/triage.js';
import type { Candidate } from '../../decide/waves/choose.js';
import { git } from '../../git/runner.js';
import type { Idea } from '../../protocol/idea.js';
import type { BugReport } from '../../protocol/triage.js';
import type { WaveRejection } from '../../protocol/waves.js';
import { overrulesOf } from '../../run-files/triage.js';
import { workHere } from '../../run-files/work-here.js';

interface Judged {
  /** In the order of the source. */
  candidates: Candidate[];
  rejected: WaveRejection[];
}

interface Here {
  root: string;
  project: string;
  repo: string;
}

export async function judge(
  here: Here,
  { ideas, reports }: { ideas: readonly Idea[]; reports?: readonly BugReport[] },
): Promise<Judged> {
  const { root, project, repo } = here;
  const { known, past } = await workHere(root, project);
  const estimate = learn(past);
  const byRef = new Map(ideas.flatMap((idea) => (idea.origin ? [[idea.origin.ref, idea] as const] : [])));
  const own = ideas.filter(({ origin }) => reports === undefined || origin === undefined);
  // The place in the backlog counts within a priority.
  const score = ({ priority }: Idea, at: number): number => (priority?.steps ?? 0) * 100_000 + ideas.length - at;
  const candidates = own.map(
    (idea, at): Candidate => ({
      ...{ id: idea.id, tier: estimate(`${idea.title}\n${idea.text}`).tier },
      ...{ score: score(idea, at), dependsOn: idea.dependsOn },
    }),
  );
  if (reports === undefined) return { candidates, rejected: [] };
  const judged = reports.filter(({ id, state }) => state === 'closed' || byRef.has(id));
  const ids = new Set(ideas.map(({ id }) => id));
  const [overrules, files] = await Promise.all([overrulesOf(root, project, judged), filesOf(repo)]);
  const result = triage({
    ...{ reports: judged, overrules, past, files, now: new Date().toISOString() },
    // An idea never repeats itself.
    known: known.filter(({ id }) => !ids.has(id)),
  });
  for (const { id, tier, score: points } of result.survivors) {
    const idea = byRef.get(id);
    if (idea) candidates.push({ id: idea.id, tier, score: points, dependsOn: idea.dependsOn });
  }
  const rejected = result.rejected.map(
    ({ id, title, gate, reason, quote, duplicateOf }): WaveRejection => ({
      ...{ report: id, as: byRef.get(id)?.id ?? id, title, gate, reason, quote },
      ...(duplicateOf === undefined ? {} : { duplicateOf }),
    }),
  );
  return { candidates, rejected };
}

async function filesOf(repo: string): Promise<string[]> {
  const { stdout } = await git(repo).result(['ls-files', '-z'], { read: true });
  return stdout.split('\0').filter(Boolean);
}
