/**
 * Applies one event to its idea.
 * Invariant: the serial identifies an agent run, so a repeated line counts once. May import protocol only.
 */
import type { StampedEvent } from '../protocol/events.js';
import { WORKER_LOST } from '../protocol/failures.js';
import { MAY_BE_FINISHED } from '../protocol/states.js';
import { gate, unfinished } from './fold-gate.js';
import { landed } from './fold-landed.js';
import { answered, command, delivered, moment } from './fold-said.js';
import { keepQuestion } from './left-asking.js';
import { endedSilently, reportedLate, workerLost } from './lost-runs.js';
import type { IdeaModel, Iteration, RunModel } from './model.js';
import { addRun, uncharge } from './tally.js';
import { wholeTitle } from './whole-title.js';

type Of<Kind extends StampedEvent['kind']> = Extract<StampedEvent, { kind: Kind }>;

export function foldIdea(model: RunModel, idea: IdeaModel, event: StampedEvent, at: number): void {
  if (ENDS_ACTIVITY.has(event.kind)) delete idea.activity;
  if (ENDS_WAIT.has(event.kind)) delete idea.backsOff;
  switch (event.kind) {
    case 'activity': {
      const { kind: _, idea: __, ...activity } = event;
      idea.activity = { ...activity, at };
      return;
    }
    case 'idea':
      status(model, idea, event, at);
      return;
    case 'iteration':
      begin(model, idea, event, at);
      return;
    case 'iteration-end':
      end(model, idea, event, at);
      return;
    case 'interrupted': {
      const run = idea.iterations.at(-1);
      if (run && run.endedAt === undefined) run.outcome = 'interrupted';
      endedSilently(model, idea, at);
      return;
    }
    case 'waiting':
      idea.backsOff = event.why;
      if (event.why === WORKER_LOST) workerLost(model, idea, at);
      return;
    case 'asks':
      idea.question = event.question;
      idea.asking = event.asking;
      if (event.id === undefined) delete idea.questionId;
      else idea.questionId = idea.lastAsked = event.id;
      return;
    case 'gate-start': {
      const { command, number, of } = event;
      const began = number > 1 ? (idea.gateNow?.began ?? at) : at;
      idea.gateNow = { at, began, command, number, of, merged: event.merged === true };
      return;
    }
    case 'gate':
      gate(idea, event, at);
      return;
    case 'review':
      if (event.state === 'open') idea.pull = idea.review = { number: event.number, url: event.url };
      else if (event.state === 'merged' || event.state === 'closed') delete idea.pull;
      // It lands again. After other news its status changes.
      else if (event.state === 'apart' || event.state === 'astray') delete idea.review;
      return;
    case 'landing':
      delete idea.review;
      return;
    case 'reverted':
      moment(idea, { at, kind: 'reverted', text: event.text });
      if (idea.status !== 'landed') return;
      idea.reason = event.text;
      idea.reverted = { text: event.text, ...(event.part ? { part: true } : {}) };
      return;
    case 'bounced':
      idea.bounces += 1;
      if (event.why.includes('conflict')) model.conflicts += 1;
      unfinished(idea);
      moment(idea, { at, kind: 'bounced', text: event.why });
      return;
    case 'step-start':
      idea.step = { number: event.number, of: event.of, id: event.step, phase: event.phase };
      return;
    case 'step':
      step(idea, event, at);
      return;
    case 'answered':
      answered(idea, event, at);
      return;
    case 'delivered':
      delivered(idea, event);
      return;
    case 'command':
      command(idea, event, at);
      return;
    case 'refused':
      moment(idea, { at, kind: 'refused', text: `${event.verb}: ${event.why}` });
      return;
    case 'parked':
      idea.waits = { kind: event.trouble.kind === 'auth' ? 'login' : 'limit', text: event.trouble.message };
      moment(idea, { at, kind: 'limit', text: event.trouble.message, before: event.trouble.agent });
      return;
    case 'held':
      moment(idea, { at, kind: 'held', text: event.why });
      return;
    case 'agent':
      idea.agent = event.agent;
      if (event.before !== undefined) model.replaced.set(event.before, { agent: event.agent, at });
      moment(idea, {
        at,
        kind: 'agent',
        agent: event.agent,
        ...(event.before === undefined ? {} : { before: event.before }),
        text: `${event.agent}${event.before ? ` instead of ${event.before}` : ''}${event.why ? `: ${event.why}` : ''}`,
      });
      return;
    case 'escalated':
      moment(idea, { at, kind: 'escalated', text: event.rung });
      return;
    case 'warning':
      idea.warnings = idea.warnings.filter(({ kind }) => kind !== event.warning);
      idea.warnings.push({ idea: idea.id, kind: event.warning, text: event.text, since: at });
      moment(idea, { at, kind: 'warning', warning: event.warning, text: event.text });
      return;
    case 'gone':
      moment(idea, { at, kind: 'warning', text: event.text });
      return;
    case 'warning-over':
      idea.warnings = idea.warnings.filter(({ kind }) => kind !== event.warning);
      return;
    default:
  }
}

