/**
 * `ralphctl split IDEA`: replaces an idea with smaller ones, from titles or from an ideas file. Ideas that depend on it wait
 * for all parts. The backlog file stays as it is; later runs use the parts.
 */
import { resolve } from 'node:path';
import { toCard } from '../../../backlog/cards.js';
import { readBacklog } from '../../../backlog/index.js';
import { IDEA_ID, type Idea } from '../../../protocol/idea.js';
import { UserError } from '../../../protocol/user-error.js';
import { amend } from '../../../run-files/amendments.js';
import { addIdeas, dropIdeas, knownIdeas, loadIdea, loadRun } from '../../../run-files/run.js';
import { type Context, say } from '../../context.js';
import { forgetAmendment } from './forget.js';
import { knownIdea, type OpenRun, send, withProject } from './interventions.js';
import { leftBySplit } from './left-by-split.js';

export interface SplitOptions {
  into?: string[];
  file?: string;
  reason?: string;
  /** Drop the split for later runs. */
  forget?: boolean;
}

export async function split(context: Context, idea: string, options: SplitOptions): Promise<number> {
  if (options.forget) return forgetAmendment(context, idea, 'split');
  const { into = [], file, reason } = options;
  if ((into.length === 0) === (file === undefined)) {
    throw new UserError(
      `split needs the parts: ralphctl split ${idea} --into "first" --into "second", or --file parts.yaml`,
    );
  }
  const inRun = async (run: OpenRun): Promise<number> => {
    await knownIdea(context, run, idea);
    const whole = await loadIdea(context.root, run, idea).catch(() => undefined);
    if (!whole)
      throw new UserError(
        `this machine lacks the files of run ${run.runId}. Call split on the machine that started the run`,
      );
    const known = await knownIdeas(context.root, run);
    const parts = file === undefined ? fromTitles(whole, into, known) : await fromFile(context, whole, file);
    const taken = parts.find((part) => known.has(part.id));
    if (taken) throw new UserError(`the run already has an idea ${taken.id}. Give the part another id`);
    // Texts first: a part may start as soon as the run knows it.
    await addIdeas(context.root, run, parts);
    try {
      const cards = parts.map(toCard);
      const code = await send(context, run, { verb: 'split', idea, cards, reason: reason || undefined });
      await amend(context.root, run.project, whole, { parts });
      if (!context.json) {
        await sayLeft((await loadRun(context.root, run)).file, idea);
        say(
          `later runs use the parts too, until the backlog file has a new text for ${idea}. To drop the split: ralphctl split ${idea} --forget`,
        );
      }
      return code;
    } catch (error) {
      // Only after a refusal: after a lost connection, the run may have the parts and needs their texts.
      if (error instanceof UserError) await dropIdeas(context.root, run, parts);
      throw error;
    }
  };
  return withProject(context, inRun, async (closed) => {
    const { amendWithoutRun, ideaOfNextRun } = await import('../../after-run/amend.js');
    const whole = await ideaOfNextRun(closed, idea, 'split');
    const known = new Set((await closed.plan())?.ideas.map(({ id }) => id));
    const parts = file === undefined ? fromTitles(whole, into, known) : await fromFile(context, whole, file);
    const taken = parts.find((part) => known.has(part.id));
    if (taken) throw new UserError(`the backlog already has an idea ${taken.id}. Give the part another id`);
    const code = await amendWithoutRun(closed, whole, {
      verb: 'split',
      change: { parts },
      ...(reason ? { reason } : {}),
    });
    const recorded = await closed.recordedOf(idea);
    if (!context.json && recorded) await sayLeft(recorded.run.file, idea);
    return code;
  });
}

async function sayLeft({ repo, target }: { repo: string; target: string }, idea: string): Promise<void> {
  const left = await leftBySplit(repo, target, idea);
  if (left !== undefined) say(left);
}

/** Parts inherit everything but the text, and get the next free numbered ids. */
function fromTitles(whole: Idea, titles: readonly string[], known: ReadonlySet<string>): Idea[] {
  let n = 0;
  return titles.map((title) => {
    if (title.trim() === '') throw new UserError('a title after --into is empty');
    do n += 1;
    while (known.has(`${whole.id}-${n}`));
    const id = `${whole.id}-${n}`;
    if (!IDEA_ID.test(id))
      throw new UserError(
        `the id ${id} is too long. Write the parts with ids of their own into a file: ralphctl split ${whole.id} --file parts.yaml`,
      );
    const text = `${title.trim()}\n\nThis is one part of a larger task, which reads:\n\n${whole.text}\n\nDo this part only.`;
    return { ...partOf(whole), id, title: title.trim(), text };
  });
}

async function fromFile(context: Context, whole: Idea, file: string): Promise<Idea[]> {
  const { ideas } = await readBacklog(resolve(context.cwd, file), {
    command: `ralphctl split ${whole.id} --file <file>`,
  });
  if (ideas.length === 0) throw new UserError(`${file} contains no ideas`);
  return ideas.map((idea) => ({ ...idea, parent: idea.parent ?? whole.id, done: false }));
}

const partOf = (whole: Idea): Idea => {
  const { plan: _, ...rest } = whole;
  return { ...rest, parent: whole.id, dependsOn: [], blue: false, done: false, success: [] };
};
