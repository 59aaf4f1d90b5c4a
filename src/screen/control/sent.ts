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
  const about = rest.find((word) => !word.startsWith('-'));
  return RUN.has(verb) && about === undefined ? `${verb} of the run` : [verb, about ?? ''].join(' ').trim();
}

const RUN = new Set(['pause', 'resume', 'stop', 'abort', 'review']);

const MESSAGE_MS = 8000;

/** A person who looked away while the run answered must not miss a refusal: it stays until the next key. */
export const messageUntil = ({ message }: Pick<Ui, 'message'>, now: number): number =>
  message?.refused ? Number.POSITIVE_INFINITY : now + MESSAGE_MS;

export const withoutMessage = ({ message: _, ...ui }: Ui): Ui => ui;

export function sentText({ sent = [] }: Pick<Ui, 'sent'>): string | undefined {
  const [first] = sent;
  if (first === undefined) return undefined;
  const more = sent.length > 1 ? `; ${sent.length - 1} more after it` : '';
  return `${first}: sent, waiting for the answer of the run …${more}`;
}
