/**
 * A backlog with nothing to start: a run of it would end at once, and would stand as the last run before the one that
 * brought something. `start` says why instead, and how to go on.
 * Invariant: reads only. Says nothing where a run would start an idea.
 */
import { relative } from 'node:path';
import type { LeftOut } from '../../backlog/formats/format.js';
import type { Autopilot } from '../../decide/run/autopilot.js';
import { notPushed } from '../../git/delivery/unpushed.js';
import { againCommand, startCommand } from '../../model/start-again.js';
import type { IdeaEntry } from '../../protocol/run.js';
import { EXIT } from '../../protocol/user-error.js';
import { newestRun } from '../../run-files/readable.js';
import { startAgainOf } from '../../run-files/start-again.js';
import { type Context, print, printJson } from '../context.js';
import { carriedLines } from '../follow/left-behind.js';
import { fixOf } from '../open-run/landed-report.js';
import { untickedAtEnd } from '../open-run/not-committed.js';
import { warnOnce } from '../report/summaries.js';
import { clean, many } from '../views/live-lines.js';
import { type Beginning, beginningOf, todoOf } from './order.js';
import { LISTED, type RunPlan, reportOf } from './run-plan.js';

export interface NothingToStart {
  /** Number of ideas, epics left out. */
  total: number;
  /** Ideas that landed or are ticked, without those that somebody took off the target. */
  done: string[];
  /** Ideas that no run takes, each with its cause. */
  left: { idea: string; status: IdeaEntry['status']; why: string }[];
  /** Those of them that landed and were taken off the target. */
  off?: string[];
}

/** What a run would begin with. */
export interface Ahead {
  /** Ideas to do, as a dry run counts them. */
  todo: number;
  /** Absent: there is an idea to start. */
  idle?: NothingToStart;
}

export const lookAhead = async (context: Context, plan: RunPlan): Promise<Ahead> =>
  aheadOf(plan, await beginningOf(context, plan));

export async function aheadOf(plan: RunPlan, { pilot }: Beginning): Promise<Ahead> {
  const { graph } = pilot;
  const ahead = { todo: todoOf(pilot.state.entries) };
  if (graph.readyCount > 0) return ahead;
  const { project, target, remote, config } = plan;
  // A run pushes what an earlier one could not.
  if (remote && config.landing.mode === 'push' && (await notPushed(project.repository.root, target, remote)))
    return ahead;
  return { ...ahead, idle: idleOf(pilot, await takenOff(plan)) };
}

function idleOf({ state, graph }: Autopilot, off: ReadonlyMap<string, string>): NothingToStart {
  const entries = state.entries.filter(({ card }) => !card.blue);
  const isDone = ({ card, status }: IdeaEntry): boolean => status === 'landed' && !off.has(card.id);
  const why = ({ card, reason }: IdeaEntry): string =>
    off.get(card.id) ?? reason ?? `waits for ${some(graph.waitsFor(card.id))}`;
  const offNow = [...off.keys()].filter((id) => entries.some(({ card }) => card.id === id));
  return {
    total: entries.length,
    done: entries.filter(isDone).map(({ card }) => card.id),
    left: entries
      .filter((entry) => !isDone(entry))
      .map((entry) => {
        const { id } = entry.card;
        return { idea: id, status: off.has(id) ? 'pending' : entry.status, why: why(entry) };
      }),
    ...(offNow.length > 0 ? { off: offNow } : {}),
  };
}

/** Landed ideas that somebody took off the target and that no start runs before a retry, each with what it waits for. */
async function takenOff(plan: RunPlan): Promise<Map<string, string>> {
  const start = startAgainOf(plan);
  const { takenBack } = await reportOf(plan);
  return new Map(
    takenBack.flatMap((one): [string, string][] => {
      const { command, runs } = fixOf(one, start);
      if (one.part || one.runs || runs) return [];
      const { by } = one;
      const how = by
        ? `${by.commit.slice(0, 8)} (${clean(by.subject, 60)}) took it off ${plan.target}`
        : `${plan.target} was reset or rewritten without it`;
      return [[one.idea, `waits for your retry, because ${how}: ${command}`]];
    }),
  );
}

