/**
 * The compact card of an idea in workflow state. Invariant: it has no empty fields, and its title is short.
 * May import protocol only.
 */
import { withoutEscapes } from '../protocol/escapes.js';
import { type Idea, type IdeaCard, MAX_CARD_TITLE } from '../protocol/idea.js';

/** Views remove escape sequences: what they take must not count. */
function cut(whole: string): string {
  const title = whole.length <= MAX_CARD_TITLE ? whole : withoutEscapes(whole);
  if (title.length <= MAX_CARD_TITLE) return title;
  const head = title.slice(0, MAX_CARD_TITLE - 1);
  // A cut inside a surrogate pair would leave an invalid character.
  return `${/[\uD800-\uDBFF]$/.test(head) ? head.slice(0, -1) : head}…`;
}

export const toCard = (idea: Idea): IdeaCard => ({
  id: idea.id,
  title: cut(idea.title),
  ...(idea.dependsOn.length > 0 ? { dependsOn: idea.dependsOn } : {}),
  ...(idea.parent === undefined ? {} : { parent: idea.parent }),
  ...(idea.tags.length > 0 ? { tags: idea.tags } : {}),
  ...(idea.priority === undefined || idea.priority.steps === 0 ? {} : { priority: idea.priority }),
  ...(idea.blue ? { blue: true as const } : {}),
  ...(idea.ralph || idea.blue ? {} : { single: true as const }),
  ...(idea.plan ? { plan: true as const } : {}),
  ...(idea.agent === undefined ? {} : { agent: idea.agent }),
});
