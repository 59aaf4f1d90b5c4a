/** `start --dry-run`: prints the order of the ideas and their dependencies. Starts nothing. */
import { toCard } from '../../backlog/cards.js';
import { Autopilot, firstState } from '../../decide/run/autopilot.js';
import { rankReady, score as scoreOf } from '../../decide/scheduler/score.js';
import { landedIdeas } from '../../git/landing/landed.js';
import type { KeptCommand } from '../../protocol/activities.js';
import { EXIT } from '../../protocol/user-error.js';
import { abandonedIdeas, retriedIdeas } from '../../run-files/carried.js';
import { keptForNext } from '../../run-files/kept.js';
import { settingsOf } from '../../run-files/settings.js';
import { needNoWork } from '../../run-files/ticks.js';
import { type Context, print, printJson } from '../context.js';
import { carriedLines } from '../follow/left-behind.js';
import { type RunPlan, reportOf } from '../plan/run-plan.js';
import { openRunConfig } from './flags.js';
import { reportLines } from './landed-report.js';

/** As the new run carries them out. A person who names an idea again wants it to run. */
async function keptCommands(root: string, project: string, again: readonly string[]): Promise<KeptCommand[]> {
  return (await keptForNext(root, project)).flatMap(({ idea, kept }) =>
    kept
      .filter(({ verb }) => verb !== 'rollback' || !again.includes(idea))
      .map(({ at: _, ...command }) => ({ idea, ...command })),
  );
}

export async function showPlan(context: Context, plan: RunPlan): Promise<number> {
  const openRun = (await openRunConfig(context, plan.project))?.file.runId;
  const settings = settingsOf(plan.config);
  const onTarget = new Set(await landedIdeas(plan.project.repository.root, plan.target));
  const project = plan.project.id;
  const givenUp = await abandonedIdeas(context.root, project);
  const abandoned = [...givenUp.keys()].filter((idea) => !plan.again.includes(idea)).map((idea) => ({ idea }));
  const opened = {
    carried: {
      ...{ abandoned, hints: [], retries: await retriedIdeas(context.root, project) },
      kept: await keptCommands(context.root, project, plan.again),
    },
    agentsQueue: '',
    gitQueue: '',
    target: plan.target,
    cards: plan.ideas.map(toCard),
    landed: needNoWork(plan.ideas, onTarget, plan.again),
  };
  const pilot = new Autopilot(firstState(opened, settings, Date.now()), settings);
  const order: { id: string; title: string; round: number; score: number; agent: string; after: string[] }[] = [];
  const byId = new Map(plan.ideas.map((idea) => [idea.id, idea]));
  // A round holds the ideas that become ready once the earlier rounds have landed.
  for (let round = 1; pilot.graph.readyCount > 0; round++) {
    const ready = rankReady(pilot.graph, settings.weights);
    for (const id of ready) {
      const idea = byId.get(id);
      const agent = idea?.agent ?? plan.config.agent;
      const entry = pilot.graph.entry(id);
      const score = entry ? scoreOf(entry, pilot.graph, settings.weights) : 0;
      order.push({ id, title: idea?.title ?? '', round, score, agent, after: idea?.dependsOn ?? [] });
    }
    for (const id of ready) {
      const entry = pilot.graph.entry(id);
      if (entry) entry.status = 'landed';
      pilot.graph.markDone(id);
    }
  }
  const report = await reportOf(plan);
  const landed = new Set(opened.landed);
  const open = new Set(plan.ideas.filter(({ id, blue }) => !blue && !landed.has(id)).map(({ id }) => id));
  const carried = await carriedLines(context.root, { project }, open, plan.again);
  const gate = plan.config.gate.commands.map((one) => one.name);
  if (context.json) {
    printJson({
      project: plan.project.id,
      openRun,
      target: plan.target,
      slots: plan.config.slots,
      gate,
      landed: opened.landed,
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
  if (opened.landed.length > 0) print(`landed already: ${opened.landed.join(', ')}`);
  for (const one of order) {
    const after = one.after.length > 0 ? `  after ${one.after.join(', ')}` : '';
    print(`${String(one.round).padStart(3)}  ${one.id}  ${one.title}  [${one.agent}, score ${one.score}]${after}`);
  }
  for (const line of [...plan.amended.said, ...carried]) print(line);
  for (const line of reportLines(report, plan.target)) print(line);
  for (const warning of plan.warnings) print(`warning: ${warning}`);
  print('nothing was started');
  return EXIT.ok;
}
