/**
 * Questions that were open when their run was stopped. The run returns such an idea to the backlog; nobody has answered it.
 * Invariant: pure. From then on the idea asks, in every view and for every command, until a person answers it or decides
 * otherwise. May import protocol and the files beside it only.
 */
import { count } from './counts.js';
import type { IdeaModel, RunModel } from './model.js';

/** A stop or an abort sends an idea that asks back to the backlog. */
export function keepQuestion(idea: IdeaModel, runState: RunModel['state']): void {
  delete idea.left;
  delete idea.answered;
  if (idea.status !== 'needs-human' || runState !== 'stopping') return;
  const { question, questionId, asking, approval, reason, since } = idea;
  const asked = question ?? reason;
  if (asked === undefined) return;
  idea.left = {
    ...{ question: asked, approval },
    ...(questionId === undefined ? {} : { questionId }),
    ...(asking === undefined ? {} : { asking }),
    ...(since === undefined ? {} : { since }),
  };
}

/** While its run stops, it still asks: nobody has answered. */
export function stillAsks(idea: IdeaModel, runState: RunModel['state']): void {
  const { left } = idea;
  if (runState === 'stopping' && left && idea.status === 'pending')
    Object.assign(idea, { ...left, status: 'needs-human', reason: left.question });
}

/** The run is over. */
export function askAgain(model: RunModel): void {
  for (const idea of model.ideas.values()) asks(model, idea);
}

function asks(model: RunModel, idea: IdeaModel): void {
  const { left } = idea;
  if (!left || idea.status !== 'pending') return;
  count(model.counts, idea, -1);
  Object.assign(idea, { ...left, status: 'needs-human', reason: left.question });
  count(model.counts, idea, 1);
}

/** A person has answered the question after the run: it waited for that, and nothing cut it off. Or took the answer back. */
export function toldAfter(model: RunModel, idea: IdeaModel, { verb, forgets }: { verb: string; forgets?: true }): void {
  const { left, answered } = idea;
  if (verb === 'answer' && left) {
    noLongerAsks(model, idea);
    idea.answered = left;
  }
  if (verb !== 'hint' || !forgets || !answered) return;
  idea.left = answered;
  delete idea.answered;
  asks(model, idea);
}

/** The run goes on. */
export function noLongerAsks(model: RunModel, idea: IdeaModel): void {
  delete idea.answered;
  if (!idea.left) return;
  delete idea.left;
  if (idea.status !== 'needs-human') return;
  count(model.counts, idea, -1);
  Object.assign(idea, { status: 'pending', approval: false });
  for (const name of ['question', 'questionId', 'asking', 'reason'] as const) delete idea[name];
  count(model.counts, idea, 1);
}
