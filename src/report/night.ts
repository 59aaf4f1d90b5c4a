/**
 * Collects facts that the model of a run does not hold: which slot worked on which idea when, and how long ideas waited
 * for a person.
 * Invariant: a repeated, missing, unknown or damaged event never throws and never counts twice. May import protocol types
 * and the shape of events only.
 */
import type { StampedEvent } from '../protocol/events.js';

export interface Bar {
  slot: string;
  idea: string;
  kind: 'agent' | 'gate';
  from: number;
  to?: number;
}

export interface Wait {
  idea: string;
  from: number;
  to?: number;
}

export interface Night {
  bars: Bar[];
  /** Ends and questions of ideas with a slot. */
  marks: Mark[];
  /** Waits for an answer or an approval. */
  waits: Wait[];
  /** The last state of each idea. */
  last: Map<string, { slot: string; serials: Set<number>; bar?: Bar; gateAt?: number; mark?: Mark; wait?: Wait }>;
}

interface Mark {
  slot: string;
  idea: string;
  at: number;
  state: string;
}

export const newNight = (): Night => ({ bars: [], marks: [], waits: [], last: new Map() });

const MARKED = new Set(['landed', 'failed', 'blocked', 'timeout', 'needs-human']);

export function foldNight(night: Night, event: StampedEvent): void {
  const at = Date.parse(event.at);
  if (!('idea' in event) || typeof event.idea !== 'string') return;
  const { idea } = event;
  const last = night.last.get(idea) ?? { slot: '', serials: new Set<number>() };
  night.last.set(idea, last);
  const { bar } = last;
  switch (event.kind) {
    case 'iteration':
      last.slot = event.agentName;
      if (last.serials.has(event.serial)) return;
      last.serials.add(event.serial);
      last.bar = { slot: event.agentName, idea, kind: 'agent', from: at };
      night.bars.push(last.bar);
      return;
    case 'iteration-end':
      if (bar) bar.to ??= at;
      return;
    case 'gate':
      if (last.slot === '' || event.merged || last.gateAt === at) return;
      last.gateAt = at;
      night.bars.push({ slot: last.slot, idea, kind: 'gate', from: at - event.durationMs, to: at });
      return;
    case 'idea': {
      if (event.status !== 'running' && bar) bar.to ??= at;
      const waits = event.status === 'needs-human' || (event.approval === true && event.status !== 'landed');
      if (waits && !last.wait) {
        last.wait = { idea, from: at };
        night.waits.push(last.wait);
      }
      if (!waits && last.wait) {
        last.wait.to = at;
        delete last.wait;
      }
      if (last.slot === '' || !MARKED.has(event.status) || last.mark?.state === event.status) return;
      last.mark = { slot: last.slot, idea, at, state: event.status };
      night.marks.push(last.mark);
      return;
    }
    default:
  }
}
