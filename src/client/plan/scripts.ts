/**
 * Checks the script of the scripted agent: with one that is missing, or that the agent refuses, every idea would fail at its
 * first iteration. Reads only.
 */
import { access } from 'node:fs/promises';
import { isAbsolute, join, posix } from 'node:path';
import { agentEnvironment } from '../../agents/environment.js';
import { readScript } from '../../agents/scripted/script.js';
import { MIB, readInput } from '../../config/read-input.js';
import { type Config, resolveAgent } from '../../config/schema/config.js';
import { git } from '../../git/runner.js';
import { UserError } from '../../protocol/user-error.js';
import type { Context } from '../context.js';

const DEFAULT_SCRIPT = '.ralph-script.yaml';
/** The agent takes larger ones. To parse one takes seconds, so that a start leaves them to it. */
const MOST_BYTES = MIB;

interface Place {
  root: string;
  target: string;
}

/** Refuses agents whose script is missing in worktrees of the target, or that cannot play it. */
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
    const found = await scriptAt(script, config, { root, target });
    const where = isAbsolute(script) ? '' : ` on ${target}`;
    const put = isAbsolute(script) ? 'write' : 'commit';
    if (found === 'missing')
      throw new UserError(
        `agent ${name} plays a script, and ${script} does not exist${where}. This agent is for rehearsals and does no work by itself. Name another agent with --agent NAME or agent: in ralphctl.yaml (ralphctl help agents), see it at work with: ralphctl demo, or ${put} the script (examples/scripted/README.md)`,
      );
    const problem = problemOf(found);
    if (problem !== undefined)
      throw new UserError(
        `agent ${name} cannot play its script ${script}${where}: ${problem} Fix it${put === 'commit' ? ' and commit it' : ''} (examples/scripted/README.md)`,
      );
  }
}

type Found = 'missing' | 'unknown' | { text: string } | { unreadable: string };

/** Why the agent would refuse it, as a sentence. */
function problemOf(found: Exclude<Found, 'missing'>): string | undefined {
  if (found === 'unknown') return undefined;
  if ('unreadable' in found) return `${found.unreadable}.`;
  try {
    readScript(found.text);
    return undefined;
  } catch (error) {
    const text = (error as Error).message.trim();
    return text.endsWith('.') ? text : `${text}.`;
  }
}

/**
 * Agents run in a worktree of the target. It lacks uncommitted files, unless set-up creates or copies them: then nobody
 * knows before what an agent finds.
 */
async function scriptAt(script: string, { setup }: Config, { root, target }: Place): Promise<Found> {
  if (isAbsolute(script)) return fileAt(script);
  const path = posix.normalize(script);
  if (setup.run !== undefined || path.startsWith('../')) return 'unknown';
  const committed = await blobAt(root, target, path);
  if (committed !== 'missing') return committed;
  const copies = setup.copy.length > 0 || (await exists(join(root, '.worktreeinclude')));
  return copies ? fileAt(join(root, path)) : 'missing';
}

async function blobAt(root: string, target: string, path: string): Promise<Found> {
  const ref = `refs/heads/${target}`;
  const listed = await git(root).result(['ls-tree', '-z', '--long', '--full-tree', ref, '--', `:(literal)${path}`], {
    ok: [0, 128],
    read: true,
  });
  const [mode, type, , size] = (listed.stdout.split('\t')[0] ?? '').trim().split(/ +/);
  if (!mode) return 'missing';
  if (type === 'tree') return { unreadable: 'it is a folder, not a file' };
  // A link leads where only the worktree knows.
  if (mode === '120000' || type !== 'blob' || Number(size) > MOST_BYTES) return 'unknown';
  const got = await git(root).result(['cat-file', 'blob', `${ref}:${path}`], { ok: [0, 128], read: true });
  return got.code === 0 ? { text: got.stdout } : 'unknown';
}

async function fileAt(path: string): Promise<Found> {
  if (!(await exists(path))) return 'missing';
  return readInput(path, MOST_BYTES).then(
    (bytes) => ({ text: bytes.toString('utf8') }),
    (error: { fault?: string; message: string }) =>
      error.fault === 'too-large' ? 'unknown' : { unreadable: `it ${error.message.replace(/^this is/, 'is')}` },
  );
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