/** Others may come from a person meanwhile. */
const ENDS_ACTIVITY = new Set<StampedEvent['kind']>([
  ...(['idea', 'iteration', 'iteration-end', 'interrupted', 'gate-start', 'gate', 'bounced', 'asks'] as const),
]);

const ENDS_WAIT = new Set<StampedEvent['kind']>([...ENDS_ACTIVITY, 'step-start', 'parked']);

const CLOSED = new Set<string>(['landed', 'failed', 'timeout', 'blocked', 'skipped', 'abandoned']);

/** What only a person ends. */
function restOf({ status, held, approval }: Of<'idea'>): string | undefined {
  if (status === 'paused') return approval ? 'waits for approval' : 'paused';
  return status === 'pending' && held ? 'held' : undefined;
}

/** A pause is one moment, with its end. */
function rest(idea: IdeaModel, event: Of<'idea'>, at: number): void {
  const last = idea.moments.findLast(({ kind }) => kind === 'paused');
  const open = last?.to === undefined ? last : undefined;
  const text = restOf(event);
  if (open?.text === text) return;
  if (open) open.to = at;
  if (text !== undefined) moment(idea, { at, kind: 'paused', text });
}

function status(model: RunModel, idea: IdeaModel, event: Of<'idea'>, at: number): void {
  if (event.status === 'pending') keepQuestion(idea, model.state);
  else delete idea.left;
  rest(idea, event, at);
  // Its next workflow begins without warnings. An idea that a stop cut off keeps those that were open.
  if (CLOSED.has(event.status) || (idea.status === 'pending' && event.status !== 'pending')) idea.warnings = [];
  if (CLOSED.has(idea.status) && event.status === 'pending') idea.againAt = at;
  if (event.status !== idea.status || idea.since === undefined) idea.since = at;
  idea.title = wholeTitle(idea.title, event.title);
  idea.status = event.status;
  if (event.status !== 'landing') delete idea.review;
  if (event.status === 'paused' || event.status === 'pending' || CLOSED.has(event.status)) delete idea.restAsked;
  idea.held = event.held === true;
  idea.approval = event.approval === true;
  if (event.retries !== undefined) idea.retries = event.retries;
  if (event.reason === undefined) delete idea.reason;
  else idea.reason = event.reason;
  if (event.reason !== idea.reverted?.text) delete idea.reverted;
  if (event.status === 'needs-human') {
    if (idea.question === undefined) askedAs(idea);
  } else if (event.status !== 'running') {
    closeQuestion(idea);
  }
  if (event.status === 'landed') landed(idea, event, at);
  if (event.commit !== undefined) idea.commit = event.commit;
  else if (event.status !== 'landed') delete idea.commit;
  place(idea, event.agentName, event.gating);
  if (event.gating) idea.gating = true;
  else delete idea.gating;
  if (event.status === 'running') {
    idea.startedAt ??= at;
    delete idea.waits;
  } else {
    if (!MAY_BE_FINISHED.has(event.status) && event.approval !== true && event.waits !== true) unfinished(idea);
    delete idea.gateNow;
    endedSilently(model, idea, at);
  }
}

function closeQuestion(idea: IdeaModel): void {
  for (const name of ['question', 'questionId', 'asking'] as const) delete idea[name];
}

/** Older events have a truncated question in `reason`; the agent's signal has the whole one. */
function askedAs(idea: IdeaModel): void {
  const signal = idea.iterations.findLast((run) => run.signal)?.signal;
  if (signal?.kind !== 'needs-human') return;
  if (signal.question.startsWith((idea.reason ?? '').replace(/…$/, ''))) idea.question = signal.question;
}

