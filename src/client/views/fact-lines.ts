/** What the events tell of an idea, under its line in `status`. Pure. */
import type { IdeaFacts } from '../../model/facts.js';
import { lastGate } from '../../model/fold-gate.js';
import type { Tally } from '../../model/model.js';
import { isReported } from '../../model/tally.js';
import { dollars, many, retriesText, short } from '../../screen/text/numbers.js';
import { clock } from '../../screen/text/time.js';
import { activityWords } from '../../screen/words/activity-words.js';
import { gateWords } from '../../screen/words/gate-words.js';
import { mergedText } from '../../screen/words/gone-words.js';
import { clean } from './live-lines.js';

/** `since 23:28 · step 2 of 4 · 60 % · gate red: npm test 4/6 · 4 commits · $0.41, 421k tokens · claude opus` */
export function factsText(facts: IdeaFacts, now: number): string {
  const { since, asking, step, percent, commits, merged, retries, spent, agent, model } = facts;
  const lists = [
    ...(facts.stepsSkipped ? [`skipped ${facts.stepsSkipped.join(', ')}`] : []),
    ...(facts.stepsFailed ? [`failed ${facts.stepsFailed.join(', ')}`] : []),
  ];
  const parts = [
    ...(asking && asking !== 'question' ? [`about its ${asking}`] : []),
    ...(since === undefined ? [] : [`since ${clock(since, now)}`]),
    ...(step ? [`step ${step.number} of ${step.of}`] : []),
    ...lists,
    ...(percent === undefined ? [] : [`${percent} %`]),
    ...gateText(facts),
    ...(commits > 0 ? [`${many(commits, 'commit')}${ofRun(facts) === commits ? '' : ' on its branch'}`] : []),
    ...(merged ? [mergedText(merged)] : []),
    ...(retries > 0 ? [retriesText(retries)] : []),
    ...((spent.runs ?? spent.iterations) > 0 ? [tallyText(spent)] : []),
    ...(agent ? [[agent, model].filter(Boolean).join(' ')] : []),
  ];
  return clean(parts.join(' · '));
}

/** The screen's list of slots and the timeline have this number. Earlier runs and people commit, too. */
const ofRun = ({ runs }: IdeaFacts): number => runs.reduce((sum, { commits = 0 }) => sum + commits, 0);

function gateText(facts: IdeaFacts): string[] {
  const { gateNow, activity } = facts;
  if (activity) return [activityWords(activity, clean)];
  if (gateNow)
    return [
      `gate runs${gateNow.merged ? ' on the merged tree' : ''}: ${gateNow.command} (${gateNow.number} of ${gateNow.of})`,
    ];
  const last = lastGate(facts)?.gate;
  if (!last) return [];
  const tests = last.tests ? ` ${last.tests.passed}/${last.tests.total}` : '';
  const same = last.same === undefined ? '' : `, same tree as ${last.same}`;
  return [last.pass ? `${gateWords(last, tests)}${same}` : `gate red: ${last.command ?? ''}${tests}`];
}

/** `$0.41, 421k tokens`; agents need not report either. */
export function tallyText(spent: Tally): string {
  const { dollars: cost, tokensIn, tokensOut, unknownDollars, unknownTokens } = spent;
  const parts = [
    ...(isReported(spent, 'Dollars') ? [`${dollars(cost)}${unknownDollars > 0 ? '+' : ''}`] : []),
    ...(isReported(spent, 'Tokens') ? [`${short(tokensIn + tokensOut)} tokens${unknownTokens > 0 ? '+' : ''}`] : []),
  ];
  if (parts.length > 0) return parts.join(', ');
  return unknownDollars + unknownTokens > 0 ? 'cost not reported' : 'nothing used';
}
