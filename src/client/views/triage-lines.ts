/** Triage as lines: reports in order of fixing, then rejected ones with gate, reason and quote. */
import { took } from '../../decide/duration.js';
import type { Rejection, Survivor, Triage } from '../../protocol/triage.js';
import { GATE_NAMES, gateNumber } from '../../screen/words/state-words.js';
import { clean } from './live-lines.js';

export function triageLines(file: string, { survivors, rejected, closed }: Triage): string[] {
  const total = survivors.length + rejected.length + closed.length;
  const counts = [`${survivors.length} to fix`, `${rejected.length} rejected`];
  if (closed.length > 0) counts.push(`${closed.length} closed`);
  return [
    `${clean(file)}: ${total} ${total === 1 ? 'report' : 'reports'}: ${counts.join(', ')}. Judged by rules only`,
    ...(survivors.length > 0 ? ['', 'to fix, in this order:'] : []),
    ...survivors.flatMap((one, at) => survivorLines(one, at + 1)),
    ...(rejected.length > 0 ? ['', 'rejected:'] : []),
    ...rejected.flatMap(rejectionLines),
    ...(total > closed.length ? ['', 'overrule a verdict: ralphctl triage accept|reject <id> --reason <text>'] : []),
  ];
}

function survivorLines(one: Survivor, place: number): string[] {
  const { id, title, tier, score, estimateMs, learntFrom, duplicates, accepted } = one;
  const from = learntFrom > 0 ? `, learnt from ${learntFrom} ${learntFrom === 1 ? 'idea' : 'ideas'}` : '';
  const more = [
    ...(duplicates.length > 0 ? [`also reported as ${clean(duplicates.join(', '))}`] : []),
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
}: Pick<Rejection, 'id' | 'gate' | 'reason' | 'quote'>): string[] {
  const number = gateNumber(gate);
  const by = number === undefined ? `by ${GATE_NAMES[gate]}` : `gate ${number}, ${GATE_NAMES[gate]}`;
  return [`  ${clean(id, 40)}  ${by}: ${clean(reason)}`, ...(quote === '' ? [] : [`      "${clean(quote, 120)}"`])];
}
