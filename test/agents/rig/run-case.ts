/** One CLI, one case: a real repository and worktree, the real activity, the real program. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { AgentOutcome, RunAgentResult } from '../../../src/protocol/agent-run.js';
import { bench } from '../../activities/bench.js';
import { until } from '../../support/program.js';
import type { Mock } from '../mock/server.js';
import { setupFor } from './drivers.js';
import { type CliName, versionOf } from './install.js';
import { type Process, processesOf } from './left.js';
import { type Case, IN_TOOL, type Kind, withMarks } from './scenarios.js';

export interface Row {
  cli: CliName;
  version: string;
  name: string;
  kind: Kind;
  message: string;
  resetAt?: number;
  signal: string;
  exitCode: number | null;
  wallMs: number;
  requests: number;
  /** Command lines of what was left of the run. */
  left: string[];
  usage?: RunAgentResult['usage'];
  written?: string;
}

const RECORDER = fileURLToPath(new URL('record.mjs', import.meta.url));

export const kindOf = (outcome: AgentOutcome): Kind => (outcome.kind === 'failed' ? outcome.failure : outcome.kind);

/** The CLI's first process; a recorder around it is not the CLI. */
function mainProcess(all: readonly Process[]): Process | undefined {
  const own = all.filter(({ ofAgent, command }) => ofAgent && !command.includes(RECORDER));
  return own.filter(({ parent }) => !own.some(({ pid }) => pid === parent)).sort((a, b) => a.pid - b.pid)[0];
}

export interface CaseOptions {
  /** Where the CLI's output is written down, if it is to be. */
  record?: string | undefined;
  /** How long this CLI takes for a single answer on this machine as it is now, milliseconds: clocks are set by it. */
  pace: number;
}

export async function runCase(mock: Mock, cli: CliName, one: Case, { record, pace }: CaseOptions): Promise<Row> {
  const run = mock.play(`${cli}-${one.name}-${Date.now()}`, one.mock);
  onTestFinished(() => mock.forget(run));
  const target = one.refused ? { ...run, url: `http://127.0.0.1:9/${run.key}` } : run;
  const { entry, home } = setupFor(cli, target, one.setup);
  const command = record ? [process.execPath, RECORDER, record, ...entry.command] : entry.command;
  const b = await bench({
    config: {
      agent: cli,
      agents: { [cli]: { ...entry, command } },
      // Later than the clock of a case that has a short one, earlier than that of any other.
      idleTimeoutMinutes: Math.max(one.idleMs ?? 25_000, 7 * pace) / 60_000,
    },
  });
  run.scenario = withMarks(one.mock, b.marks);
  await b.write(home, b.base);
  const before = new Set((await processesOf(b.base)).map(({ pid }) => pid));
  const at = await b.prepare();
  const started = Date.now();
  const call = b.call(
    b.activities.runAgent,
    b.agentInput(at, { timeoutMs: one.timeoutMs ? Math.max(one.timeoutMs, 5 * pace) : Math.max(60_000, 10 * pace) }),
  );
  if (one.signal) {
    const { signal } = one;
    const there = async () => (one.mock.cut ? run.asked() > 0 : existsSync(join(b.marks, IN_TOOL)));
    await until('the agent in its tool call', there, 45_000 + 3 * pace);
    const agent = mainProcess(await processesOf(b.base));
    if (!agent) throw new Error(`no process of ${cli} is there to be killed`);
    process.kill(agent.pid, signal);
  }
  const result = await call.done;
  const wallMs = Date.now() - started;
  const left = (await processesOf(b.base)).filter(({ pid }) => !before.has(pid)).map(({ command: line }) => line);
  const { outcome } = result;
  return {
    ...{ cli, version: versionOf(cli), name: one.name, kind: kindOf(outcome), exitCode: result.exitCode },
    message: outcome.kind === 'failed' ? outcome.message : '',
    ...(outcome.kind === 'failed' && outcome.resetAt ? { resetAt: outcome.resetAt } : {}),
    ...{ signal: result.signal.kind, wallMs, requests: run.asked(), left },
    ...(result.usage ? { usage: result.usage } : {}),
    ...(one.writes ? { written: await b.git('show', `ralph/t-1:${one.writes.path}`).catch(() => '') } : {}),
  };
}
