/** What is true of a project's service now, and the next command to use. Changes nothing. */
import { access } from 'node:fs/promises';
import { isPassing } from '../../config/system-errors.js';
import { commonDirAt } from '../../git/worktrees/moved.js';
import { shellWord } from '../../protocol/shell-words.js';
import { isExecutable } from '../../server/install/probe.js';
import type { Context } from '../context.js';
import { stateTrouble } from '../state-folder.js';
import type { Manager, ServiceState } from './manager.js';
import { otherServices, readRecord, type ServiceRecord, unitOnDisk } from './record.js';

export interface ServiceStatus {
  project: string;
  name: string;
  unit: string;
  installed: boolean;
  state?: ServiceState | undefined;
  record?: ServiceRecord | undefined;
  /** What is wrong, worst first, each with the command that fixes it. */
  problems: { what: string; fix: string }[];
  next: string;
}

/** The manager of this machine, and this ralphctl. */
export interface Tools {
  manager: Manager;
  program: string;
}

const INSTALL = 'ralphctl service install';

/** @param commonDir of the repository of the caller; undefined where it is not in the project's */
export async function serviceStatus(
  { root, env }: Pick<Context, 'root' | 'env'>,
  { manager, program }: Tools,
  project: string,
  commonDir: string | undefined,
): Promise<ServiceStatus> {
  const record = await readRecord(root, project);
  const unit = record?.unit ?? manager.pathOf(project);
  const name = record?.name ?? manager.nameOf(project);
  const disk = await unitOnDisk(unit, record);
  const elsewhere = await gone(root, project);
  if (!record) {
    const foreign = { what: `${unit} exists, and this state folder has no record of it`, fix: `${INSTALL} --force` };
    const problems = [...(disk === 'none' ? [] : [foreign]), ...elsewhere];
    return { ...{ project, name, unit, installed: false, problems }, next: problems[0]?.fix ?? INSTALL };
  }
  const state = await manager.state(project);
  const problems = [
    ...(await ofDisk({ root, env })),
    ...(await ofFiles(record, disk, program)),
    ...(await ofRepository(record, commonDir)),
    ...ofState(manager, project, state),
    ...elsewhere,
  ];
  const usual = state.running ? 'ralphctl status' : manager.startOf(project);
  const next = problems[0]?.fix ?? usual;
  return { project, name, unit, installed: disk !== 'none', state, record, problems, next };
}

/** The manager sees an exit code only. */
async function ofDisk(context: Pick<Context, 'root' | 'env'>): Promise<ServiceStatus['problems']> {
  const trouble = await stateTrouble(context, { write: false });
  if (!trouble) return [];
  const { message, fix = '' } = trouble;
  const again = isPassing(trouble) ? ', and it tries again by itself' : '';
  return [{ what: `it cannot work${again}: ${message.replace(`. ${fix}`, '')}`, fix }];
}

async function ofFiles(
  record: ServiceRecord,
  disk: Awaited<ReturnType<typeof unitOnDisk>>,
  program: string,
): Promise<ServiceStatus['problems']> {
  const problems: ServiceStatus['problems'] = [];
  const add = (what: string, fix = INSTALL): void => void problems.push({ what, fix });
  if (disk === 'none') add(`${record.unit} is gone`);
  if (disk === 'other') add(`${record.unit} was changed by somebody else`, `${INSTALL} --force`);
  const there = (path: string): Promise<boolean> =>
    access(path).then(
      () => true,
      () => false,
    );
  if (record.manager === 'systemd' && !(await there(record.envFile))) add(`${record.envFile} is gone`);
  if (!(await isExecutable(record.node))) add(`it starts Node at ${record.node}, which is gone`);
  if (!(await there(record.program))) add(`it starts ${record.program}, which is gone`);
  else if (record.program !== program) add(`it starts another ralphctl than this one: ${record.program}`);
  return problems;
}

/** The service serves the project by its id, so it goes on all the same; its words are of the old place. */
async function ofRepository(
  { repo }: ServiceRecord,
  commonDir: string | undefined,
): Promise<ServiceStatus['problems']> {
  if ((await commonDirAt(repo)) === commonDir && commonDir !== undefined) return [];
  if (commonDir !== undefined) return [{ what: `the repository was at ${repo}, and has moved`, fix: INSTALL }];
  if ((await commonDirAt(repo)) !== undefined) return [];
  return [{ what: `its repository ${repo} is gone`, fix: 'call ralphctl in the folder where the repository is now' }];
}

function ofState(manager: Manager, project: string, state: ServiceState): ServiceStatus['problems'] {
  const { enabled, failed, active, lastExit, lingering, unknown } = state;
  if (unknown) return [{ what: `its manager does not answer: ${unknown.why}`, fix: unknown.fix }];
  const problems: ServiceStatus['problems'] = [];
  if (failed) problems.push({ what: `it fails (${lastExit ?? active})`, fix: manager.logsOf(project) });
  if (!enabled) problems.push({ what: `it is not enabled: it does not start ${manager.starts}`, fix: INSTALL });
  if (lingering === false && manager.linger)
    problems.push({ what: 'lingering is off: it starts only when you log in', fix: manager.linger.command });
  return problems;
}

/** Services of repositories that are gone, which nobody would find again. */
async function gone(root: string, own: string): Promise<ServiceStatus['problems']> {
  const problems: ServiceStatus['problems'] = [];
  for (const [project, { name, repo }] of await otherServices(root, own))
    if ((await commonDirAt(repo)) === undefined)
      problems.push({
        what: `${name} serves ${repo}, which is gone`,
        fix: `ralphctl service uninstall --project ${shellWord(project)}`,
      });
  return problems;
}
