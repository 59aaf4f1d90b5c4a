/** `start --dry-run`: prints the order of the ideas and their dependencies. Starts nothing. */
import { EXIT } from '../../protocol/user-error.js';
import { type Context, print, printJson } from '../context.js';
import { carriedLines } from '../follow/left-behind.js';
import { orderOf } from '../plan/order.js';
import { type RunPlan, reportOf } from '../plan/run-plan.js';
import { clean } from '../views/live-lines.js';
import { openRunConfig } from './flags.js';
import { reportLines } from './landed-report.js';

export async function showPlan(context: Context, plan: RunPlan): Promise<number> {
  const openRun = (await openRunConfig(context, plan.project))?.file.runId;
  const { order, landed } = await orderOf(context, plan);
  const report = await reportOf(plan);
  const over = new Set(landed);
  const open = new Set(plan.ideas.filter(({ id, blue }) => !blue && !over.has(id)).map(({ id }) => id));
  const carried = await carriedLines(context.root, { project: plan.project.id }, open, plan.again);
  const gate = plan.config.gate.commands.map((one) => one.name);
  if (context.json) {
    printJson({
      project: plan.project.id,
      openRun,
      target: plan.target,
      slots: plan.config.slots,
      gate,
      landed,
      ...report,
      carried,
      order,
    });
    return EXIT.ok;
  }
  if (openRun !== undefined) {
    print(`run ${openRun} is open: ralphctl start attaches to it, and begins nothing of the following`);
    print('it takes new ideas with: ralphctl enqueue   and a changed ralphctl.yaml with: ralphctl config reload');
    print('a run that begins after it:');
  }
  print(`${plan.project.repository.root} onto ${plan.target}, ${plan.config.slots} slots`);
  print(`gate: ${gate.length > 0 ? gate.join('; ') : 'none'}`);
  if (landed.length > 0) print(`landed already: ${clean(landed.join(', '), Number.POSITIVE_INFINITY)}`);
  for (const one of order) {
    const after = one.after.length > 0 ? `  after ${one.after.join(', ')}` : '';
    const about = `${one.id}  ${one.title}  [${one.agent}, score ${one.score}]${after}`;
    print(`${String(one.round).padStart(3)}  ${clean(about, 2000)}`);
  }
  for (const line of [...plan.amended.said, ...carried]) print(clean(line, 2000));
  for (const line of reportLines(report, plan.target)) print(line);
  for (const warning of plan.warnings) print(clean(`warning: ${warning}`, 2000));
  print('nothing was started');
  return EXIT.ok;
}
