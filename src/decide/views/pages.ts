/**
 * The `ideas` query: all ideas of a run in backlog order, Blues included, by page.
 * Invariant: a page is bounded whatever the request says, because anybody can query from the Web UI.
 * May import protocol and decide only.
 */
import type { IdeaEntry } from '../../protocol/run.js';
import { type ChosenStatus, isChosen } from '../../protocol/states.js';
import type { IdeaLine, IdeaPage, IdeaPageRequest } from '../../protocol/views.js';
import type { Graph } from '../scheduler/graph.js';
import { approvalOf, ideaLine } from './status.js';
import { groupStatus, isHeld } from './survey.js';

/** A page of this size fits a payload even with the longest ids, titles and reasons. */
export const MOST_A_PAGE = 500;

export function ideaPage(
  entries: readonly IdeaEntry[],
  graph: Graph,
  asked: IdeaPageRequest | null | undefined,
): IdeaPage {
  const { from, count, only } = asked ?? {};
  const first = wholeOr(0, from);
  const most = Math.min(MOST_A_PAGE, wholeOr(MOST_A_PAGE, count));
  const wanted = Array.isArray(only) && only.length > 0 ? new Set<ChosenStatus>(only) : undefined;
  const page: IdeaEntry[] = [];
  let total = 0;
  for (const entry of entries) {
    const about = { status: groupStatus(entry, graph), held: isHeld(entry), approval: approvalOf(entry) };
    if (wanted && !isChosen(wanted, about)) continue;
    if (total >= first && page.length < most) page.push(entry);
    total += 1;
  }
  return { from: first, total, lines: page.map((entry) => lineOf(entry, graph)) };
}

/** A Blue with how many of its children are done. */
function lineOf(entry: IdeaEntry, graph: Graph): IdeaLine {
  const group = graph.group(entry.card.id);
  return group ? { ...ideaLine(entry), status: groupStatus(entry, graph), group } : ideaLine(entry);
}

const wholeOr = (otherwise: number, value: unknown): number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : otherwise;
