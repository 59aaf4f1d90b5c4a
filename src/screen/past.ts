/**
 * The run that a page is about: that of the screen, or an older one that a person chose on *History*. Invariant: pure; a
 * page about an older run shows facts of that run alone, and its keys change nothing.
 */
import type { RunModel } from '../model/model.js';
import type { Details } from './details.js';
import { framed } from './frame.js';
import { bold, dim, edges, line } from './text/line.js';
import { clean } from './text/text.js';
import { NUMBERED, type ScreenName, type Ui } from './ui.js';
import type { Picture, View } from './view.js';

/** Pages that can be about an older run. */
const OF_RUN: ReadonlySet<ScreenName> = new Set(['log', 'ideas', 'idea', 'report']);
export const mayBePast = (screen: ScreenName): boolean => OF_RUN.has(screen);

type Place = Pick<Ui, 'screen' | 'ofRun'>;

export const isPast = ({ screen, ofRun }: Place): boolean => ofRun !== undefined && mayBePast(screen);

/** Undefined while the files of an older run load. */
export function runShown(model: RunModel, ui: Place, { past }: Pick<Details, 'past'>): RunModel | undefined {
  // The report of a run comes as lines.
  if (!isPast(ui) || ui.screen === 'report' || ui.ofRun === model.runId) return model;
  return past?.runId === ui.ofRun ? past : undefined;
}

/** Facts of the worker and the server are about the run of now. */
export function detailsShown(details: Details, ui: Place): Details {
  if (!isPast(ui)) return details;
  const { standstill: _, ...rest } = details;
  return { ...rest, nowOf: new Map(), quietMs: new Map(), dollarsOf: new Map() };
}

const WHAT: Readonly<Partial<Record<ScreenName, string>>> = { log: 'the log', ideas: 'the ideas' };

export function loadingRun(view: View): Picture {
  const { model, details, ui, size } = view;
  const run = clean(ui.ofRun ?? '');
  const what = WHAT[ui.screen] ?? clean(ui.idea ?? '');
  const command = ui.screen === 'log' ? `ralphctl logs --run ${run}` : `ralphctl report --run ${run}`;
  const text =
    details.lost === ui.ofRun
      ? ` the files of run ${run} cannot be read: ${command}`
      : ` loading ${what} of run ${run} …`;
  const number = NUMBERED.indexOf(ui.screen) + 1;
  const count = number > 0 ? `${number} of ${NUMBERED.length}` : '';
  const head = edges(line(bold(clean(model.name)), `   run ${run}`), line(dim(count)), size.columns);
  return framed(view, [head, line(dim(text))], {});
}
