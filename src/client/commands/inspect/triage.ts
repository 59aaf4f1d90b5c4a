/**
 * `ralphctl triage` judges bug reports and prints the result; `triage accept|reject` stores a person's verdict.
 * Invariant: never starts a server, worker or run.
 */
import { join, relative, resolve } from 'node:path';
import { readReports } from '../../../backlog/reports/jsonl.js';
import { configFolder, loadConfig } from '../../../config/load.js';
import { nearest } from '../../../config/problems.js';
import { trackerOf } from '../../../config/schema/tracker.js';
import { triage } from '../../../decide/triage/triage.js';
import { listFiles } from '../../../git/checkout-index.js';
import type { BugReport, Overrule, Triage } from '../../../protocol/triage.js';
import { EXIT, UserError } from '../../../protocol/user-error.js';
import { readingsOf } from '../../../run-files/readings.js';
import { keepSource, lastSource, overrule, overrulesOf } from '../../../run-files/triage.js';
import { workHere } from '../../../run-files/work-here.js';
import { GATE_NAMES, gateNumber } from '../../../screen/words/state-words.js';
import { type Context, findProject, type Project, print, printJson, say } from '../../context.js';
import { reportsIn, type TrackedReports } from '../../plan/source.js';
import { toJudge } from '../../plan/to-judge.js';
import { ensureStateFolder } from '../../state-folder.js';
import { clean } from '../../views/live-lines.js';
import { triageLines } from '../../views/triage-lines.js';

const DEFAULT_FILE = 'reports.jsonl';
const MOST_PROBLEM = 1000;

export async function showTriage(context: Context, named: string | undefined): Promise<number> {
  const project = await findProject(context);
  const { root } = context;
  const { shown, file, reports: all, tracked } = await reportsOf(context, project, named);
  await ensureStateFolder(context);
  if (file !== undefined) await keepSource(root, project.id, file);
  const { known: work, past, problems } = await workHere(root, project.id);
  const { reports, known, leftOut } = tracked
    ? toJudge(all, tracked, work)
    : { reports: all, known: work, leftOut: undefined };
  const [overrules, files, readings] = await Promise.all([
    overrulesOf(root, project.id, reports),
    listFiles(project.repository.root),
    readingsOf(root, project.id, reports),
  ]);
  for (const problem of problems) say(clean(problem, MOST_PROBLEM));
  const result = triage({ reports, overrules, known, past, files, readings, now: new Date().toISOString() });
  if (context.json) printJson({ ...asJson(shown, reports, result), ...(leftOut ? { leftOut } : {}) });
  else for (const line of triageLines(shown, result, leftOut)) print(line);
  return EXIT.ok;
}

export async function overruleReport(
  context: Context,
  id: string,
  verdict: Overrule['verdict'],
  { reason, file: named }: { reason?: string; file?: string },
): Promise<number> {
  if (!reason?.trim()) throw new UserError(`say why: ralphctl triage ${verdict} ${clean(id, 60)} --reason <text>`);
  const project = await findProject(context);
  const { shown, reports, tracked } = await reportsOf(context, project, named);
  const report = reports.find((one) => one.id === id);
  if (!report) {
    const near = nearest(
      id,
      reports.map((one) => one.id),
    );
    const meant = near === undefined ? '' : ` Did you mean ${clean(near, 60)}?`;
    throw new UserError(
      `${shown} has no report ${clean(id, 60)}.${meant} Name another file: ralphctl triage ${verdict} <id> --file <file>`,
    );
  }
  if (report.state === 'closed')
    throw new UserError(`${clean(id, 60)} is closed. Triage judges open reports only: ralphctl triage`, EXIT.refused);
  const left = verdict === 'accept' && tracked?.leftOut.find(({ ref }) => ref === id);
  if (left)
    throw new UserError(`${clean(id, 60)} is left out: ${clean(left.why)}. No verdict changes that`, EXIT.refused);
  await ensureStateFolder(context);
  await overrule(context.root, project.id, report, { verdict, reason });
  if (context.json) printJson({ kind: 'overruled', id, verdict, reason });
  else print(`${clean(id, 60)}: ${verdict}ed. This holds until its title or body changes`);
  return EXIT.ok;
}

interface Reports {
  /** For people. */
  shown: string;
  /** Absent: they are in a tracker. */
  file?: string;
  reports: BugReport[];
  /** Absent: they are in a file. */
  tracked?: Pick<TrackedReports, 'ideas' | 'leftOut' | 'held'>;
}

/** The named file, else the file of this project's last triage, else the configured tracker, else `reports.jsonl`. */
async function reportsOf(context: Context, { id, repository }: Project, named: string | undefined): Promise<Reports> {
  const file = named === undefined ? await lastSource(context.root, id) : resolve(context.cwd, named);
  if (file !== undefined) return ofFile(context, file);
  const folder = await configFolder(context.cwd, repository.root);
  const tracker = await loadConfig(folder).then(
    ({ config }) => trackerOf(config),
    // Triage works without a configuration, and beside a broken one.
    () => undefined,
  );
  if (!tracker) return ofFile(context, join(folder, DEFAULT_FILE));
  const { where, reports, ...tracked } = await reportsIn(context, repository.root, tracker);
  return { shown: where, reports, tracked };
}

const ofFile = async (context: Context, file: string): Promise<Reports> => ({
  ...{ shown: relative(context.cwd, file) || file, file },
  reports: await readReports(file),
});

const isRead = (...lists: readonly (readonly { judgedBy?: string }[])[]): boolean =>
  lists.some((list) => list.some(({ judgedBy }) => judgedBy !== undefined));

function asJson(file: string, reports: readonly BugReport[], { survivors, rejected, closed }: Triage) {
  const urls = new Map(reports.map(({ id, url }) => [id, url]));
  const url = (id: string) => (urls.get(id) === undefined ? {} : { url: urls.get(id) });
  return {
    kind: 'triage',
    file,
    judgedBy: isRead(survivors, rejected) ? 'rules and an agent' : 'rules',
    survivors: survivors.map((one, at) => ({ place: at + 1, ...one, ...url(one.id) })),
    rejected: rejected.map(({ gate, ...one }) => ({
      ...one,
      gate: { number: gateNumber(gate) ?? null, name: GATE_NAMES[gate] },
      ...url(one.id),
    })),
    closed,
  };
}
