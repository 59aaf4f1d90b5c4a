/**
 * `ralphctl service install|status|uninstall`: a service of the user that goes on with an open run after a boot.
 * Invariant: it writes and removes only its own files, which `service.json` names; a file that is not as it was written
 * stays without --force.
 */
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { configFolder, loadConfig } from '../../../config/load.js';
import type { Config } from '../../../config/schema/config.js';
import { EXIT, UserError } from '../../../protocol/user-error.js';
import { writeAtomically } from '../../../run-files/run.js';
import { type Context, findProject, findProjectId, print, printJson, say } from '../../context.js';
import type { Manager } from '../../service/manager.js';
import { openManager, specOf } from '../../service/open.js';
import {
  assertProjectId,
  digest,
  envFilePath,
  otherServices,
  readRecord,
  removeRecord,
  type ServiceRecord,
  unitOnDisk,
  writeRecord,
} from '../../service/record.js';
import { type ServiceStatus, serviceStatus, type Tools } from '../../service/status.js';
import { unitFolder, wantedBy } from '../../service/systemd.js';
import type { ServiceSpec } from '../../service/systemd-unit.js';
import { environmentFile, namedOf, notPassed, readEnvironment, serviceVariables } from '../../service/variables.js';
import { ensureStateFolder } from '../../state-folder.js';
import { program } from '../../worker-process.js';

export interface InstallOptions {
  env?: string[];
  print?: boolean;
  force?: boolean;
}

const toolsOf = (context: Context): Tools => ({ manager: openManager(context), program: program() });

export async function install(context: Context, options: InstallOptions, tools = toolsOf(context)): Promise<number> {
  const { manager } = tools;
  const { id: project, repository } = await findProject(context);
  const envFile = envFilePath(context.root, project);
  const before = readEnvironment(await readFile(envFile, 'utf8').catch(() => ''));
  const variables = serviceVariables(context.env, { names: options.env, before });
  const spec = specOf(context, { project, repo: repository.root, program: tools.program, variables });
  const text = await manager.textOf(spec);
  if (options.print) {
    print((await manager.textOf({ ...spec, variables: withoutValues(variables) })).trimEnd());
    return EXIT.ok;
  }
  await manager.assertUsable();
  await ensureStateFolder(context);
  const record = await readRecord(context.root, project).catch((error: unknown) => {
    if (!options.force) throw error;
    return undefined;
  });
  const unit = manager.pathOf(project);
  const disk = await unitOnDisk(unit, record);
  if (disk === 'other' && !options.force) throw changed(unit, record, 'install');
  const written = await writeAll(context, { spec, unit, text, envFile, manager, record });
  const isNew = disk === 'none' || record?.sha256 !== written.sha256 || !sameMaps(before, variables);
  const wasRunning = (await manager.state(project)).running;
  const restart = await manager.activate(project, isNew);
  if (!wasRunning) await whenSettled(manager, project);
  const lingerProblem = await turnLingerOn(context, manager, project, written);
  const status = await serviceStatus(context, tools, project, repository.commonDir);
  const missing = notPassed(context.env, variables, await configOf(context, repository.root));
  if (context.json) {
    printJson({ kind: 'service', ...shown(status), variables: [...variables.keys()], notPassed: missing, restart });
    return EXIT.ok;
  }
  printStatus(status);
  print(`  variables  ${[...variables.keys()].join(', ')} (${manager.kind === 'systemd' ? envFile : unit}, mode 600)`);
  if (restart !== undefined)
    say(`It runs now with its old settings, and hands its iterations back when you restart it: ${restart}`);
  if (lingerProblem !== undefined) say(`warning: lingering could not be turned on: ${lingerProblem}`);
  for (const line of missingLines([...namedOf(variables), ...missing], missing)) say(line);
  return EXIT.ok;
}

/** In a print that a person may show to others. */
const withoutValues = (variables: ReadonlyMap<string, string>): Map<string, string> =>
  new Map([...variables].map(([name, value]) => [name, name === 'PATH' ? value : `the value of ${name}`]));

