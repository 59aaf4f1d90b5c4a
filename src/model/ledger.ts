/**
 * The story of ideas in the evidence ledger: a chain is what one run did with one idea.
 * Invariant: any order and any missing operation gives a chain; nothing throws. May import protocol only.
 */
import type { LedgerRow } from '../protocol/ledger.js';

export interface Chain {
  idea: string;
  /** Absent for a plan that no run has taken up. */
  run?: string;
  rows: LedgerRow[];
  /**
   * open: it has neither landed nor failed; `undone`: it landed and was taken off the target again; `rejected`: triage
   * kept it from the agents.
   */
  outcome: 'planned' | 'open' | 'landed' | 'failed' | 'undone' | 'rejected';
  /** Where a chain that did not succeed broke. */
  broke?: LedgerRow;
}

/** The chains in the order in which they began. A plan belongs to the next run that takes the idea. */
export function chainsOf(rows: readonly LedgerRow[]): Chain[] {
  const chains = new Map<string, Chain>();
  const plans = new Map<string, LedgerRow[]>();
  for (const row of rows) {
    const { idea, run } = row;
    if (run === undefined) {
      plans.set(idea, [...(plans.get(idea) ?? []), row]);
      continue;
    }
    const key = `${run}/${idea}`;
    const chain = chains.get(key) ?? { idea, run, rows: [...(plans.get(idea) ?? [])], outcome: 'open' };
    plans.delete(idea);
    chain.rows.push(row);
    chains.set(key, chain);
  }
  const waiting = [...plans].map(([idea, own]): Chain => ({ idea, rows: own, outcome: 'planned' }));
  return [...[...chains.values()].map(judged), ...waiting];
}

function judged(chain: Chain): Chain {
  const ends = chain.rows.filter(({ op }) => op === 'submit');
  const last = ends.at(-1);
  const landed = ends.some(({ pass }) => pass === true);
  if (last?.pass === true) return { ...chain, outcome: 'landed' };
  if (last === undefined) {
    const judged = chain.rows.at(-1);
    return judged?.kind === 'triage' && judged.pass !== true ? { ...chain, outcome: 'rejected' } : chain;
  }
  // A later run, or a command after it, may take off what an earlier one landed.
  if (landed || last.data.commit !== undefined) return { ...chain, outcome: 'undone', broke: last };
  // The last judgement before the end, where it was bad; else the end itself.
  const judgement = chain.rows.findLast(({ op, pass }) => op === 'evidence' && pass !== undefined);
  return { ...chain, outcome: 'failed', broke: judgement?.pass === false ? judgement : last };
}

/** From the first claim to the last operation, in milliseconds. */
export function chainMs({ rows }: Chain): number | undefined {
  const claim = rows.find(({ op }) => op === 'claim');
  const last = rows.at(-1);
  return claim && last ? Math.max(0, Date.parse(last.at) - Date.parse(claim.at)) : undefined;
}
