/**
 * Builds the report of a run from its model and the additional facts from git and other files.
 * Invariant: pure; the same model and extra give the same report.
 */
import { heldWithoutSync } from '../decide/delivery/push.js';
import { needsOfRun } from '../decide/views/resting.js';
import { atEnd, isDecided, isLeftOut, outcome, sinceThen } from '../model/at-end.js';
import { countsIn, groupProgress } from '../model/counts.js';
import { waitForLeftOut } from '../model/left-out.js';
import type { IdeaModel, RunModel } from '../model/model.js';
import { startCommand } from '../model/start-again.js';
import { runsOf } from '../model/tally.js';
import { asNext } from '../screen/lists.js';
import { many } from '../screen/text/numbers.js';
import { fixOfOpen, onceStopped, overOf } from './commands.js';
import type { Extra, Gone } from './extra.js';
import { fixCommands, fixText, lostText } from './gone-text.js';
import { lookOf, lookOfIdea, named } from './look.js';
import { openIdea } from './open.js';
import type { LandedIdea, OpenIdea, OpenState, Report, Todo } from './schema.js';
import { slotsOf } from './slot-rows.js';
import { slotWords } from './slot-use.js';
import { moneyOf, workOf } from './work.js';

/** Events come from files, so the report prints only a plausible commit id as one. */
const isCommit = (text: string | undefined): text is string => text !== undefined && /^[0-9a-f]{4,64}$/.test(text);

export function makeReport(now: RunModel, extra: Extra): Report {
  const model = extra.over ? atEnd(now) : now;
  const since = extra.over ? sinceThen(now) : [];
  const ideas = model.order.flatMap((id) => {
    const idea = model.ideas.get(id);
    return idea && !idea.group ? [idea] : [];
  });
  const landed = ideas.filter(({ status, landedBefore }) => status === 'landed' && !landedBefore);
  landed.sort((a, b) => (a.since ?? 0) - (b.since ?? 0));
  const unlanded = ideas.filter(({ status }) => status !== 'landed');
  // What did not land is something to do as it stands now: its branch may be rolled back since.
  const left = unlanded.map((idea) => asItStands(now, idea));
  const out = new Set(unlanded.flatMap(({ id, status }) => (isLeftOut(status) ? [id] : [])));
  const open = left.map((idea): OpenIdea => {
    const one = openIdea(model, idea, extra);
    return out.has(idea.id) ? { ...one, leftOut: true } : one;
  });
  const target = targetOf(ideas, now, extra);
  const sum = outcome(
    ideas
      .filter(countsIn)
      .map(({ id, status, landedBefore }) => ({ status, landedBefore, gone: wholly(extra.gone?.get(id)) })),
  );
  const ended = model.endedAt ?? (extra.over ? model.lastAt : undefined);
  const { dollars, tokens, unknownDollars } = moneyOf(model.spent);
  return {
    version: 1,
    run: {
      ...{ project: model.project, runId: model.runId, name: model.name, target: model.target },
      state: extra.terminated ? 'terminated' : model.state,
      over: extra.over,
      ...(extra.older ? { older: true } : {}),
      ...(model.why ? { why: model.why } : {}),
      ...(extra.still ? { still: extra.still } : {}),
      ...(model.startedAt === undefined ? {} : { startedAt: model.startedAt }),
      ...(ended === undefined ? {} : { endedAt: ended }),
      ...(model.startedAt === undefined ? {} : { ms: (ended ?? extra.now) - model.startedAt }),
      agents: [...new Set(ideas.flatMap(({ iterations }) => iterations.flatMap(({ agent }) => agent ?? [])))],
    },
    counts: {
      ...{ landed: sum.landed - sum.landedBefore, landedBefore: sum.landedBefore, open: sum.open },
      ...(sum.leftOut > 0 ? { leftOut: sum.leftOut } : {}),
      conflicts: model.conflicts,
      iterations: model.spent.iterations,
      ...(runsOf(model.spent) > model.spent.iterations ? { runs: runsOf(model.spent) } : {}),
      ...(sum.gone > 0 ? { gone: sum.gone } : {}),
      ...(dollars === undefined ? {} : { dollars }),
      unknownDollars,
      ...(tokens === undefined ? {} : { tokens }),
      unknownTokens: model.spent.unknownTokens,
    },
    ...(target ? { target } : {}),
    ...(since.length > 0 ? { since } : {}),
    todo: todoOf(model, left, open, extra),
    landed: landed.map((idea) => landedIdea(idea, extra)),
    open,
    groups: groupsOf(model),
    look: lookOf(model, landed, extra),
    ...(model.waves.size > 0 ? { waves: [...model.waves.values()], rejected: [...model.rejected.values()] } : {}),
    slots: slotsOf(model, extra),
    ...(extra.slotTime && slotWords(extra.slotTime) ? { slotTime: extra.slotTime } : {}),
    zone: extra.zone,
    at: extra.now,
  };
}

