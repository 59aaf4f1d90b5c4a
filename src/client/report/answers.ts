/**
 * Adds the texts of answers to a model. Events record an answer without its text, which is in the idea's folder.
 * Invariant: an answer with a text keeps it.
 */
import { ideaDir } from '../../config/paths.js';
import { answersInRun } from '../../jobs/agent-run/answers.js';
import type { IdeaModel, RunModel } from '../../model/model.js';
import type { RunRef } from '../../protocol/run-ref.js';

export async function takeAnswers(root: string, { project, runId }: RunRef, model: RunModel): Promise<void> {
  for (const idea of model.ideas.values()) {
    if (!idea.said.some(({ verb, text }) => verb === 'answer' && text === undefined)) continue;
    const kept = await answersInRun(ideaDir(root, project, runId, idea.id)).catch(() => []);
    fill(
      idea,
      kept.map(({ answer }) => answer),
    );
  }
}

/** An answer has two events: one of the command, and one of the idea. */
function fill(idea: IdeaModel, answers: readonly string[]): void {
  const given = idea.said.filter(({ verb, done }) => verb === 'answer' && done !== undefined);
  for (const [place, one] of given.entries()) {
    const text = answers[place];
    if (one.text === undefined && text !== undefined) one.text = text;
  }
  const words = given.map(({ text }) => (text === undefined ? 'answer' : `answer: ${text}`));
  let before = false;
  idea.moments = idea.moments.filter((moment) => {
    const bare = moment.kind === 'said' && moment.text === 'answer';
    const again = bare && before;
    before = bare && !again;
    if (bare && !again) moment.text = words.shift() ?? moment.text;
    return !again;
  });
}