const MOST_NAMED = 10;
const some = (ids: readonly string[]): string =>
  `${ids.slice(0, MOST_NAMED).join(', ')}${ids.length > MOST_NAMED ? ` and ${ids.length - MOST_NAMED} more` : ''}`;

/** The exit code of a run with the same result. */
export const codeOfNothing = (plan: RunPlan, { left }: NothingToStart): number =>
  left.length === 0 && notTaken(plan).length === 0 ? EXIT.ok : EXIT.notLanded;

export async function sayNothingToStart(context: Context, plan: RunPlan, found: NothingToStart): Promise<number> {
  const { done, left } = found;
  const project = plan.project.id;
  const code = codeOfNothing(plan, found);
  if (context.json) {
    printJson({ kind: 'nothing', project, target: plan.target, done, left });
    return code;
  }
  const open = new Set(left.map(({ idea }) => idea));
  const carried = await carriedLines(context.root, { project }, open, plan.again, plan);
  const last = (await newestRun(context.root, project, warnOnce))?.file.runId;
  // The last run may have ended without anybody attached.
  const unticked = last === undefined ? [] : await untickedAtEnd(context, { project, runId: last });
  for (const line of [...nothingLines(context, plan, found), ...carried, ...unticked])
    print(clean(line, Number.POSITIVE_INFINITY));
  print(`No run was started.${last === undefined ? '' : ' The last one: ralphctl report'}`);
  return code;
}

/** Open entries of the tracker that the configuration leaves out, where it leaves nothing else. */
const notTaken = ({ tracker, ideas, leftOut }: RunPlan): readonly LeftOut[] =>
  tracker && ideas.length === 0 ? leftOut.filter(({ over }) => !over) : [];

/** Why nothing starts, and how to go on. */
export function nothingLines(context: Context, plan: RunPlan, { total, done, left, off }: NothingToStart): string[] {
  const { backlog, tracker } = plan;
  if (tracker && total === 0) {
    const [first, ...more] = notTaken(plan);
    const also = more.length > 0 ? ` and ${more.length} more` : '';
    return [
      `nothing to start: nothing that is open in the ${tracker.where} fits the configuration`,
      ...(first ? [`left out: ${first.id} (${first.why})${also}. ${LISTED}`] : []),
    ];
  }
  const file = tracker?.where ?? (relative(context.cwd, backlog.file) || backlog.file);
  const out = left.filter(({ status }) => status === 'skipped');
  const waits = left.filter(({ status }) => status !== 'skipped' && status !== 'abandoned');
  const one = total === 1;
  const none = off?.length === left.length ? `landed, and ${one ? 'is' : 'are'} on ${plan.target} no more` : undefined;
  const whole = one ? `the one idea of ${file}` : `all ${total} ideas of ${file}`;
  const head =
    left.length === 0
      ? `nothing to start: ${whole} ${one ? 'has' : 'have'} landed or ${one ? 'is' : 'are'} ticked`
      : done.length > 0
        ? `nothing to start: ${done.length} of ${many(total, 'idea')} of ${file} landed or are ticked, and no other can start`
        : `nothing to start: ${none ? `${whole} ${none}` : `no idea of ${file} can start, and none has landed`}`;
  const start = startAgainOf(plan);
  return [
    head,
    ...out
      .slice(0, MOST_NAMED)
      .map(({ idea, why }) => `${idea} is skipped: ${why}; to try it again: ralphctl retry ${idea}`),
    ...(out.length > MOST_NAMED ? [`and ${out.length - MOST_NAMED} more that are skipped`] : []),
    ...waits.slice(0, MOST_NAMED).map(({ idea, why }) => `${idea} ${why}`),
    ...(waits.length > MOST_NAMED ? [`and ${waits.length - MOST_NAMED} more that wait`] : []),
    // Beside an idea that takes a retry, another command that runs landed work again would only confuse.
    off
      ? `After a retry: ${startCommand(start)}. Or add ${tracker ? 'to the' : 'ideas to'} ${file}`
      : `Add ${tracker ? 'to the' : 'ideas to'} ${file}, or run one again: ${againCommand('IDEA', start) ?? 'ralphctl start --again IDEA'}`,
  ];
}
