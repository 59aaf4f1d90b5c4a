/**
 * `ralphctl rollback IDEA`. An epic, and an idea that was split, may have no work of their own on the target: their ideas
 * have it. The run would take such a rollback and find nothing, so this refuses it first and names those ideas.
 * Invariant: an idea with commits of its own on the target goes through, and so does one of which git tells nothing.
 */
import { landedIdeas } from '../../../git/landing/landed.js';
import type { Idea } from '../../../protocol/idea.js';
import type { RunRef } from '../../../protocol/run-ref.js';
import { EXIT, UserError } from '../../../protocol/user-error.js';
import { named } from '../../../report/look.js';
import { splitIdeas } from '../../../run-files/amendments.js';
import { knownIdeas, loadIdea, loadRun } from '../../../run-files/run.js';
import { repositoryPath } from '../../../run-files/ticks.js';
import type { Context } from '../../context.js';
import { newestWith } from '../../model/run-with.js';
import { knownIdea, type OpenRun, send, withProject } from './interventions.js';

const MOST_NAMED = 5;

export async function rollback(context: Context, idea: string, reason: string | undefined): Promise<number> {
  const command = { verb: 'rollback', idea, ...(reason ? { reason } : {}) } as const;
  const { root } = context;
  const inRun = async (run: OpenRun): Promise<number> => {
    await refuseOfEarlier(root, run, idea);
    await knownIdea(context, run, idea, 'rollback');
    await refuseWithoutOwn(root, run, idea, true);
    return send(context, run, command);
  };
  return withProject(context, inRun, async (closed) => {
    const ref = await newestWith(root, closed.project, idea);
    if (ref) await refuseWithoutOwn(root, ref, idea, false);
    return (await import('../../after-run/act.js')).doWithoutRun(closed, command);
  });
}

/** The open run takes off only what it has. @throws UserError where only an earlier run had the idea */
async function refuseOfEarlier(root: string, { project, runId }: RunRef, idea: string): Promise<void> {
  const known = await knownIdeas(root, { project, runId }).catch(() => undefined);
  if (!known || known.has(idea) || !(await newestWith(root, project, idea).catch(() => undefined))) return;
  throw new UserError(
    `the open run does not have ${idea}, which an earlier run had. Roll it back once this run is over: ralphctl rollback ${idea}`,
    EXIT.refused,
  );
}

/** `open`: the run is. @throws UserError where only the ideas in it have work on the target */
async function refuseWithoutOwn(root: string, ref: RunRef, idea: string, open: boolean): Promise<void> {
  const group = await groupOf(root, ref, idea).catch(() => undefined);
  if (!group) return;
  const { file } = await loadRun(root, ref);
  const { repo, target, backlog } = file;
  const found = await landedIdeas(repo, target, repositoryPath(repo, backlog.file)).catch(() => undefined);
  const landed = new Set(found);
  if (!found || landed.has(idea)) return;
  const on = group.ideas.filter((id) => landed.has(id));
  const those = on.length > 0 ? on : group.open;
  const when = open && !group.known ? ', once this run is over' : '';
  const commands = those.slice(0, MOST_NAMED).map((id) => `ralphctl rollback ${id}`);
  const more = those.length > MOST_NAMED ? `; and ${those.length - MOST_NAMED} more` : '';
  const instead = `Roll back its ideas instead${when}: ${commands.join('; ')}${more}`;
  throw new UserError(
    `${idea} ${group.is}, and ${target} has no commits of its own. ${those.length > 0 ? instead : 'No idea in it has any either'}`,
    EXIT.refused,
  );
}

interface Group {
  /** What it is, after its id. */
  is: string;
  /** In it, over all levels. */
  ideas: string[];
  /** Of these, the ideas that the run can roll back on their branches. */
  open: string[];
  /** The run has them. */
  known: boolean;
}

/** Undefined: it is an idea with work of its own. */
async function groupOf(root: string, ref: RunRef, id: string): Promise<Group | undefined> {
  const [whole, splits] = await Promise.all([loadIdea(root, ref, id), splitIdeas(root, ref.project)]);
  const parts = new Map(splits.map((one) => [one.idea, one.parts]));
  const split = parts.get(id) ?? [];
  // Most ideas are neither, and a run may have thousands.
  if (!whole || (!whole.blue && split.length === 0)) return undefined;
  const ideas = await ideasOf(root, ref);
  const within = childrenOf(ideas);
  const known = whole.blue || split.some((part) => ideas.get(part)?.parent === id);
  // A run that began after its parts had landed has it as an idea that is ticked.
  if (!known && !whole.done) return undefined;
  const all = below(id, (one) => (known ? within.get(one) : undefined) ?? parts.get(one) ?? []);
  return {
    is: split.length > 0 ? `was split into ${named(split)}` : 'is an epic',
    ideas: all,
    open: known ? all.filter((one) => !within.has(one)) : [],
    known,
  };
}

async function ideasOf(root: string, ref: RunRef): Promise<Map<string, Idea>> {
  const ids = await knownIdeas(root, ref);
  const all = await Promise.all([...ids].map((id) => loadIdea(root, ref, id).catch(() => undefined)));
  return new Map(all.flatMap((one) => (one ? [[one.id, one] as const] : [])));
}

function childrenOf(ideas: ReadonlyMap<string, Idea>): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { id, parent } of ideas.values())
    if (parent !== undefined) found.set(parent, [...(found.get(parent) ?? []), id]);
  return found;
}

function below(id: string, within: (id: string) => readonly string[]): string[] {
  const found = new Set<string>();
  const open = [...within(id)];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    if (found.has(next)) continue;
    found.add(next);
    open.push(...within(next));
  }
  return [...found];
}
