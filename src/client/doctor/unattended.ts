/** Checks what a run needs to go on by itself: a service after a reboot, and a machine that stays awake. */
import { awakeOf } from '../../config/schema/awake.js';
import type { Config } from '../../config/schema/config.js';
import { type PowerSource, powerSource } from '../../process/power.js';
import { inhibitor } from '../../worker/inhibitor.js';
import type { Context } from '../context.js';
import { asking } from '../service/manager.js';
import { openManager } from '../service/open.js';
import { readRecord } from '../service/record.js';
import { serviceStatus } from '../service/status.js';
import { program } from '../worker-process.js';
import { type Check, info, ok, warn } from './check.js';

interface Machine {
  platform: NodeJS.Platform;
  power: PowerSource;
  /** This ralphctl. */
  program: string;
  /** How long the system may take to grant a lock. */
  answerMs?: number;
}

const ANSWER_MS = 10_000;

export async function checkUnattended(
  context: Context,
  project: { id: string; repository: { commonDir: string } } | undefined,
  config: Config | undefined,
  machine: Machine = { platform: process.platform, power: powerSource(context.env), program: program() },
): Promise<Check[]> {
  const service = project === undefined ? [] : [await checkService(context, project, machine)];
  return [...service, await checkAwake(context, config, machine)];
}

async function checkService(
  context: Context,
  { id, repository }: { id: string; repository: { commonDir: string } },
  { platform, program }: Machine,
): Promise<Check> {
  const what = 'service';
  const record = await readRecord(context.root, id).catch(() => undefined);
  if (!record) return info(what, 'none: after a reboot a run waits for ralphctl start. See: ralphctl service install');
  const tools = { manager: openManager(context, platform), program };
  const { problems, state } = await serviceStatus(context, tools, id, repository.commonDir);
  const [worst] = problems;
  if (worst) return warn(what, `${record.name}: ${worst.what}`, worst.fix);
  return ok(what, `${record.name}: enabled, ${state?.active ?? 'unknown'}; an open run goes on after a reboot`);
}

async function checkAwake({ env }: Context, config: Config | undefined, machine: Machine): Promise<Check> {
  const what = 'awake';
  const mode = config ? awakeOf(config) : 'on';
  const command = inhibitor(machine.platform, 'ralphctl doctor', 'true');
  if (mode === 'off') return info(what, 'off in ralphctl.yaml: the machine may sleep while agents run');
  if (!command) return info(what, `not on ${machine.platform}: the machine may sleep while agents run`);
  const [name] = command;
  const said = await asking(env, machine.answerMs ?? ANSWER_MS)(...command);
  if (said.ok) {
    const battery = mode === 'on' && (await machine.power.onBattery());
    return ok(
      what,
      battery ? `${name} works; not now, on battery` : `${name} keeps the machine awake while agents run`,
    );
  }
  const text = `the machine may sleep while agents run: ${said.problem.replace(/\.$/, '')}`;
  const denied = /denied|not (?:authorized|permitted)|authentication/i.test(said.problem);
  if (!denied) return info(what, text);
  return warn(what, text, 'allow it with a rule of polkit (docs/service.md), or set awake: off in ralphctl.yaml');
}