function asItStands(now: RunModel, then: IdeaModel): IdeaModel {
  const idea = now.ideas.get(then.id);
  return idea && idea.status !== 'landed' && !idea.off ? idea : then;
}

const wholly = (gone: Gone | undefined): gone is Gone => gone !== undefined && gone.part === undefined;

function landedIdea(idea: IdeaModel, { lines, now, gone }: Extra): LandedIdea {
  const off = gone?.get(idea.id);
  const found = lines?.get(idea.id);
  const tests = idea.mergedGate?.tests ?? idea.gate?.tests;
  return {
    ...workOf(idea),
    ...(off ? { gone: off } : {}),
    ...(idea.since === undefined ? {} : { at: idea.since }),
    ...(isCommit(idea.commit) ? { commit: idea.commit } : {}),
    ...(found
      ? {
          commits: { from: found.first, to: found.to, count: found.commits },
          lines: { added: found.added, deleted: found.deleted },
        }
      : {}),
    ...(tests ? { tests: { passed: tests.passed, total: tests.total } } : {}),
    look: [
      ...(off ? [`${off.part ? 'a part of it' : 'it'} is no longer on the target`] : []),
      ...lookOfIdea(idea, now),
    ],
  };
}

/**
 * All landings of the run count, also those that a person took back since: the gate of the last one saw them all. A
 * rollback in the run has its own gate, whose tests no event counts.
 */
function targetOf(
  ideas: readonly IdeaModel[],
  { renamed }: RunModel,
  { lines, tip, gone = new Map<string, Gone>() }: Extra,
): Report['target'] {
  const landed = ideas
    .filter(({ landedAs, landedBefore }) => landedAs !== undefined && !landedBefore)
    .sort((a, b) => (a.landedAs?.at ?? 0) - (b.landedAs?.at ?? 0));
  const last = landed.at(-1);
  const commit = last?.landedAs?.commit;
  const top = last && (lines?.get(last.id)?.to ?? (isCommit(commit) ? commit : undefined));
  if (!last || top === undefined) return undefined;
  const off = ideas
    .flatMap(({ takenOffAs }) => (takenOffAs && takenOffAs.at > (last.landedAs?.at ?? 0) ? [takenOffAs] : []))
    .sort((a, b) => a.at - b.at)
    .at(-1);
  const to = off ? (tip?.startsWith(off.commit) ? tip : off.commit) : top;
  const from = landed.map(({ id }) => lines?.get(id)?.before).find((commit) => commit !== undefined);
  const gate = last.mergedGate;
  const command = gate?.commands.findLast(({ tests }) => tests)?.command ?? gate?.commands.at(-1)?.command;
  const missing = renamed !== undefined || [...gone.values()].some(({ noBranch }) => noBranch);
  return {
    ...(from === undefined ? {} : { from }),
    to,
    ...(missing ? { missing: true as const } : {}),
    ...(tip === undefined || tip.startsWith(to) ? {} : { now: tip }),
    ...(gate ? { ...(gate.none ? { noGate: true as const } : { green: gate.pass }), at: off?.at ?? gate.at } : {}),
    ...(command ? { command } : {}),
    ...(gate?.tests && !off ? { tests: { passed: gate.tests.passed, total: gate.tests.total } } : {}),
  };
}

