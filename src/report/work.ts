/** Sums the work on one idea: agent runs, gates, time and cost. Pure. */
import type { IdeaModel, Iteration, Tally } from '../model/model.js';
import { isReported, iterationCount, runsOf } from '../model/tally.js';
import type { AgentSignal } from '../protocol/agent-run.js';
import { wordsAlone } from '../screen/pages/need-lines.js';
import type { AgentRun, LandedIdea } from './schema.js';

type Work = Omit<LandedIdea, 'at' | 'commit' | 'commits' | 'lines' | 'tests' | 'look'>;

export function workOf(idea: IdeaModel): Work {
  const { spent, iterations, startedAt, since } = idea;
  const words = wordsAlone(iterations.findLast((run) => run.words)?.words ?? '');
  const ms = startedAt !== undefined && since !== undefined && since >= startedAt ? since - startedAt : undefined;
  return {
    idea: idea.id,
    title: idea.title,
    iterations: iterationCount(idea),
    ...(ms === undefined ? {} : { ms }),
    ...(runsOf(spent) === 0 ? {} : { agentMs: spent.ms }),
    ...moneyOf(spent),
    runs: iterations.map(runOf),
    said: idea.said
      .filter(({ verb, done }) => verb !== 'answer' || done !== undefined)
      .map(({ at, verb, text, by, undelivered }) => ({
        ...{ at, verb, ...(text ? { text } : {}), ...(by ? { by } : {}) },
        ...(undelivered ? { undelivered } : {}),
      })),
    ...(words ? { words } : {}),
  };
}

export function moneyOf(spent: Tally): { dollars?: number; unknownDollars: number; tokens?: number } {
  const { dollars, unknownDollars, tokensIn, tokensOut } = spent;
  return {
    ...(isReported(spent, 'Dollars') ? { dollars } : {}),
    unknownDollars,
    ...(isReported(spent, 'Tokens') ? { tokens: tokensIn + tokensOut } : {}),
  };
}

function runOf(run: Iteration): AgentRun {
  const { gate } = run;
  return {
    serial: run.serial,
    number: run.number,
    at: run.startedAt,
    ...(run.durationMs === undefined ? {} : { ms: run.durationMs }),
    ...(run.agent ? { agent: run.agent } : {}),
    ...(run.signal ? { signal: signalText(run.signal) } : {}),
    ...(run.signal?.kind === 'progress' ? { percent: run.signal.percent } : {}),
    ...(run.turnedDown === undefined ? {} : { turnedDown: true as const }),
    ...(run.outcome ? { outcome: run.outcome } : {}),
    ...(run.commits === undefined ? {} : { commits: run.commits }),
    ...(run.dollars === undefined ? {} : { dollars: run.dollars }),
    ...(gate
      ? {
          gate: {
            pass: gate.pass,
            ...(gate.none ? { none: true as const } : {}),
            ...(gate.command ? { command: gate.command } : {}),
            ...(gate.tests ? { tests: { passed: gate.tests.passed, total: gate.tests.total } } : {}),
            ms: gate.durationMs,
          },
        }
      : {}),
  };
}

export function signalText(signal: AgentSignal): string {
  switch (signal.kind) {
    case 'progress':
      return `PROGRESS ${signal.percent}`;
    case 'complete':
      return 'COMPLETE';
    case 'blocked':
      return 'BLOCKED';
    case 'needs-human':
      return 'NEEDS_HUMAN';
    default:
      return 'no signal';
  }
}
