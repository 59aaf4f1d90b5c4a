/** Checks the rows of `notify`: programs, addresses and variables. Sends nothing. */
import { access } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';

import type { NotifyRow } from '../../config/schema/notify.js';
import { DESKTOP_PROGRAMS, soundCommands } from '../../jobs/alerts/local.js';

import { isExecutable, which } from '../../server/install/probe.js';
import type { Context } from '../context.js';
import { type Check, ok, warn } from './check.js';

export async function checkAlerts({ env }: Context, root: string, rows: readonly NotifyRow[]): Promise<Check[]> {
  return Promise.all(rows.map((row) => checkRow(row, root, env)));
}

async function checkRow(row: NotifyRow, root: string, env: NodeJS.ProcessEnv): Promise<Check> {
  const what = `alert ${row.name}`;
  switch (row.to) {
    case 'bell':
      return ok(what, 'rings in attached terminals');
    case 'desktop': {
      return checkPrograms(DESKTOP_PROGRAMS, what, env);
    }
    case 'sound':
      return checkSound(row, what, env);
    case 'webhook':
      return checkWebhook(row, what, env);
    case 'command': {
      const [program = ''] = row.run;
      const path = isAbsolute(program) ? program : join(root, program);
      const there = program.includes('/') ? await isExecutable(path) : (await which(program, env)) !== undefined;
      if (there) return ok(what, program);
      return warn(what, `${program} is not an executable program`, `fix run of the row ${row.name}`);
    }
  }
}

async function checkSound(
  { file, name }: Extract<NotifyRow, { to: 'sound' }>,
  what: string,
  env: NodeJS.ProcessEnv,
): Promise<Check> {
  const there =
    file === undefined ||
    (await access(file).then(
      () => true,
      () => false,
    ));
  if (!there) return warn(what, `${file} does not exist`, `fix file of the row ${name}`);
  return checkPrograms(
    soundCommands(file).map(([program = '']) => program),
    what,
    env,
  );
}

/** One of them is enough. */
async function checkPrograms(programs: readonly string[], what: string, env: NodeJS.ProcessEnv): Promise<Check> {
  const found = await Promise.all(programs.map((program) => which(program, env)));
  const first = programs.find((_, at) => found[at] !== undefined);
  if (first) return ok(what, first);
  return warn(what, `none of these programs is installed: ${programs.join(', ')}`, 'install one, or remove the row');
}

/** The address may contain a secret, so no report prints it. */
function checkWebhook(row: Extract<NotifyRow, { to: 'webhook' }>, what: string, env: NodeJS.ProcessEnv): Check {
  const missing = [row.urlEnv, row.secretEnv, row.tokenEnv].filter((name) => name !== undefined && !env[name]?.trim());
  if (missing.length > 0)
    return warn(what, `not set here: ${missing.join(', ')}`, 'set it where you run ralphctl start');
  const url = row.url ?? env[row.urlEnv ?? ''] ?? '';
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    return warn(what, `${row.urlEnv ?? 'url'} is not an http or https address`, 'fix it');
  const { protocol, host } = new URL(url);
  const signed = row.secretEnv === undefined ? 'not signed' : 'signed';
  return ok(what, `${row.format} to ${protocol}//${host}, ${signed}`);
}
