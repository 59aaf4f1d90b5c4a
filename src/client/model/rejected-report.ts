/**
 * A report that triage rejected, and that no wave took: it is no idea of a run, and views about one idea tell the verdict.
 * Invariant: reads only.
 */
import { EXIT } from '../../protocol/user-error.js';
import type { WaveRejection } from '../../protocol/waves.js';
import { readModel } from '../../run-files/read-model.js';
import { readableRuns } from '../../run-files/readable.js';
import { GATE_NAMES, gateNumber, gateText } from '../../screen/words/state-words.js';
import { type Context, print, printJson } from '../context.js';
import { warnOnce } from '../report/summaries.js';
import { clean } from '../views/live-lines.js';

export interface RejectedReport {
  runId: string;
  verdict: WaveRejection;
}

/** Runs with waves that are read, the newest first. Each judges all open reports anew. */
const MOST_RUNS = 5;

/** `id`: of the report, or of the idea that it would be. Undefined: the newest runs have not rejected it. */
export async function rejectedReport(root: string, project: string, id: string): Promise<RejectedReport | undefined> {
  let read = 0;
  for await (const { file } of readableRuns(root, project, warnOnce)) {
    // The verdict of an older run says nothing of what a run of another source works on.
    if (!file.waves || read === MOST_RUNS) return undefined;
    read += 1;
    const { runId } = file;
    const model = (await readModel(root, { project, runId }).catch(() => undefined))?.model;
    if (!model) continue;
    if (model.ideas.has(id)) return undefined;
    const verdict = model.rejected.get(id) ?? [...model.rejected.values()].find(({ as }) => as === id);
    if (verdict) return { runId, verdict };
  }
  return undefined;
}

/** The answer of a command that was asked about it. Returns the exit code. */
export function tellRejected({ json }: Context, rejected: RejectedReport): number {
  if (json) printJson(rejectedJson(rejected));
  else for (const line of rejectedLines(rejected)) print(line);
  return EXIT.ok;
}

function rejectedLines({ runId, verdict }: RejectedReport): string[] {
  const { report, title, gate, reason, quote, duplicateOf, judgedBy } = verdict;
  const by = judgedBy === undefined ? '' : `, read by ${clean(judgedBy, 60)}`;
  const id = clean(report, 60);
  return [
    `${id}  ${clean(title, 100)}`,
    `triage rejected this report in run ${runId}, so nobody works on it`,
    `  ${gateText(gate)}${by}: ${clean(reason)}`,
    ...(quote === '' ? [] : [`      "${clean(quote, 120)}"`]),
    ...(duplicateOf === undefined ? [] : [`  it repeats ${clean(duplicateOf, 60)}`]),
    'what helps now',
    ...commandsFor(verdict).map((one) => `  ${one}`),
  ];
}

/** A verdict of a person holds until the report changes. */
const commandsFor = ({ report }: WaveRejection): string[] => [
  `ralphctl triage accept ${clean(report, 60)} --reason "…"   then the next wave may take it`,
  'ralphctl triage   lists all verdicts',
];

const rejectedJson = ({ runId, verdict }: RejectedReport) => ({
  kind: 'rejected',
  runId,
  ...verdict,
  gate: { number: gateNumber(verdict.gate) ?? null, name: GATE_NAMES[verdict.gate] },
  commands: [`ralphctl triage accept ${verdict.report} --reason "…"`, 'ralphctl triage'],
});