/** Ideas that an answer unblocks come first, then the oldest. */
const ORDER: readonly OpenState[] = ['asks', 'approve', 'blocked', 'failed', 'timed out', 'stopped', 'held'];

function todoOf(model: RunModel, left: readonly IdeaModel[], open: readonly OpenIdea[], extra: Extra): Todo[] {
  const byId = new Map(left.map((idea) => [idea.id, idea]));
  const found = open.flatMap((one): Todo[] => {
    const idea = byId.get(one.idea);
    const asks = idea && one.later === undefined && !isSettled(idea) && !isOnlyCutOff(idea, one.state);
    const fix = asks ? fixOfOpen(idea, one, overOf(model, extra.over)) : undefined;
    if (!fix) return [];
    return [
      {
        ...{ idea: one.idea, subject: one.idea, state: one.state, text: one.reason ?? one.title, notes: one.notes },
        ...(one.since === undefined ? {} : { since: one.since }),
        ...fix,
      },
    ];
  });
  const place = ({ state }: Todo): number => (state ? ORDER.indexOf(state) : ORDER.length);
  found.sort((a, b) => place(a) - place(b) || (a.since ?? 0) - (b.since ?? 0));
  return [...found, ...ofTheRun(model, open, extra)];
}

/** A person has decided since, by a command or in the backlog. */
const isSettled = ({ forNext, lineGone }: IdeaModel): boolean => lineGone !== undefined || isDecided(forNext);

/** The next start goes on with it, and a person has nothing to tell it first. */
const isOnlyCutOff = ({ warnings }: IdeaModel, state: OpenState): boolean =>
  state === 'stopped' && warnings.length === 0;

function ofTheRun(model: RunModel, open: readonly OpenIdea[], extra: Extra): Todo[] {
  const todo: Todo[] = [];
  const over = overOf(model, extra.over);
  const add = (subject: string, text: string, command: string, before = ''): void => {
    todo.push({ subject, text, notes: [], fix: `${before}${command}`, commands: [command] });
  };
  const about = { state: model.state, accounts: model.accounts.values() };
  const needs = needsOfRun(over ? { ...about, state: 'over' } : { ...about, review: model.review, why: model.why });
  for (const { kind, name, text, fix, command } of needs)
    add(
      name,
      kind === 'review' ? `needs a review: ${text}` : text,
      over ? over.start : command,
      `${onceStopped(over)}${fix}`,
    );
  if (extra.over) todo.push(...ofTheTarget(model, extra));
  if (extra.over) ofTheNextStart(model, open, add, takenOff(model, extra));
  if (extra.over)
    for (const { kind, text } of model.warnings)
      if (kind === 'push') add('push', heldWithoutSync(text), 'ralphctl sync');
  if (extra.behind) add('checkout', `your checkout is behind ${model.target}`, 'ralphctl sync');
  return todo;
}

/** What has left the target, where nobody has decided since. A lost branch is one task, however many ideas it had. */
function ofTheTarget({ ideas, target, renamed }: RunModel, { gone = new Map<string, Gone>() }: Extra): Todo[] {
  const whole = [...gone].filter(([id, one]) => {
    const idea = ideas.get(id);
    return wholly(one) && !(idea && isSettled(idea));
  });
  const lost = whole.filter(([, { noBranch }]) => noBranch);
  const names = lost.map(([id]) => id);
  const task = (subject: string, text: string, one: Gone): Todo => ({
    ...{ subject, text, notes: [] },
    ...{ fix: fixText(one), commands: fixCommands(one) },
  });
  return [
    ...(renamed
      ? [{ subject: target, text: renamed.text, notes: [], fix: renamed.fix, commands: renamed.commands }]
      : []),
    ...(renamed ? [] : lost.slice(0, 1)).map(([, one]) => task(target, lostText(target, names), one)),
    ...whole.flatMap(([id, one]) => (one.noBranch ? [] : [task(id, one.text, one)])),
  ];
}