function changed(unit: string, record: ServiceRecord | undefined, verb: 'install' | 'uninstall'): UserError {
  const fix = `Keep a copy if you need it, then ${verb === 'install' ? 'replace' : 'remove'} it: ralphctl service ${verb} --force`;
  const why = record
    ? 'was changed since ralphctl wrote it'
    : 'exists, and ralphctl did not write it for this state folder';
  return new UserError(`${unit} ${why}. ${fix}`, EXIT.refused, fix);
}

interface Writing {
  spec: ServiceSpec;
  unit: string;
  text: string;
  envFile: string;
  manager: Manager;
  record: ServiceRecord | undefined;
}

/** The record first: an install that is cut off can be removed. */
async function writeAll({ root }: Context, { spec, ...writing }: Writing): Promise<ServiceRecord> {
  const { unit, text, envFile, manager, record } = writing;
  const written: ServiceRecord = {
    ...{ manager: manager.kind, name: manager.nameOf(spec.project), unit, sha256: digest(text), envFile },
    ...{ repo: spec.repo, node: spec.node, program: spec.program, lingering: record?.lingering },
    installedAt: new Date().toISOString(),
  };
  await mkdir(dirname(envFile), { recursive: true, mode: 0o700 });
  await writeRecord(root, spec.project, written);
  // launchd does not read it; the next install does.
  await writeAtomically(envFile, environmentFile(spec.variables));
  await mkdir(dirname(unit), { recursive: true });
  await writeAtomically(unit, text, { mode: manager.kind === 'systemd' ? 0o644 : 0o600 });
  return written;
}

/** Without an open run it ends at once, and its exit shows that it works. */
async function whenSettled(manager: Manager, project: string): Promise<void> {
  for (const end = performance.now() + SETTLE_MS; performance.now() < end; await delay(SETTLE_MS / 20)) {
    const { running, failed, lastExit } = await manager.state(project);
    if (!running && (failed || lastExit !== undefined)) return;
  }
}

const SETTLE_MS = 3000;

/** Returns why it is off still. */
async function turnLingerOn(
  { root }: Context,
  { linger }: Manager,
  project: string,
  record: ServiceRecord,
): Promise<string | undefined> {
  if (!linger || (await linger.state()) === true) return undefined;
  const problem = await linger.turnOn();
  if (problem === undefined) await writeRecord(root, project, { ...record, lingering: true });
  return problem;
}

const configOf = (context: Context, root: string): Promise<Config | undefined> =>
  configFolder(context.cwd, root)
    .then(loadConfig)
    .then(
      ({ config }) => config,
      () => undefined,
    );

const sameMaps = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean =>
  a.size === b.size && [...a].every(([name, value]) => b.get(name) === value);

/** @param names all that the service would get */
function missingLines(names: readonly string[], missing: readonly string[]): string[] {
  if (missing.length === 0) return [];
  return [
    `These variables of this shell do not reach the service: ${missing.join(', ')}`,
    `If agents or gates need them: ralphctl service install --env ${names.join(' ')}`,
  ];
}

export async function status(
  context: Context,
  options: { project?: string },
  tools = toolsOf(context),
): Promise<number> {
  if (options.project !== undefined) assertProjectId(options.project);
  const here = options.project === undefined ? await findProject(context).catch(() => undefined) : undefined;
  const project = options.project ?? here?.id ?? (await findProjectId(context));
  const found = await serviceStatus(context, tools, project, here?.repository.commonDir);
  if (context.json) printJson({ kind: 'service', ...shown(found) });
  else printStatus(found);
  return EXIT.ok;
}

function shown({ record, state, ...status }: ServiceStatus): Record<string, unknown> {
  const { manager = null, repo = null, node = null, program = null, installedAt = null } = record ?? {};
  return { ...status, ...(state ?? {}), manager, repo, node, program, installedAt };
}

