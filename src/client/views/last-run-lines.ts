/** Formats the last run, while none is open, as lines of `status`. */
import { isAnswered, outcomeOf, outcomeOfSummary, sinceText, sinceThen } from '../../model/at-end.js';
import type { SummaryFile } from '../../model/facts.js';
import type { RunModel } from '../../model/model.js';
import { startCommand } from '../../model/start-again.js';
import { withoutApproveOffer } from '../../protocol/approve-offer.js';
import { endWord, pullLeft } from '../../screen/cut-off.js';
import { listsOf } from '../../screen/lists.js';
import { outcomeWords } from '../../screen/outcome-words.js';
import { LOOKS } from '../../screen/text/theme.js';
import { lasted } from '../../screen/text/time.js';
import type { RunFacts } from '../api/facts.js';
import { print } from '../context.js';
import type { SinceEnd } from '../report/since-end.js';
import { factsText, tallyText } from './fact-lines.js';
import { clean, many } from './live-lines.js';
import { attention, SHOWN, signOf } from './need-lines.js';
import { withStart } from './status-lines.js';
import { localTime } from './terminal.js';

export function describeLast({ last, held, start, model, told }: SinceEnd): void {
  const { notLanded, run } = last;
  const cost =
    run && run.spent.iterations > 0 ? `, ${many(run.spent.iterations, 'iteration')}, ${tallyText(run.spent)}` : '';
  const outcome = model ? outcomeOf(model) : outcomeOfSummary(last);
  print(`  ${outcomeWords(outcome, model?.target ?? '', 'did not land').join(', ')}${cost}`);
  for (const one of notLanded.slice(0, SHOWN)) {
    const now = model?.ideas.get(one.idea);
    if (now?.left) {
      const { id, title, status, approval, left } = now;
      const line = { id, title, status, reason: left.question, ...(approval ? { approval } : {}) };
      attention(line, told.get(id), { start: startCommand(start) });
      continue;
    }
    if (now?.off) {
      print(`${LOOKS['taken off'].sign} ${one.idea} taken off: ${clean(now.off.text)}`);
      continue;
    }
    if (now?.answered && isAnswered(now)) {
      const { question, approval } = now.answered;
      const sign = signOf({ status: 'needs-human', ...(approval ? { approval } : {}) });
      print(`${sign} ${one.idea} ${endWord(model, one)}: ${clean(withoutApproveOffer(question))}`);
      continue;
    }
    const isHeld = held.has(one.idea);
    const word = isHeld ? 'held' : endWord(model, one);
    const sign = word === 'stopped' ? LOOKS.stopped.sign : signOf({ ...one, ...(isHeld ? { held: true } : {}) }, ' ');
    const first = word === 'after' && model ? listsOf(model).after.get(one.idea) : undefined;
    const before = first === undefined ? '' : ` ${first}`;
    const pull = now && word === 'stopped' ? pullLeft(now) : '';
    print(`${sign} ${one.idea} ${word}${before}${one.reason ? `: ${clean(withStart(one.reason, start))}` : ''}${pull}`);
    const facts = told.get(one.idea);
    if (facts && facts.runs.length > 0) print(`      ${factsText(facts, Date.now())}`);
  }
  const since = model && sinceText(sinceThen(model));
  if (since) print(`  ${since}`);
}

/** `last run: completed 01:46:38, took 23s`; the time is that of the report. Without a server, the files tell it. */
export function lastRunLine(
  facts: RunFacts | undefined,
  last: SummaryFile | undefined,
  model: RunModel | undefined,
): string {
  const own = !facts || model?.runId === facts.runId ? model : undefined;
  const { startedAt, endedAt } = own ?? {};
  const end = facts ? facts.closedAt?.getTime() : endedAt;
  const at = end === undefined ? '' : ` ${localTime(end)}`;
  const took = startedAt === undefined || endedAt === undefined ? '' : `, took ${lasted(endedAt - startedAt)}`;
  return `last run: ${facts ? ending(facts, last) : (last?.outcome ?? 'unknown')}${at}${took}`;
}

/** Temporal also calls a stopped run completed. */
function ending({ temporalStatus, runId }: RunFacts, last: SummaryFile | undefined): string {
  const told = temporalStatus === 'COMPLETED' && last && last.status.runId === runId;
  return told ? last.outcome : temporalStatus.toLowerCase();
}
