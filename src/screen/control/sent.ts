/** Commands on their way to the run: the screen names the oldest one until the run has answered it. Pure. */
import type { Ui } from '../ui.js';

export const sending = (ui: Ui, args: readonly string[]): Ui => ({ ...ui, sent: [...(ui.sent ?? []), named(args)] });

/** The run has answered the oldest one, or refused it. */
export function answered({ sent = [], ...ui }: Ui): Ui {
  const rest = sent.slice(1);
  return rest.length === 0 ? ui : { ...ui, sent: rest };
}

/** `pause of the run`, `retry a-1` */
function named([verb = '', ...rest]: readonly string[]): string {
  // What these name is no idea.
  const about = BEGINS.has(verb) ? '' : rest.find((word) => !word.startsWith('-'));
  return RUN.has(verb) && about === undefined ? `${verb} of the run` : [verb, about ?? ''].join(' ').trim();
}

const RUN = new Set(['pause', 'resume', 'stop', 'abort', 'review']);

const BEGINS = new Set(['start', 'run']);

const MESSAGE_MS = 8000;

/** A person who looked away while the run answered must not miss a refusal: it stays until the next key. */
export const messageUntil = ({ message }: Pick<Ui, 'message'>, now: number): number =>
  message?.refused ? Number.POSITIVE_INFINITY : now + MESSAGE_MS;

export const withoutMessage = ({ message: _, ...ui }: Ui): Ui => ui;

/** `over`: no run is open, so that the command itself does it. */
export function sentText({ sent = [] }: Pick<Ui, 'sent'>, over: boolean): string | undefined {
  const [first] = sent;
  if (first === undefined) return undefined;
  const more = sent.length > 1 ? `; ${sent.length - 1} more after it` : '';
  return `${first}: ${over ? doing(first) : 'sent, waiting for the answer of the run'} …${more}`;
}

function doing(first: string): string {
  const [verb = ''] = first.split(' ');
  if (BEGINS.has(verb)) return 'under way; it begins a run';
  return `under way without a run${verb === 'rollback' ? '; landed work first passes its gate' : ''}`;
}
