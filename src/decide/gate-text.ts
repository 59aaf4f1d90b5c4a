/** A closed gate in words. May import protocol only. */
import type { Gate } from '../protocol/limits.js';

/** One closed gate in words. */
export function gateText(gate: Gate, name: string): string {
  if (gate.state === 'probing') return `${name} is being tried again (${gate.reason})`;
  switch (gate.kind) {
    case 'limited':
      return `${name} is at a usage limit until ${clock(gate.until)} (${gate.reason})`;
    case 'provider':
      return `${name} gets no answer from its provider (${gate.reason}); it is tried again at ${clock(gate.until)}, or with: ralphctl limits retry`;
    case 'auth':
      return `${name} needs a login (${gate.reason}); log in, then: ralphctl limits retry`;
    case 'launch':
      return `${name} does not start (${gate.reason}); it is tried again at ${clock(gate.until)}, or with: ralphctl limits retry`;
  }
}

/** UTC, because workflows know no zone; the CLI shows local time. */
const clock = (at: number | undefined): string =>
  at === undefined ? '?' : `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
