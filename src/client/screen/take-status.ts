/** Takes the worker's answer into the model of a run: what its events do not tell, and what they told too early. */
import { MAX_LISTED } from '../../decide/views/survey.js';
import type { RunModel } from '../../model/model.js';
import type { RunStatus } from '../../protocol/views.js';
import type { WarningLine } from '../../protocol/warnings.js';

/** Times of the question and of its answer. */
interface When {
  asked: number;
  at: number;
}

export function takeStatus(model: RunModel, status: RunStatus, { asked, at }: When): void {
  const { next, scores, possible, state, resumesAt, mode, more, accounts, budget, warnings, slots, review } = status;
  model.live = {
    at,
    state,
    next,
    ...(scores ? { scores } : {}),
    ...(possible ? { possible } : {}),
    ...(resumesAt === undefined ? {} : { resumesAt }),
    ...(mode ? { mode } : {}),
    ...(more ? { more } : {}),
  };
  model.slots = slots;
  model.review = review === true;
  if (mode) model.mode = mode;
  model.budget = budget ?? [];
  takeWarnings(model, warnings ?? [], more?.warnings ?? 0, asked);
  if (accounts) for (const account of accounts) model.accounts.set(account.key, account);
}

/**
 * The answer has all open warnings of the run, and leaves the field out where there are none. It lists only some of those
 * of many ideas; then the events alone say which are open. `more`: the ideas that it leaves out.
 */
function takeWarnings(model: RunModel, told: readonly WarningLine[], more: number, asked: number): void {
  const open = new Map<string | undefined, WarningLine[]>();
  for (const line of told) open.set(line.idea, [...(open.get(line.idea) ?? []), line]);
  const now = (id: string | undefined, before: readonly WarningLine[]): WarningLine[] => {
    // The answer does not say since when a warning of the run is open; its event did.
    const lines = (open.get(id) ?? []).map((line): WarningLine => {
      const since = line.since ?? before.find(({ kind }) => kind === line.kind)?.since;
      return since === undefined ? line : { ...line, since };
    });
    // An event may have come after the question, and before its answer.
    const newer = before.filter(({ kind, since = 0 }) => since > asked && !lines.some((one) => one.kind === kind));
    return [...lines, ...newer];
  };
  model.warnings = now(undefined, model.warnings);
  if (more > 0 || told.length >= MAX_LISTED) return;
  for (const idea of model.ideas.values()) if (idea.status !== 'pending') idea.warnings = now(idea.id, idea.warnings);
}