function place(idea: IdeaModel, agentName: string | undefined, gating: true | undefined): void {
  const slot = Number(/\d+$/.exec(agentName ?? '')?.[0]);
  if (agentName !== undefined) idea.agentName = agentName;
  // Beside its gate another agent has the slot.
  if (slot > 0 && !gating) idea.slot = slot;
  else delete idea.slot;
}

function begin(model: RunModel, idea: IdeaModel, event: Of<'iteration'>, at: number): void {
  if (runOf(idea, event.serial)) return;
  repeated(model, idea, event.iteration);
  closeQuestion(idea);
  const run: Iteration = { serial: event.serial, number: event.iteration, max: event.max, startedAt: at };
  const agent = event.agent ?? idea.agent;
  if (agent !== undefined) run.agent = agent;
  if (event.model !== undefined) run.model = event.model;
  idea.iterations.push(run);
  idea.max = event.max;
  if (event.limitMs !== undefined) idea.limitMs = event.limitMs;
  idea.agentName = event.agentName;
  if (event.agent !== undefined) idea.agent = event.agent;
  if (event.model !== undefined) idea.model = event.model;
  if (event.base !== undefined) idea.base = event.base;
  if (event.step) idea.step = event.step;
  delete idea.gateNow;
}

/** Events of older versions do not say that a run was not charged; the next one has its number again. */
function repeated(model: RunModel, idea: IdeaModel, number: number): void {
  const last = idea.iterations.at(-1);
  if (!last || last.number !== number || last.uncharged || last.durationMs === undefined || last.outcome === 'ok')
    return;
  // These begin the count again.
  if (idea.said.some(({ verb, at }) => AGAIN.has(verb) && at >= last.startedAt)) return;
  last.uncharged = true;
  uncharge(idea.spent, last.durationMs);
  uncharge(model.spent, last.durationMs);
}

const AGAIN = new Set(['retry', 'unblock', 'rollback', 'assign', 'resume']);

function end(model: RunModel, idea: IdeaModel, event: Of<'iteration-end'>, at: number): void {
  let run = runOf(idea, event.serial);
  if (run?.durationMs !== undefined) return;
  if (!run) {
    run = { serial: event.serial, number: event.iteration, startedAt: at - event.durationMs };
    idea.iterations.push(run);
  }
  reportedLate(model, idea, run);
  run.endedAt = at;
  run.durationMs = event.durationMs;
  run.signal = event.signal;
  run.outcome = event.outcome;
  run.commits = event.commits;
  if (event.turnedDown !== undefined) run.turnedDown = event.turnedDown;
  if (event.message !== undefined) run.message = event.message;
  if (event.words !== undefined) run.words = event.words;
  if (event.agent !== undefined) run.agent = idea.agent = event.agent;
  if (event.model !== undefined) run.model = idea.model = event.model;
  if (event.usage?.inputTokens !== undefined) run.tokensIn = event.usage.inputTokens;
  if (event.usage?.outputTokens !== undefined) run.tokensOut = event.usage.outputTokens;
  if (event.usage?.costUsd !== undefined) run.dollars = event.usage.costUsd;
  idea.commits += event.commits;
  if (event.signal.kind === 'progress') idea.percent = event.signal.percent;
  if (event.signal.kind === 'progress' && event.signal.percent < 100) idea.partly = event.signal.percent;
  if (event.signal.kind === 'complete' && event.turnedDown === undefined) idea.percent = 100;
  // What ends without a signal, or crashes, has not finished its work.
  if (event.outcome === 'failed' || event.outcome === 'timeout') unfinished(idea);
  if (event.uncharged) run.uncharged = true;
  const charged = event.uncharged === undefined;
  const how = { charged, unused: event.unused === true };
  addRun(idea.spent, event.durationMs, event.usage, how);
  addRun(model.spent, event.durationMs, event.usage, how);
}

function step(idea: IdeaModel, event: Of<'step'>, at: number): void {
  if (event.state === 'skipped' && !idea.stepsSkipped.includes(event.step)) idea.stepsSkipped.push(event.step);
  if (event.state === 'failed' && !idea.stepsFailed.includes(event.step)) idea.stepsFailed.push(event.step);
  if (event.number !== undefined && event.of !== undefined)
    idea.step = { number: event.number, of: event.of, id: event.step, phase: event.phase };
  moment(idea, { at, kind: 'step', text: `${event.step} ${event.state}${event.why ? `: ${event.why}` : ''}` });
}

const runOf = (idea: IdeaModel, serial: number): Iteration | undefined =>
  idea.iterations.findLast((run) => run.serial === serial);
