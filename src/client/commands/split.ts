/**
 * `ralphctl split IDEA`: puts smaller ideas in its place, from titles or from an ideas file. What waits for the idea waits
 * for all of them. The backlog file stays as it is; later runs begin with the parts.
 */
import { resolve } from 'node:path';
import { toCard } from '../../backlog/cards.js';
import { readBacklog } from '../../backlog/index.js';
import { IDEA_ID, type Idea } from '../../protocol/idea.js';
import { amend } from '../../run-files/amendments.js';
import { addIdeas, dropIdeas, knownIdeas, loadIdea } from '../../run-files/run.js';
import { type Context, say } from '../context.js';
import { UserError } from '../errors.js';
import { forgetAmendment, knownIdea, send, withRun } from './interventions.js';

export interface SplitOptions {
  into?: string[];
  file?: string;
  reason?: string;
  /** Take the split back, for later runs. */
  forget?: boolean;
}

export async function split(context: Context, idea: string, options: SplitOptions): Promise<number> {
  if (options.forget) return forgetAmendment(context, idea, 'split');
  const { into = [], file, reason } = options;
  if ((into.length === 0) === (file === undefined)) {
    throw new UserError(`name the parts: ralphctl split ${idea} --into "first" --into "second", or --file parts.yaml`);
  }
  return withRun(context, async (run) => {
    await knownIdea(context, run, idea);
    const whole = await loadIdea(context.root, run, idea).catch(() => undefined);
    if (!whole)
      throw new UserError(`the files of run ${run.runId} are not on this machine; split ${idea} where it was started`);
    const known = await knownIdeas(context.root, run);
    const parts = file === undefined ? fromTitles(whole, into, known) : await fromFile(context, whole, file);
    const taken = parts.find((part) => known.has(part.id));
    if (taken) throw new UserError(`the run has an idea ${taken.id} already; give the part another id`);
    // Texts first: a part may start as soon as the run knows it.
    await addIdeas(context.root, run, parts);
    try {
      const cards = parts.map(toCard);
      const code = await send(context, run, { verb: 'split', idea, cards, ...(reason ? { reason } : {}) });
      await amend(context.root, run.project, whole, { parts });
      if (!context.json) {
        say(
          `later runs begin with the parts, too, until the backlog file has another text for ${idea}; take it back with: ralphctl split ${idea} --forget`,
        );
      }
      return code;
    } catch (error) {
      // Only a clear no: where the connection broke, the run may have taken them, and would look for their texts in vain.
      if (error instanceof UserError) await dropIdeas(context.root, run, parts);
      throw error;
    }
  });
}

/** Parts inherit everything but the text; they get numbered ids that are free. */
function fromTitles(whole: Idea, titles: readonly string[], known: ReadonlySet<string>): Idea[] {
  let n = 0;
  return titles.map((title) => {
    if (title.trim() === '') throw new UserError('a part has no title');
    do n += 1;
    while (known.has(`${whole.id}-${n}`));
    const id = `${whole.id}-${n}`;
    if (!IDEA_ID.test(id)) throw new UserError(`${id} would be too long an id; name the parts in a file: --file`);
    const text = `${title.trim()}\n\nThis is one part of a larger task, which reads:\n\n${whole.text}\n\nDo this part only.`;
    return { ...partOf(whole), id, title: title.trim(), text };
  });
}

async function fromFile(context: Context, whole: Idea, file: string): Promise<Idea[]> {
  const { ideas } = await readBacklog(resolve(context.cwd, file));
  if (ideas.length === 0) throw new UserError(`${file} has no ideas in it`);
  return ideas.map((idea) => ({ ...idea, parent: idea.parent ?? whole.id, done: false }));
}

const partOf = (whole: Idea): Idea => {
  const { plan: _, ...rest } = whole;
  return { ...rest, parent: whole.id, dependsOn: [], blue: false, done: false, success: [] };
};
