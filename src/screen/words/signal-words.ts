/** The signal of an agent run in words, the same in logs, lists and on the screen. Pure. */
import type { AgentSignal } from '../../protocol/agent-run.js';
import { type Colour, type Line, line, plainLine } from '../text/line.js';
import { clean } from '../text/text.js';

/** Makes foreign text one safe line; `most`: the most characters. */
export type Cleaner = (text: string, most?: number) => string;

/** A question is long; where it stands beside other words, this much of it is enough. */
const MOST_ASKED = 80;

const COLOURS: Readonly<Record<AgentSignal['kind'], Colour>> = {
  complete: 'green',
  blocked: 'yellow',
  'needs-human': 'cyan',
  progress: 'blue',
  none: 'gray',
};

export function signalWords(signal: AgentSignal, cleaned: Cleaner = clean): string {
  switch (signal.kind) {
    case 'complete':
      return 'COMPLETE';
    case 'blocked':
      return `BLOCKED: ${cleaned(signal.reason)}`;
    case 'needs-human':
      return `NEEDS_HUMAN: ${cleaned(signal.question, MOST_ASKED)}`;
    case 'progress':
      return `PROGRESS ${signal.percent}`;
    case 'none':
      return '(no signal)';
  }
}

interface Claimed {
  signal: AgentSignal;
  turnedDown?: string;
}

/** The signal, and why a COMPLETE does not count. */
export const claimLine = ({ signal, turnedDown }: Claimed, cleaned: Cleaner = clean): Line =>
  line(
    { text: signalWords(signal, cleaned), colour: COLOURS[signal.kind] },
    turnedDown === undefined ? '' : { text: `, turned down: ${cleaned(turnedDown)}`, colour: 'yellow' },
  );

/** As {@link claimLine}, without its colours. */
export const claim = (one: Claimed, cleaned: Cleaner = clean): string => plainLine(claimLine(one, cleaned));

/** Advice of ralphctl itself is nobody's message. */
export function receivedText({ notes, fromProgram = 0 }: { notes: number; fromProgram?: number }): string {
  const yours = notes - fromProgram;
  const parts = [
    ...(yours > 0 ? [yours === 1 ? 'your message' : `${yours} of your messages`] : []),
    ...(fromProgram > 0 ? ['the advice of ralphctl'] : []),
  ];
  return parts.join(' and ');
}