/** What left the target and is queued again. It is among the open ideas only where this run had it again. */
const takenOff = ({ ideas }: RunModel, { gone }: Extra): string[] =>
  [...(gone ?? [])].flatMap(([id, one]) => {
    const { forNext, lineGone } = ideas.get(id) ?? {};
    return wholly(one) && forNext?.queued && !lineGone ? [id] : [];
  });

/** A person stopped it alone, and nobody has begun it again. */
const byPerson = (idea: IdeaModel | undefined): boolean =>
  idea?.held === true && idea.said.findLast(({ verb }) => verb === 'stop' || verb === 'resume')?.verb === 'stop';

const NEXT = new Set<OpenState>(['ready', 'after', 'works', 'waits', 'lands', 'held', 'stopped']);

function ofTheNextStart(
  model: RunModel,
  open: readonly OpenIdea[],
  add: (subject: string, text: string, command: string) => void,
  takenOff: readonly string[],
): void {
  const { ideas, startAgain } = model;
  const left = open.filter(({ idea: id, later }) => {
    const idea = ideas.get(id);
    return !later && !idea?.forNext?.leftOut && !idea?.lineGone;
  });
  const isRest = ({ idea, queued: again, state }: OpenIdea): boolean =>
    !again && NEXT.has(state) && !(state === 'stopped' && ideas.get(idea)?.warnings.length);
  const waits = waitForLeftOut([...ideas.values()]);
  const blocked = new Set([...waits.values()].flatMap((some) => [...some]));
  const canStart = (id: string): boolean => !blocked.has(id);
  const ids = (some: readonly OpenIdea[]): string[] => some.map(({ idea }) => idea);
  const queued = asNext(model, [...new Set([...takenOff, ...ids(left.filter((one) => one.queued))])].filter(canStart));
  const told = asNext(model, ids(left.filter((one) => one.answered && !one.queued)).filter(canStart));
  const isStopped = ({ idea, queued: again }: OpenIdea): boolean => !again && byPerson(ideas.get(idea));
  const stopped = asNext(model, ids(left.filter(isStopped)).filter(canStart));
  const others = left.filter((one) => isRest(one) && !stopped.includes(one.idea));
  const rest = asNext(model, ids(others).filter(canStart));
  const texts = [
    ...(queued.length > 0 ? [`you queued ${many(queued.length, 'idea')} for the next start: ${named(queued)}`] : []),
    ...(told.length > 0 ? [`you answered ${many(told.length, 'idea')}: ${named(told)}`] : []),
    ...(stopped.length > 0 ? [`you stopped ${many(stopped.length, 'idea')}: ${named(stopped)}`] : []),
    ...(rest.length > 0 ? [`${many(rest.length, 'idea')} did not run or did not finish: ${named(rest)}`] : []),
  ];
  if (texts.length > 0)
    add(rest.length + stopped.length > 0 ? 'the rest' : 'queued', texts.join('. '), startCommand(startAgain));
  const stuck = new Set(
    ids(left.filter((one) => one.queued || one.answered || isRest(one))).filter((id) => blocked.has(id)),
  );
  for (const [id, some] of waits) {
    const those = [...some].filter((one) => stuck.has(one));
    if (those.length > 0)
      add(id, `a start leaves it out, and it is needed first by ${named(those)}`, `ralphctl retry ${id}`);
  }
}

function groupsOf(model: RunModel): Report['groups'] {
  return model.order.flatMap((id) => {
    const group = model.ideas.get(id);
    if (!group?.group) return [];
    const { done, total } = groupProgress(model.ideas, id);
    return total === 0 ? [] : [{ id, title: group.title, done, total }];
  });
}
