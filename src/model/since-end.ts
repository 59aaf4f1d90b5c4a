/**
 * Brings the summary of an ended run up to date: people roll ideas back after the run, and the summary keeps what held
 * at its end. All views count from the model, so that they agree.
 * Invariant: pure; groups do not count. May import the files beside it only.
 */
import type { SummaryFile } from './facts.js';
import type { RunModel } from './model.js';

export function sinceEnd(last: SummaryFile, model: RunModel): SummaryFile {
  const ideas = [...model.ideas.values()].filter(({ group }) => !group);
  const landed = ideas.filter(({ status }) => status === 'landed');
  const before = landed.filter(({ landedBefore }) => landedBefore).length;
  const told = new Map(last.notLanded.map((one) => [one.idea, one]));
  const { landedBefore: _, ...rest } = last;
  return {
    ...rest,
    landed: landed.length,
    ...(before > 0 ? { landedBefore: before } : {}),
    notLanded: ideas.flatMap(({ id, status, reason }) => {
      if (status === 'landed') return [];
      const known = told.get(id);
      return known?.status === status ? [known] : [{ idea: id, status, ...(reason ? { reason } : {}) }];
    }),
    ...(last.ideas
      ? {
          ideas: last.ideas.map((one) => {
            const { status = one.status, reason = one.reason } = model.ideas.get(one.idea) ?? {};
            return status === one.status ? one : { ...one, status, ...(reason ? { reason } : {}) };
          }),
        }
      : {}),
  };
}

/** The target also has what newer runs landed. The run's own summary lists what had not landed at its end. */
export function notYetLanded(model: RunModel, summary: Pick<SummaryFile, 'notLanded'> | undefined): void {
  for (const { idea: id, status } of summary?.notLanded ?? []) {
    const idea = model.ideas.get(id);
    if (idea?.landedBefore) Object.assign(idea, { landedBefore: false, status });
  }
}
