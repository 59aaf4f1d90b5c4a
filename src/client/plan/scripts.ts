/** Checks the script of the scripted agent: without it, every idea would fail at its first iteration. Reads only. */
import { access } from 'node:fs/promises';
import { isAbsolute, join, posix } from 'node:path';
import { agentEnvironment } from '../../agents/environment.js';
import { type Config, resolveAgent } from '../../config/schema/config.js';
import { git } from '../../git/runner.js';
import { UserError } from '../../protocol/user-error.js';
import type { Context } from '../context.js';

const DEFAULT_SCRIPT = '.ralph-script.yaml';

interface Place {
  root: string;
  target: string;
}

/** Refuses agents whose script is missing in worktrees of the target. */
export async function checkScripts(
  { env }: Context,
  config: Config,
  names: readonly string[],
  { root, target }: Place,
): Promise<void> {
  for (const name of names) {
    const spec = resolveAgent(config, name);
    if (spec.adapter !== 'scripted' || spec.command) continue;
    const at = spec.args.indexOf('--script');
    const script = (at < 0 ? agentEnvironment(spec, env).RALPHCTL_SCRIPT : spec.args[at + 1]) || DEFAULT_SCRIPT;
    if (await isThere(script, config, { root, target })) continue;
    const where = isAbsolute(script) ? '' : ` on ${target}`;
    throw new UserError(
      `agent ${name} plays a script, and ${script} does not exist${where}. This agent is for rehearsals and does no work by itself. Name another agent with --agent NAME or agent: in ralphctl.yaml (ralphctl help agents), see it at work with: ralphctl demo, or ${isAbsolute(script) ? 'write' : 'commit'} the script (examples/scripted/README.md)`,
    );
  }
}

/** Agents run in a worktree of the target. It lacks uncommitted files, unless set-up creates or copies them. */
async function isThere(script: string, { setup }: Config, { root, target }: Place): Promise<boolean> {
  if (isAbsolute(script)) return exists(script);
  const path = posix.normalize(script);
  if (setup.run !== undefined || path.startsWith('../')) return true;
  const args = ['cat-file', '-e', `refs/heads/${target}:${path}`];
  if ((await git(root).result(args, { ok: [0, 1, 128], read: true })).code === 0) return true;
  const copies = setup.copy.length > 0 || (await exists(join(root, '.worktreeinclude')));
  return copies && (await exists(join(root, path)));
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
