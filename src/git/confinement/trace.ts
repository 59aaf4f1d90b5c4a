/**
 * The git commands of an agent run, from git's own trace (GIT_TRACE2_EVENT). It proves who ran a command; times and
 * names would be a guess. Parsing is pure except for reading the file.
 */
import { resolve } from 'node:path';
import { linesOf } from '../regular.js';

export interface TracedCommand {
  /** Subcommand, e.g. `commit`. */
  name: string;
  argv: string[];
  /** Root of its worktree, when git named one. */
  worktree?: string;
  /** Its git directory, absolute, when git named one: there lie the HEAD, the index and the branch that it moves. */
  gitDir?: string;
  /** epoch ms */
  from: number;
  to: number;
  ok: boolean;
  /** Git processes that it started itself. */
  children: number;
}

/** File name of git's trace in the folder of an agent run. */
export const TRACE_FILE = 'git-trace.jsonl';

/** Variables that make every git below a process write its trace. */
export const traceEnvironment = (file: string): Record<string, string> => ({
  GIT_TRACE2_EVENT: file,
  GIT_TRACE2_EVENT_BRIEF: '1',
  GIT_TRACE2_EVENT_NESTING: '1',
  // By this variable git names its git directory, also where an option or a `.git` file chose it.
  GIT_TRACE2_ENV_VARS: 'GIT_DIR',
});

const WANTED = /^\{"event":"(?:version|start|def_repo|def_param|cmd_name|atexit)"/;
/** Limits reading: a run may call git very often. */
const MOST_COMMANDS = 20_000;

interface Event {
  event: string;
  sid: string;
  time?: string;
  argv?: string[];
  worktree?: string;
  name?: string;
  param?: string;
  value?: string;
  code?: number;
}

/** Commands in the order of their start; none without a file. */
export async function readTrace(file: string): Promise<TracedCommand[]> {
  const found = new Map<string, TracedCommand>();
  for await (const line of linesOf(file)) {
    if (WANTED.test(line)) take(found, line);
    if (found.size > MOST_COMMANDS) break;
  }
  return [...found.values()].filter((command) => command.name !== '');
}

function take(found: Map<string, TracedCommand>, line: string): void {
  let event: Event;
  try {
    event = JSON.parse(line) as Event;
  } catch {
    return;
  }
  const at = event.time ? Date.parse(event.time) : Number.NaN;
  const known = found.get(event.sid);
  if (!known) {
    if (event.event === 'version') {
      // A command without an end was killed: its effects until then count.
      found.set(event.sid, { name: '', argv: [], from: at, to: Number.POSITIVE_INFINITY, ok: true, children: 0 });
      const parent = found.get(event.sid.slice(0, event.sid.lastIndexOf('/')));
      if (parent) parent.children += 1;
    }
    return;
  }
  if (event.event === 'start') known.argv = event.argv ?? [];
  else if (event.event === 'def_repo' && event.worktree) known.worktree ??= event.worktree;
  else if (event.event === 'cmd_name') known.name = event.name ?? '';
  else if (event.event === 'def_param') {
    if (event.param === 'GIT_DIR' && event.value) known.gitDir ??= resolve(known.worktree ?? '/', event.value);
  } else if (event.event === 'atexit') {
    known.to = at;
    known.ok = event.code === 0;
  }
}
