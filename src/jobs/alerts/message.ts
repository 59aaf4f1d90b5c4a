/**
 * The text of an alert, for every kind of receiver.
 * Invariant: every text passes the gate's redaction, and none can control a terminal. Each event has the one command
 * that answers it.
 */
import type { Redact } from '../../process/redact.js';
import type { Alert, AlertItem, AlertKind } from '../../protocol/alerts.js';
import { inOneLine } from '../../protocol/escapes.js';

export interface Message {
  /** The same for every delivery of the same alert. */
  id: string;
  /** One line. */
  title: string;
  /** One line per event, with its command. */
  lines: string[];
  /** Command for the first event; the others have theirs in their lines. */
  command: string;
  urgent: boolean;
  /** The first event's page in Temporal's Web UI. */
  link?: string;
  /** A person requested this test. */
  test?: true;
  alert: Alert;
  project: string;
}

/** The words for one event of a kind, and for several. */
const WORDS: Readonly<Record<AlertKind, readonly [one: string, many: string]>> = {
  question: ['asks you', 'questions'],
  blocked: ['is blocked', 'blocked'],
  'timed-out': ['timed out', 'timed out'],
  failed: ['failed', 'failed'],
  review: ['the run paused after failures', 'reviews'],
  'all-limited': ['no agent can work', 'limits'],
  budget: ['a budget is used up', 'budgets'],
  'not-pushed': ['landed work is not on the remote', 'pushes that do not work'],
  landed: ['landed', 'landed'],
  'run-done': ['the run is over', 'runs over'],
  'nothing-moves': ['nothing moves', 'runs in which nothing moves'],
};

/** Kinds that need a person come first. */
const ORDER: readonly AlertKind[] = [
  ...(['nothing-moves', 'review', 'question', 'budget', 'all-limited', 'not-pushed'] as const),
  ...(['failed', 'timed-out', 'blocked', 'run-done', 'landed'] as const),
];

const URGENT: ReadonlySet<AlertKind> = new Set(['nothing-moves', 'review', 'question', 'budget']);
/** Maximum length of an event's text in a line. */
const MOST_TEXT = 300;
/** Maximum number of lines; a count replaces the rest. */
const MOST_LINES = 20;

export interface Setting {
  project: string;
  redact: Redact;
  /** Address of an idea's page, or of the run's page. */
  linkTo?: (idea: string | undefined) => string;
}

export function messageOf(alert: Alert, { project, redact, linkTo }: Setting): Message {
  const clean = (text: string): string => oneLine(redact(text));
  const items = [...alert.items]
    .sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind))
    .map((item) => ({
      ...item,
      ...(item.title === undefined ? {} : { title: clean(item.title) }),
      ...(item.text === undefined ? {} : { text: item.text.split('\n').map(clean).join('\n') }),
    }));
  const shown = items.slice(0, MOST_LINES);
  const all = Object.values(alert.counts).reduce((sum, count) => sum + count, 0);
  const rest = all - shown.length;
  const first = items[0];
  return {
    id: alert.id,
    title: `ralphctl: ${headline({ ...alert, items })}`,
    lines: [...shown.map(lineOf), ...(rest > 0 ? [`and ${rest} more: ralphctl status`] : [])],
    command: first?.command ?? 'ralphctl status',
    urgent: items.some(({ kind }) => URGENT.has(kind)),
    ...(linkTo ? { link: linkTo(first?.idea) } : {}),
    alert: { ...alert, items },
    project,
  };
}

function headline({ items, counts }: Alert): string {
  const [first] = items;
  const kinds = ORDER.filter((kind) => (counts[kind] ?? 0) > 0);
  const all = kinds.reduce((sum, kind) => sum + (counts[kind] ?? 0), 0);
  if (first && all === 1) return subject(first);
  return kinds
    .map((kind) => {
      const count = counts[kind] ?? 0;
      const one = items.find((item) => item.kind === kind);
      return count === 1 && one ? subject(one) : `${count} ${WORDS[kind][1]}`;
    })
    .join(', ');
}

const subject = ({ kind, idea }: AlertItem): string =>
  idea === undefined ? WORDS[kind][0] : `${idea} ${WORDS[kind][0]}`;

function lineOf(item: AlertItem): string {
  const text = oneLine(item.text ?? item.title ?? '');
  const about = text === '' ? '' : `: ${cut(text, item.idea)}`;
  return `${subject(item)}${about} → ${item.command}`;
}

/** Receivers of lines show little; the command shows all. */
function cut(text: string, idea: string | undefined): string {
  if (text.length <= MOST_TEXT && !text.endsWith('…')) return text;
  const shown = text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT - 1).replace(/[\ud800-\udbff]$/, '')}…` : text;
  return idea === undefined ? shown : `${shown} (whole: ralphctl why ${idea})`;
}

const oneLine = (text: string): string => inOneLine(text).trim();
