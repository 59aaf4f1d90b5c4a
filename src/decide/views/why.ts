/**
 * The explanation of one idea: its place, what it waits for, what a person can do (A8).
 * May import protocol and decide only.
 */
import type { AutopilotState, IdeaEntry } from '../../protocol/run.js';
import type { RunSettings } from '../../protocol/run-settings.js';
import { type IdeaStatus, statusWord } from '../../protocol/states.js';
import type { WhyView } from '../../protocol/views.js';
import { deliveryLine } from '../delivery/push.js';
import { legalInterventions, refusedFor, situationOf } from '../idea/table.js';
import { resumeCommand } from '../run/control.js';
import type { Graph } from '../scheduler/graph.js';
import { rankOf, scoreParts } from '../scheduler/score.js';
import { runStanding } from './standing.js';
import { approvalOf } from './status.js';
import { groupText, groupView } from './survey.js';

export function why(id: string, settings: RunSettings, graph: Graph, state: AutopilotState): WhyView | undefined {
  const entry = graph.entry(id);
  if (!entry) return undefined;
  const parts = scoreParts(entry, graph, settings.weights);
  const rank = rankOf(id, graph, settings.weights) ?? 0;
  const group = groupView(id, graph);
  const paused = pausedText(state, settings, graph);
  const landed = graph.isDone(id);
  // A dependency may be open again, or new in the backlog.
  const waitsFor = landed ? [] : graph.waitsFor(id);
  return {
    idea: id,
    title: entry.card.title,
    status: landed ? 'landed' : entry.status,
    score: parts.reduce((sum, part) => sum + part.value, 0),
    parts,
    rank: rank > 0 ? rank : undefined,
    waitsFor: waitsFor.map((dep) => `${dep} (${describeWait(dep, graph)})`),
    reason: reasonOf(entry, state, settings),
    stack: stackText(entry, graph),
    told: entry.told,
    held: entry.hold,
    warnings: entry.warnings,
    approval: approvalOf(entry),
    group,
    paused: paused && OPEN.has(entry.status) && !landed ? paused : undefined,
    possible: legalInterventions(situationOf(entry, state.landing), refusedFor(entry, state)),
  };
}

/** Which pull request it is on top of, or can be, or why not. */
function stackText({ card: { id }, status, below }: IdeaEntry, graph: Graph): string | undefined {
  if (below && status !== 'pending')
    return `it started on top of pull request ${below.number} (${below.idea}), which is merged first (landing.stack)`;
  if (status !== 'pending') return undefined;
  const foot = graph.foot(id);
  if (foot)
    return `it can start on top of pull request ${foot.review?.number} (${foot.card.id}), which is not merged yet (landing.stack)`;
  return graph.noFoot(id);
}

/** Of a landed idea that the remote lacks, also that. */
function reasonOf(
  { card, reason, status }: IdeaEntry,
  state: AutopilotState,
  settings: RunSettings,
): string | undefined {
  const push = deliveryLine(state.delivery, settings.delivery);
  const lacks = status === 'landed' && push !== undefined && state.delivery?.held?.ideas.includes(card.id) === true;
  return [reason, lacks ? push.text : undefined].filter(Boolean).join('. ') || undefined;
}

/** Ideas that a run can still start or continue. */
const OPEN: ReadonlySet<IdeaStatus> = new Set(['pending', 'running', 'paused', 'needs-human', 'wants-slot']);

/** Why the run starts nothing, with the one command that resumes it. */
function pausedText(state: AutopilotState, settings: RunSettings, graph: Graph): string | undefined {
  const command = resumeCommand(state, settings);
  if (command === undefined) return undefined;
  const { why: reason } = runStanding(state, graph);
  if (reason?.includes('ralphctl ')) return reason;
  return `${reason ? `${reason}; ` : ''}resume it with: ${command}`;
}

function describeWait(id: string, graph: Graph): string {
  const entry = graph.entry(id);
  if (!entry) return 'unknown';
  if (entry.card.blue) return groupText(id, graph);
  if (entry.status !== 'pending') return statusWord(entry.status);
  // As the screen names them.
  return entry.hold ? 'held' : graph.waitsFor(id).length > 0 ? 'after' : 'ready';
}
