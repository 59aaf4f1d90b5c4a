/** The service manager of this machine, and what a service of a project is made of. */
import { join } from 'node:path';
import { projectDir } from '../../config/paths.js';
import { EXIT, UserError } from '../../protocol/user-error.js';
import type { Context } from '../context.js';
import { launchdManager } from './launchd.js';
import type { Manager } from './manager.js';
import { envFilePath } from './record.js';
import { systemdManager } from './systemd.js';
import type { ServiceSpec } from './systemd-unit.js';

const logsOf = (root: string, project: string): string => join(projectDir(root, project), 'logs');

/** @throws UserError on other systems */
export function openManager({ root, env }: Pick<Context, 'root' | 'env'>, platform = process.platform): Manager {
  if (platform === 'linux') return systemdManager(env);
  if (platform === 'darwin') return launchdManager(env, (project) => logsOf(root, project));
  const fix = 'Let the system call this after a boot: ralphctl service run';
  throw new UserError(`ralphctl knows no service manager of ${platform}. ${fix}`, EXIT.usage, fix);
}

export const specOf = (
  { root }: Pick<Context, 'root'>,
  { project, repo, program, variables }: Pick<ServiceSpec, 'project' | 'repo' | 'program' | 'variables'>,
): ServiceSpec => ({
  ...{ project, repo, program, variables },
  node: process.execPath,
  envFile: envFilePath(root, project),
  logs: logsOf(root, project),
});