function printStatus({ name, unit, installed, state, record, problems, next }: ServiceStatus): void {
  if (!installed) print(`service ${name}: not installed`);
  else {
    const enabled = state?.unknown ? '' : state?.enabled ? 'enabled' : 'not enabled';
    const words = ['installed', enabled, state?.active ?? ''];
    print(`service ${name}: ${words.filter(Boolean).join(', ')}`);
    print(`  unit       ${unit}`);
    print(`  repository ${record?.repo ?? 'unknown'}`);
    print(`  last exit  ${state?.lastExit ?? 'none'}`);
    if (state && 'lingering' in state)
      print(`  lingering  ${state.lingering === undefined ? 'unknown' : state.lingering ? 'on' : 'off'}`);
  }
  for (const { what, fix } of problems) print(`  ! ${what}\n    → ${fix}`);
  print(`next: ${next}`);
}

export async function uninstall(
  context: Context,
  options: { project?: string; force?: boolean },
  tools = toolsOf(context),
): Promise<number> {
  const { manager } = tools;
  const project = options.project === undefined ? await findProjectId(context) : assertProjectId(options.project);
  const record = await readRecord(context.root, project).catch((error: unknown) => {
    if (!options.force) throw error;
    return undefined;
  });
  const unit = record?.unit ?? manager.pathOf(project);
  const disk = await unitOnDisk(unit, record);
  if (disk === 'other' && !options.force) throw changed(unit, record, 'uninstall');
  if (!record && disk === 'none') {
    const envFile = envFilePath(context.root, project);
    const left = options.force === true && (await remove(envFile)) ? [envFile] : [];
    if (options.force) await removeRecord(context.root, project);
    if (context.json) printJson({ kind: 'service', project, removed: left });
    else for (const line of [`no service of ${project} is installed`, ...left.map((path) => `  ${path}`)]) print(line);
    return EXIT.ok;
  }
  const problem = await manager.deactivate(project);
  const links = manager.kind === 'systemd' ? [wantedBy(context.env, project)] : [];
  const removed: string[] = [];
  for (const path of [unit, ...links, record?.envFile ?? envFilePath(context.root, project)])
    if (await remove(path)) removed.push(path);
  await manager.forget(project);
  const linger = record?.lingering ? await turnLingerOff(context, manager, project) : undefined;
  await removeRecord(context.root, project);
  if (context.json)
    printJson({ kind: 'service', project, removed, problem: problem ?? null, lingering: linger ?? null });
  else {
    print(`service ${record?.name ?? manager.nameOf(project)} removed`);
    for (const path of removed) print(`  ${path}`);
    if (linger !== undefined) print(linger);
    if (problem !== undefined) say(`warning: the service manager could not stop it: ${problem}`);
    say('An open run waits from now on, unless a worker runs: ralphctl start');
  }
  return EXIT.ok;
}

const remove = (path: string): Promise<boolean> =>
  rm(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return false;
    },
  );

/** Install had turned it on. Other services of the user may need it by now. */
async function turnLingerOff(
  { root, env }: Context,
  { linger }: Manager,
  project: string,
): Promise<string | undefined> {
  if (!linger) return undefined;
  const ours = await otherServices(root, project);
  if (ours.length > 0 || (await hasEnabledUnits(unitFolder(env))))
    return `lingering stays on, because other services use it. To turn it off: ${linger.command.replace('enable', 'disable')}`;
  const problem = await linger.turnOff();
  return problem === undefined
    ? 'lingering is off again'
    : `lingering could not be turned off (${problem}): ${linger.command.replace('enable', 'disable')}`;
}

/** Services, timers and sockets alike: enabling one puts a link into a folder of what wants it. */
async function hasEnabledUnits(folder: string): Promise<boolean> {
  for (const name of await readdir(folder).catch(() => []))
    if (/\.(?:wants|requires|upholds)$/.test(name) && (await readdir(join(folder, name)).catch(() => [])).length > 0)
      return true;
  return false;
}
