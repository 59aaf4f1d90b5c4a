/**
 * `ralphctl triage` judges bug reports and prints the result; `triage accept|reject` stores a person's verdict.
 * Invariant: never starts a server, worker or run.
 */
import { join, relative, resolve } from 'node:path';
import { readReports } from '../../../backlog/reports/jsonl.js';
import { configFolder } from '../../../config/load.js';
import { nearest } from '../../../config/problems.js';
import { triage } from '../../../decide/triage/triage.js';
import { git } from '../../../git/runner.js';
import type { BugReport, Overrule, Triage } from '../../../protocol/triage.js';
import { EXIT, UserError } from '../../../protocol/user-error.js';
import { keepSource, lastSource, overrule, overrulesOf } from '../../../run-files/triage.js';
import { type Context, findProject, type Project, print, printJson } from '../../context.js';
import { ensureStateFolder } from '../../state-folder.js';
import { workHere } from '../../triage/work-here.js';
import { clean } from '../../views/live-lines.js';
import { GATE_NAMES, gateNumber, triageLines } from '../../views/triage-lines.js';

const DEFAULT_FILE = 'reports.jsonl';

export async function showTriage(context: Context, named: string | undefined): Promise<number> {
  const project = await findProject(context);
  const { root } = context;
  const file = await sourceOf(context, project, named);
  const reports = await readReports(file);
  await ensureStateFolder(context);
  await keepSource(root, project.id, file);
  const [overrules, { known, past }, files] = await Promise.all([
    overrulesOf(root, project.id, reports),
    workHere(root, project.id),
    filesOf(project),
  ]);
  const result = triage({ reports, overrules, known, past, files, now: new Date().toISOString() });
  const shown = relative(context.cwd, file) || file;
  if (context.json) printJson(asJson(shown, reports, result));
  else for (const line of triageLines(shown, result)) print(line);
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
  const file = await sourceOf(context, project, named);
  const reports = await readReports(file);
  const report = reports.find((one) => one.id === id);
  const shown = relative(context.cwd, file) || file;
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
  await ensureStateFolder(context);
  await overrule(context.root, project.id, report, { verdict, reason });
  if (context.json) printJson({ kind: 'overruled', id, verdict, reason });
  else print(`${clean(id, 60)}: ${verdict}ed. This holds until its title or body changes`);
  return EXIT.ok;
}

/** The named file, else the file of this project's last triage, else `reports.jsonl`. */
async function sourceOf(context: Context, { id, repository }: Project, named: string | undefined): Promise<string> {
  if (named !== undefined) return resolve(context.cwd, named);
  const last = await lastSource(context.root, id);
  return last ?? join(await configFolder(context.cwd, repository.root), DEFAULT_FILE);
}

async function filesOf({ repository }: Project): Promise<string[]> {
  const { stdout } = await git(repository.root).result(['ls-files', '-z'], { read: true });
  return stdout.split('\0').filter(Boolean);
}

function asJson(file: string, reports: readonly BugReport[], { survivors, rejected, closed }: Triage) {
  const urls = new Map(reports.map(({ id, url }) => [id, url]));
  const url = (id: string) => (urls.get(id) === undefined ? {} : { url: urls.get(id) });
  return {
    kind: 'triage',
    file,
    judgedBy: 'rules',
    survivors: survivors.map((one, at) => ({ place: at + 1, ...one, ...url(one.id) })),
    rejected: rejected.map(({ gate, ...one }) => ({
      ...one,
      gate: { number: gateNumber(gate) ?? null, name: GATE_NAMES[gate] },
      ...url(one.id),
    })),
    closed,
  };
}
