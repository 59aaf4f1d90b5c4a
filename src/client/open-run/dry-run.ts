/**
 * `start --dry-run` and `run --dry-run`: prints the order of the ideas and their dependencies, or what the first wave
 * would take, and everything that the command would refuse.
 * Invariant: starts nothing and leaves nothing behind.
 */
import { newModel } from '../../model/fold.js';
import { EXIT, type UserError } from '../../protocol/user-error.js';
import { startAgainOf } from '../../run-files/start-again.js';
import { type Context, print, printJson } from '../context.js';
import { carriedLines } from '../follow/left-behind.js';
import { aheadOf, codeOfNothing, nothingLines } from '../plan/nothing-to-start.js';
import { beginningOf, orderFrom } from '../plan/order.js';
import { remoteLine } from '../plan/remote.js';
import type { RunConfig } from '../plan/run-config.js';
import { landedOnTarget, planRun, reportOf, type StartFlags } from '../plan/run-plan.js';
import { trackerLine } from '../plan/source.js';
import { refusePlain } from '../plan/waves.js';
import { assertStateFolder } from '../state-folder.js';
import { groupsLine, groupsOf } from '../views/beside-lines.js';
import { clean, many } from '../views/live-lines.js';
import { firstWave, firstWaveLines } from './dry-waves.js';
import { openRunConfig, refusedFlags } from './flags.js';
import { reportLines } from './landed-report.js';
import { reusedIdLines } from './reused-ids.js';

export async function showPlan(context: Context, flags: StartFlags): Promise<number> {
  const problems: UserError[] = [];
  const plan = await planRun(context, flags, { agents: true, refused: problems });
  await assertStateFolder(context).catch((error: UserError) => problems.push(error));
  const config = await openRunConfig(context, plan.project);
  const openRun = config?.file.runId;
  // An open run needs no plan: `start` attaches to it.
  const refused = config ? await refusedOn(context, config, flags) : problems.map(({ message }) => message);
  // A start attaches to an open run, and refuses before it looks whether there is work.
  const begins = await beginningOf(context, plan);
  const nothing = config || refused.length > 0 ? undefined : (await aheadOf(plan, begins)).idle;
  const code = nothing
    ? codeOfNothing(plan, nothing)
    : refused.length === 0
      ? EXIT.ok
      : config
        ? EXIT.refused
        : EXIT.usage;
  const wave = plan.waves && { settings: plan.waves, first: await firstWave(context, plan, plan.waves) };
  // A wave chooses by its own rules, but leaves out the same landed ideas.
  const { order, landed, todo, waits } = orderFrom(plan, begins);
  const report = await reportOf(plan);
  const over = new Set(landed);
  const open = new Set(plan.ideas.filter(({ id, blue }) => !blue && !over.has(id)).map(({ id }) => id));
  const carried = await carriedLines(context.root, { project: plan.project.id }, open, plan.again, plan);
  // A wave takes no epics.
  const groups = wave ? [] : groupsOf(newModel({ project: '', runId: '', name: '', target: '' }, plan.ideas, over));
  const gate = plan.config.gate.commands.map((one) => one.name);
  const reused = await reusedIdLines(context, plan);
  if (context.json) {
    printJson({
      project: plan.project.id,
      openRun,
      target: plan.target,
      slots: plan.config.slots,
      gate,
      landed,
      todo,
      ...report,
      amended: plan.amended.said,
      carried,
      reused: reused.length > 0 ? reused : undefined,
      warnings: plan.warnings.length > 0 ? plan.warnings : undefined,
      groups: groups.length > 0 ? groups : undefined,
      ...(wave ? { wave: wave.first } : { order, waits: waits.length > 0 ? waits : undefined }),
      refused: refused.length > 0 ? refused : undefined,
      nothing: nothing && { done: nothing.done, left: nothing.left },
    });
    return code;
  }
  const verb = wave ? 'run' : 'start';
  if (openRun !== undefined) {
    print(`run ${openRun} is open: ralphctl ${verb} attaches to it, and begins nothing of the following`);
    print('it takes new ideas with: ralphctl enqueue   and a changed ralphctl.yaml with: ralphctl config reload');
    print('a run that begins after it:');
  }
  print(
    `${plan.project.repository.root} onto ${plan.target}, ${many(plan.config.slots, 'slot')}, ${many(todo, wave ? 'report' : 'idea')} to do${wave || waits.length === 0 ? '' : `, ${waits.length} of them ${waits.length === 1 ? 'waits' : 'wait'}`}`,
  );
  const { mode, pr, stack } = plan.config.landing;
  const about = { ...pr, stack };
  const remote = await remoteLine(plan.project.repository.root, plan.target, plan.remote, mode, about);
  if (remote !== undefined) print(remote);
  if (plan.tracker) print(trackerLine(plan.tracker));
  print(`gate: ${gate.length > 0 ? gate.join('; ') : 'none'}`);
  // What has left the target has a line of its own below.
  const gone = new Set(report.takenBack.flatMap(({ idea, part }) => (part ? [] : [idea])));
  const there = landed.filter((id) => !gone.has(id));
  const onTarget = new Set(await landedOnTarget(plan));
  const list = (what: string, ids: readonly string[]): void => {
    if (ids.length > 0) print(`${what}: ${clean(ids.join(', '), Number.POSITIVE_INFINITY)}`);
  };
  list(
    'landed already',
    there.filter((id) => onTarget.has(id)),
  );
  list(
    'ticked in the backlog',
    there.filter((id) => !onTarget.has(id)),
  );
  if (nothing) for (const line of nothingLines(context, plan, nothing)) print(clean(line, Number.POSITIVE_INFINITY));
  for (const one of wave ? [] : order) {
    const after = one.after.length > 0 ? `  after ${one.after.join(', ')}` : '';
    const about = `${one.id}  ${one.title}  [${one.agent}, ${scoreText(one)}]${after}`;
    print(`${String(one.round).padStart(3)}  ${clean(about, 2000)}`);
  }
  // With nothing to start, the lines above name them.
  for (const one of wave || nothing ? [] : waits)
    print(clean(`  -  ${one.id}  waits for ${one.for.join(', ')}, which this start does not run`, 2000));
  for (const line of groupsLine(groups)) print(line);
  if (wave) for (const line of firstWaveLines(wave.first, wave.settings)) print(line);
  for (const line of [...plan.amended.said, ...carried]) print(clean(line, 2000));
  for (const line of [...reportLines(report, plan.target, startAgainOf(plan)), ...reused]) print(line);
  for (const warning of plan.warnings) print(clean(`warning: ${warning}`, 2000));
  for (const line of refused) print(clean(`${verb} would refuse: ${line}`, 2000));
  print('nothing was started');
  return code;
}

/** A first place is no amount that anybody compares. */
const scoreText = ({ score, first = 0 }: { score: number; first?: number }): string =>
  first > 0 ? `bumped, score ${score - first}` : `score ${score}`;

async function refusedOn(context: Context, config: RunConfig, flags: StartFlags): Promise<string[]> {
  const { project, runId } = config.file;
  const plain = flags.waves
    ? await refusePlain(context.root, project, runId).then(
        () => [],
        ({ message }: UserError) => [message],
      )
    : [];
  return [...plain, ...(await refusedFlags(context, config, flags))];
}
