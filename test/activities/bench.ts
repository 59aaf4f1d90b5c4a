/**
 * A real repository, a real run on disk and the real activities, each call in an activity context of its own. Agents are
 * small shell scripts.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Connection, WorkflowClient } from '@temporalio/client';
import type { ActivityFunction } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { execa } from 'execa';
import { onTestFinished } from 'vitest';
import { createActivities } from '../../src/activities/index.js';
import { parseConfig } from '../../src/config/load.js';
import { workHere } from '../../src/jobs/index.js';
import { killByToken } from '../../src/process/tokens.js';
import type { PrepareResult } from '../../src/protocol/activities.js';
import type { RunAgentInput } from '../../src/protocol/agent-run.js';
import type { Idea } from '../../src/protocol/idea.js';
import { writeRun } from '../../src/run-files/run.js';
import type { RunFile } from '../../src/run-files/shapes.js';
import { COMMIT, NEW_REPOSITORY, until, yaml } from '../support/program.js';
import { idea } from './idea.js';

export { idea } from './idea.js';

export interface BenchOptions {
  /** Files of the first commit. */
  files?: Record<string, string>;
  /** Text of the agent's shell script; `$MARKS` is a folder that it shares with the test. */
  agent?: string;
  /** What reads the script's output. Default: command. */
  adapter?: string;
  /** `json`: a command that prints its events. */
  output?: 'json';
  config?: Record<string, unknown>;
  ideas?: Idea[];
  run?: Partial<RunFile>;
}

/** Ends a script: the agent says so with this iteration's word. */
export const say = (signal: string): string => `printf '<ralph nonce="%s">${signal}</ralph>\\n' "$RALPHCTL_NONCE"`;

/** An activity under way. */
export interface Call<R> {
  done: Promise<R>;
  env: MockActivityEnvironment;
  /** Times of heartbeats, ms. */
  beats: number[];
}

class NothingOpen extends WorkflowClient {
  override list(): ReturnType<WorkflowClient['list']> {
    const none = (async function* () {})() as AsyncIterable<never>;
    return { [Symbol.asyncIterator]: () => none[Symbol.asyncIterator](), intoHistories: () => none };
  }
}

export type Bench = Awaited<ReturnType<typeof bench>>;

