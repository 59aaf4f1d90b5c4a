/** Formats the last run, while none is open, as lines of `status`. */
import { landedText } from '../../decide/text.js';
import type { SummaryFile } from '../../model/facts.js';
import type { RunFacts } from '../api/facts.js';
import { print } from '../context.js';
import type { SinceEnd } from '../report/since-end.js';
import { factsText, tallyText } from './fact-lines.js';
import { statusWord } from './idea-lines.js';
import { clean, many } from './live-lines.js';
import { SHOWN, withStart } from './status-lines.js';

export function describeLast({ last, held, start }: SinceEnd): void {
  const { notLanded, run, ideas = [] } = last;
  const cost =
    run && run.spent.iterations > 0 ? `, ${many(run.spent.iterations, 'iteration')}, ${tallyText(run.spent)}` : '';
  print(`  ${landedText(last)}, ${notLanded.length} did not land${cost}`);
  const told = new Map(ideas.map((one) => [one.idea, one]));
  for (const one of notLanded.slice(0, SHOWN)) {
    print(
      `  ${one.idea} ${held.has(one.idea) ? 'held' : statusWord(one.status)}${one.reason ? `: ${clean(withStart(one.reason, start))}` : ''}`,
    );
    const facts = told.get(one.idea);
    if (facts && facts.runs.length > 0) print(`      ${factsText(facts, Date.now())}`);
  }
}

/** Temporal also calls a stopped run completed. */
export function ending({ temporalStatus, runId }: RunFacts, last: SummaryFile | undefined): string {
  const told = temporalStatus === 'COMPLETED' && last && last.status.runId === runId;
  return told ? last.outcome : temporalStatus.toLowerCase();
}
