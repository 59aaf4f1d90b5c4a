/** Triage as lines: reports in order of fixing, then rejected ones with gate, reason and quote. */

import { took } from '../../decide/duration.js';
import { many } from '../../protocol/many.js';
import type { Rejection, Survivor, Triage } from '../../protocol/triage.js';
import { GATE_NAMES, gateNumber } from '../../screen/words/state-words.js';
import { clean } from './live-lines.js';

/** `leftOut`: open reports of a tracker that no run takes. */
export function triageLines(
  file: string,
  { survivors, rejected, closed }: Triage,
  leftOut: readonly { id: string; title: string; why: string }[] = [],
): string[] {
  const judged = survivors.length + rejected.length;
  const total = judged + closed.length + leftOut.length;
  const counts = [`${survivors.length} to fix`, `${rejected.length} rejected`];
  if (leftOut.length > 0) counts.push(`${leftOut.length} left out`);
  if (closed.length > 0) counts.push(`${closed.length} closed`);
  return [
    `${clean(file)}: ${many(total, 'report')}: ${counts.join(', ')}. ${judgedText(survivors, rejected)}`,
    ...(survivors.length > 0 ? ['', 'to fix, in this order:'] : []),
    ...survivors.flatMap((one, at) => survivorLines(one, at + 1)),
    ...(rejected.length > 0 ? ['', 'rejected:'] : []),
    ...rejected.flatMap(rejectionLines),
    ...(leftOut.length > 0 ? ['', 'left out, so that no run takes them:'] : []),
    ...leftOut.map(({ id, title, why }) => `  ${clean(id, 40)}  ${clean(title, 100)}: ${clean(why)}`),
    ...(judged > 0 ? ['', 'overrule a verdict: ralphctl triage accept|reject <id> --reason <text>'] : []),
  ];
}

function judgedText(...lists: readonly (readonly { judgedBy?: string }[])[]): string {
  const read = lists.flat().flatMap(({ judgedBy }) => judgedBy ?? []);
  if (read.length === 0) return 'Judged by rules only';
  return `Judged by rules, and ${read.length} of them by an agent in a run: ${clean([...new Set(read)].join(', '), 100)}`;
}

function survivorLines(one: Survivor, place: number): string[] {
  const { id, title, tier, score, estimateMs, learntFrom, duplicates, accepted, judgedBy } = one;
  const from = learntFrom > 0 ? `, learnt from ${many(learntFrom, 'idea')}` : '';
  const more = [
    ...(duplicates.length > 0 ? [`also reported as ${clean(duplicates.join(', '))}`] : []),
    ...(judgedBy === undefined ? [] : [`read by ${clean(judgedBy, 60)}`]),
    ...(accepted === undefined ? [] : [`accepted by a person: ${clean(accepted)}`]),
  ];
  return [
    `${String(place).padStart(3)}  ${clean(id, 40)}  ${tier} (about ${took(estimateMs)}${from})  score ${score}  ${clean(title, 100)}`,
    ...more.map((line) => `     ${line}`),
  ];
}

export function rejectionLines({
  id,
  gate,
  reason,
  quote,
  judgedBy,
}: Pick<Rejection, 'id' | 'gate' | 'reason' | 'quote' | 'judgedBy'>): string[] {
  const number = gateNumber(gate);
  const who = judgedBy === undefined ? '' : `, read by ${clean(judgedBy, 60)}`;
  const by = number === undefined ? `by ${GATE_NAMES[gate]}` : `gate ${number}, ${GATE_NAMES[gate]}${who}`;
  return [`  ${clean(id, 40)}  ${by}: ${clean(reason)}`, ...(quote === '' ? [] : [`      "${clean(quote, 120)}"`])];
}
