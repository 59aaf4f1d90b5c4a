/** Formats the last run, while none is open, as lines of `status`. */
import { isLeftOut, outcomeOf, sinceText, sinceThen } from '../../model/at-end.js';
import type { SummaryFile } from '../../model/facts.js';
import { outcomeWords } from '../../screen/outcome-words.js';
import type { RunFacts } from '../api/facts.js';
import { print } from '../context.js';
import type { SinceEnd } from '../report/since-end.js';
import { factsText, tallyText } from './fact-lines.js';
import { statusWord } from './idea-lines.js';
import { clean, many } from './live-lines.js';
import { SHOWN, withStart } from './status-lines.js';

export function describeLast({ last, held, start, model }: SinceEnd): void {
  const { notLanded, run, ideas = [] } = last;
  const cost =
    run && run.spent.iterations > 0 ? `, ${many(run.spent.iterations, 'iteration')}, ${tallyText(run.spent)}` : '';
  const out = notLanded.filter(({ status }) => isLeftOut(status)).length;
  const { landed, landedBefore = 0 } = last;
  const outcome = model
    ? outcomeOf(model)
    : { landed, landedBefore, gone: 0, open: notLanded.length - out, leftOut: out };
  print(`  ${outcomeWords(outcome, model?.target ?? '', 'did not land').join(', ')}${cost}`);
  const told = new Map(ideas.map((one) => [one.idea, one]));
  for (const one of notLanded.slice(0, SHOWN)) {
    print(
      `  ${one.idea} ${held.has(one.idea) ? 'held' : statusWord(one.status)}${one.reason ? `: ${clean(withStart(one.reason, start))}` : ''}`,
    );
    const facts = told.get(one.idea);
    if (facts && facts.runs.length > 0) print(`      ${factsText(facts, Date.now())}`);
  }
  const since = model && sinceText(sinceThen(model));
  if (since) print(`  ${since}`);
}

/** Temporal also calls a stopped run completed. */
export function ending({ temporalStatus, runId }: RunFacts, last: SummaryFile | undefined): string {
  const told = temporalStatus === 'COMPLETED' && last && last.status.runId === runId;
  return told ? last.outcome : temporalStatus.toLowerCase();
}