export async function bench(options: BenchOptions = {}) {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'ralphctl-act-')));
  const project = `act-${randomUUID().slice(0, 8)}`;
  const repo = join(base, 'repo');
  const root = join(base, 'state');
  const marks = join(base, 'marks');
  for (const dir of [repo, root, marks]) await mkdir(dir);
  const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, HOME: base, LANG: 'C.UTF-8' };
  const gitIn = async (dir: string, ...args: string[]): Promise<string> =>
    (await execa('git', args, { cwd: dir, env, extendEnv: false })).stdout;
  const git = (...args: string[]): Promise<string> => gitIn(repo, ...args);
  const write = async (files: Record<string, string>, dir = repo): Promise<void> => {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(dir, path)), { recursive: true });
      await writeFile(join(dir, path), text);
    }
  };
  const shell = async (text: string, ...words: string[]): Promise<string> =>
    (await execa('sh', ['-c', text, 'sh', ...words], { cwd: repo, env, extendEnv: false })).stdout;
  const commit = (message: string): Promise<string> => shell(`${COMMIT} && git rev-parse HEAD`, message);
  await write(options.files ?? { 'base.txt': 'base\n' });
  await shell(`${NEW_REPOSITORY} && ${COMMIT}`, 'start');

  const script = join(base, 'agent.sh');
  const setAgent = (text: string): Promise<void> => writeFile(script, `MARKS='${marks}'\n${text}\n`);
  await setAgent(options.agent ?? `cat > /dev/null\necho work >> work.txt\n${say('COMPLETE')}`);
  const agents = {
    sh: {
      adapter: options.adapter ?? 'command',
      command: ['/bin/sh', script],
      ...(options.output ? { output: options.output } : {}),
    },
  };
  const config = parseConfig(yaml({ version: 1, agent: 'sh', agents, ...options.config }), 'ralphctl.yaml');
  const ref = { project, runId: '20260101-000000-aaaa' };
  const ideas = options.ideas ?? [idea('t-1')];
  const file: RunFile = {
    version: 1,
    ...ref,
    repo,
    target: 'main',
    config,
    backlog: { file: join(repo, 'roadmap.md'), format: 'roadmap', sha256: '' },
    tick: true,
    createdAt: new Date(0).toISOString(),
    ...options.run,
  };
  await writeRun(root, file, ideas);

  // No server here: what talks to one is tested with a real one in test/integration. To openRun nothing is open.
  const client = new NothingOpen({ connection: Connection.lazy({ address: '127.0.0.1:1', interceptors: [] }) });
  const deps = { root, host: 'testhost', env, client };
  const activities = createActivities(deps, workHere(deps));
  const all = { ...activities.main, ...activities.git, ...activities.agents };

  const call = <P extends unknown[], R>(fn: (...args: P) => Promise<R>, ...args: P): Call<R> => {
    const context = new MockActivityEnvironment(
      { activityType: 'tested', taskToken: Buffer.from(randomUUID()) },
      { logger: new DefaultLogger('ERROR', () => {}) },
    );
    const beats: number[] = [];
    context.on('heartbeat', () => beats.push(performance.now()));
    const done = context.run<P, R, ActivityFunction<P, R>>(fn, ...args);
    done.catch(() => {});
    return { done, env: context, beats };
  };
  const prepare = (id = 't-1', more: object = {}): Promise<PrepareResult> =>
    call(all.prepareIdea, { ...ref, idea: id, agentName: 'ed-001', ...more }).done;
  const agentInput = (at: PrepareResult, more: Partial<RunAgentInput> = {}): RunAgentInput => ({
    ...ref,
    idea: 't-1',
    agentName: 'ed-001',
    serial: 1,
    iteration: 1,
    maxIterations: 5,
    timeoutMs: 60_000,
    worktree: at.worktree,
    branch: at.branch,
    base: at.base,
    notes: [],
    ...more,
  });

  onTestFinished(async () => {
    await killByToken(project, 0);
    await rm(base, { recursive: true, force: true, maxRetries: 5 });
  });
  return {
    ...{ base, project, repo, root, marks, env, ref, file, ideas, git, gitIn, write, commit, setAgent },
    activities: all,
    call,
    prepare,
    agentInput,
    /** The same ideas in a run of their own. */
    laterRun: (runId: string, more: Partial<RunFile> = {}): Promise<string> =>
      writeRun(root, { ...file, runId, ...more }, ideas),
    /** Prepares once and runs the agent. */
    runAgent: async (more: Partial<RunAgentInput> = {}) =>
      call(all.runAgent, agentInput(await prepare(more.idea ?? 't-1'), more)).done,
    read: (path: string): Promise<string> => readFile(path, 'utf8'),
  };
}

/** `t-1` works, and `does` happens meanwhile. `first`, `then`: shell lines of its agent before and after that. */
export async function whileAgentWorks(
  b: Bench,
  does: () => Promise<unknown>,
  { first = '', then = '' }: { first?: string; then?: string },
) {
  await b.setAgent(
    `cat > /dev/null; echo work > work.txt; ${first}\ntouch "$MARKS/there"; until [ -e "$MARKS/go" ]; do sleep 0.05; done\n${then}\n${say('COMPLETE')}`,
  );
  const running = b.runAgent();
  running.catch(() => undefined);
  await until('the agent', async () => (await b.read(join(b.marks, 'there')).catch(() => undefined)) !== undefined);
  await does();
  await writeFile(join(b.marks, 'go'), '');
  return running;
}
