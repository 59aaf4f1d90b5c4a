/**
 * Closes and reopens issues of beads through `bd`, whose database is the store where `bd` is installed.
 * Invariant: no shell; `bd` gets ids and texts as arguments. A failing `bd` never fails a landing: the note names the
 * command to run.
 */
import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { ideaDir } from '../config/paths.js';
import { gateEnvironment } from '../gate/environment.js';
import { run as runProgram } from '../process/run.js';
import type { RunRef } from '../protocol/run-ref.js';
import type { RunFile } from '../run-files/shapes.js';
import type { WorkDeps } from './job.js';

const TIMEOUT_MS = 30_000;

export interface Store {
  /** @returns a sentence for a person when `bd` could not close an issue */
  close(ids: readonly string[], commit: string): Promise<string | undefined>;
  reopen(ids: readonly string[]): Promise<string | undefined>;
}

/** Returns `bd` when the backlog is one of beads and `bd` knows the idea; else undefined. */
export async function storeOf(
  deps: WorkDeps,
  input: RunRef & { idea: string },
  { backlog }: RunFile,
): Promise<Store | undefined> {
  if (backlog.format !== 'beads') return undefined;
  const bd = async (...args: string[]) => {
    const result = await runProgram({
      argv: ['bd', ...args],
      // `bd` searches for `.beads` from the folder above it.
      cwd: dirname(dirname(backlog.file)),
      // People work there, too.
      places: [],
      env: gateEnvironment(deps.env, { BEADS_NO_DAEMON: '1', BD_ACTOR: deps.env.BD_ACTOR ?? 'ralphctl' }, [
        'BEADS_DIR',
        'BEADS_DB',
      ]),
      outputFile: join(ideaDir(deps.root, input.project, input.runId, input.idea), 'bd.log'),
      timeoutMs: TIMEOUT_MS,
      token: `${input.project}/${input.runId}/${input.idea}/bd/${randomUUID()}`,
    });
    return result.exitCode === 0
      ? undefined
      : (result.launchError ?? (result.tail.trim().split('\n').at(-1) || 'it failed'));
  };
  // Without --json, which not every version of it has.
  if ((await bd('show', input.idea)) !== undefined) return undefined;
  const each = async (ids: readonly string[], verb: 'close' | 'reopen', ...more: string[]) => {
    for (const id of ids) {
      const problem = await bd(verb, id, ...more);
      const byHand = `${verb === 'close' ? 'Close' : 'Reopen'} it by hand: bd ${verb} ${id}.`;
      if (problem !== undefined) return `bd did not ${verb} ${id}: ${problem}. ${byHand}`;
    }
    return undefined;
  };
  return {
    close: (ids, commit) => each(ids, 'close', '--reason', `landed as ${commit.slice(0, 10)}`),
    reopen: (ids) => each(ids, 'reopen'),
  };
}
