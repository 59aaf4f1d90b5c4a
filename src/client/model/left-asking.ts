/** A stopping run has sent ideas that asked back to the backlog; its status has them as asking all the same. */
import type { RunModel } from '../../model/model.js';
import type { RunStatus, WhyView } from '../../protocol/views.js';

export function takeLeft(status: RunStatus, model: RunModel): void {
  if (status.state !== 'stopping') return;
  const known = new Set(status.attention.map(({ id }) => id));
  for (const { id, title, status: now, left, since } of model.ideas.values()) {
    if (now !== 'needs-human' || !left || known.has(id)) continue;
    status.attention.unshift({
      id,
      title,
      status: now,
      reason: left.question,
      ...(left.approval ? { approval: true as const } : {}),
      ...(since === undefined ? {} : { since }),
    });
    status.counts.pending -= 1;
    status.counts['needs-human'] += 1;
  }
}

/** The same for one idea. */
export function whyLeft(view: WhyView, { ideas }: RunModel): void {
  const told = ideas.get(view.idea);
  if (view.status !== 'pending' || told?.status !== 'needs-human' || !told.left) return;
  const { question, approval } = told.left;
  Object.assign(view, { status: 'needs-human', reason: question, ...(approval ? { approval } : {}) });
}
