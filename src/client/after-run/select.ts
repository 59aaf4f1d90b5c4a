/**
 * Sends a command to every idea of the given statuses (`--where`, `--all-failed`), with and without an open run. A
 * refusal for one idea does not stop the others.
 */
import type { IdeaVerb, Intervention } from '../../protocol/command.js';
import { type ChosenStatus, type IdeaStatus, isChosen } from '../../protocol/states.js';
import { EXIT, UserError } from '../../protocol/user-error.js';
import { lineGoneText } from '../../report/gone-text.js';
import { withProject } from '../commands/steer/interventions.js';
import { type Context, print, printJson } from '../context.js';
import { listIdeas } from '../views/status-list.js';
import { statusNamed, unknownStatus } from '../views/words.js';
import { actWithoutRun, needsLine } from './act.js';
import { type Closed, type ClosedIdea, closedIdea } from './closed.js';

export interface Selection {
  /** Selects failed, timed out and blocked ideas. */
  allFailed?: boolean;
  where?: string[];
}

const FAILED: readonly IdeaStatus[] = ['failed', 'timeout', 'blocked'];

type Told = Omit<Intervention, 'idea'> & { verb: IdeaVerb };

/** @throws UserError when neither or both of an idea and a selection are given */
export function isSelection(idea: string | undefined, { allFailed, where = [] }: Selection, verb: string): boolean {
  const selects = allFailed === true || where.length > 0;
  if (selects && idea !== undefined)
    throw new UserError(
      `name an idea, or choose several with --where${verb === 'unblock' ? '' : ' or --all-failed'}, not both`,
    );
  if (!selects && idea === undefined)
    throw new UserError(`${verb} needs an idea: ralphctl ${verb} IDEA, or several: ralphctl ${verb} --where failed`);
  return selects;
}

function statusesOf({ allFailed, where = [] }: Selection): Set<ChosenStatus> {
  const named = where.map((word) => {
    const status = statusNamed(word);
    if (status === undefined) throw new UserError(unknownStatus('--where', word));
    return status;
  });
  return new Set([...(allFailed ? FAILED : []), ...named]);
}

/** Prints a line for each idea. The exit code is 7 when an idea refused. `then` runs after each command that an open run accepted. */
export async function tellAll(
  context: Context,
  selection: Selection,
  command: Told,
  then: (project: string, idea: string) => Promise<void> = () => Promise.resolve(),
): Promise<number> {
  const wanted = statusesOf(selection);
  return withProject(
    context,
    async ({ api, project, worker, failing }) => {
      if (!worker || failing)
        throw new UserError('choosing ideas by status needs a worker that answers: ralphctl start', EXIT.unreachable);
      const list = await listIdeas(api, { all: true, only: [...wanted] });
      if (!list) throw new UserError('the worker does not answer yet. Try again in a few seconds', EXIT.unreachable);
      const ids = list.lines.filter(({ group }) => !group).map(({ id }) => id);
      const one = async (idea: string): Promise<string> => {
        const done = (await api.tell({ ...command, idea }, true)) ?? `queued: ${command.verb} ${idea}`;
        await then(project, idea);
        return done;
      };
      return each(context, command.verb, ids, one);
    },
    async (closed) => {
      const found = await closedIdeas(closed, wanted);
      const gone = needsLine(command.verb) ? found.filter(({ lineGone }) => lineGone) : [];
      const ids = found.filter((one) => !gone.includes(one)).map(({ id }) => id);
      for (const { id, lineGone } of gone) leftOut(context, command.verb, id, lineGone);
      return each(context, command.verb, ids, (idea) => actWithoutRun(closed, { ...command, idea }), gone.length);
    },
  );
}

/** In the order of the last run, then in that of the backlog. */
async function closedIdeas(closed: Closed, wanted: ReadonlySet<ChosenStatus>): Promise<ClosedIdea[]> {
  const plan = await closed.plan();
  const ids = new Set([
    ...(closed.recorded?.state.entries ?? []).map(({ card }) => card.id),
    ...(plan?.ideas ?? []).map(({ id }) => id),
  ]);
  const found: ClosedIdea[] = [];
  for (const id of ids) {
    const idea = await closedIdea(closed, id);
    const { status, state, recorded } = idea;
    const held = status === 'pending' && recorded?.model.ideas.get(id)?.held === true;
    const now = state === 'asks' ? 'needs-human' : status;
    if (state !== 'group' && isChosen(wanted, { status: now, held })) found.push(idea);
  }
  return found;
}

/** A person took it out of the backlog, so it is no refusal. */
function leftOut({ json }: Context, verb: string, idea: string, lineGone: ClosedIdea['lineGone']): void {
  const why = lineGone ? lineGoneText(lineGone) : '';
  if (json) printJson({ idea, verb, leftOut: why });
  else print(`left out: ${idea}: ${why}`);
}

async function each(
  { json }: Context,
  verb: string,
  ids: readonly string[],
  one: (idea: string) => Promise<string>,
  out = 0,
): Promise<number> {
  let refused = 0;
  for (const idea of ids) {
    try {
      const done = await one(idea);
      if (json) printJson({ idea, verb, done });
      else print(done);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      refused += 1;
      if (json) printJson({ idea, verb, refused: error.message });
      else print(`refused: ${error.message}`);
    }
  }
  // A script that reads nothing could not tell this from a command that was cut off.
  if (json && ids.length + out === 0) printJson({ verb, ideas: [] });
  const more = out > 0 ? `, ${out} left out` : '';
  if (!json)
    print(
      ids.length + out === 0
        ? 'no idea has this status'
        : `${verb}: ${ids.length - refused} done, ${refused} refused${more}`,
    );
  return refused > 0 ? EXIT.refused : EXIT.ok;
}
