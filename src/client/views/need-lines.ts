/** The ideas that wait for a person or rest, as lines of `status`, each with the command that brings it on. */

import { needsAndHeld, needsOfRun, type RunNeed } from '../../decide/views/resting.js';
import type { IdeaFacts } from '../../model/facts.js';
import type { StartAgain } from '../../model/start-again.js';
import { withoutApproveOffer } from '../../protocol/approve-offer.js';
import type { IdeaStatus } from '../../protocol/states.js';
import { upToMore } from '../../protocol/up-to-more.js';
import type { IdeaLine, RunStatus } from '../../protocol/views.js';
import { fixOf, type Over, overOf } from '../../report/commands.js';
import type { OpenState } from '../../report/schema.js';
import { wrapAll } from '../../screen/text/text.js';
import { LOOKS, type Shown } from '../../screen/text/theme.js';
import { print } from '../context.js';
import { textWidth } from '../report/print.js';
import { factsText } from './fact-lines.js';
import { lineWord } from './idea-lines.js';
import { clean } from './live-lines.js';
import { statusOption } from './words.js';

/** Lines of each list. */
export const SHOWN = 20;
const ATTENTION = ['needs-human', 'blocked', 'failed', 'timeout', 'wants-approval'] as const;

/** What waits for a person, and what rests because a person put it on hold. */
export function needs(live: RunStatus, told: Readonly<Record<string, IdeaFacts>>, startAgain?: StartAgain): void {
  const lists = needsAndHeld(live);
  const over = overOf({ state: live.state, ...(startAgain ? { startAgain } : {}) }, false);
  const ofRun = needsOfRun(live);
  wait(ofRun, lists.needs, lists.needs.length + (live.more?.attention ?? 0), (line) =>
    attention(line, told[line.id], over),
  );
  const held = lists.held.length + (live.more?.held ?? 0);
  if (held === 0) return;
  print(`Held (${held})`);
  const shown = upToMore(SHOWN, lists.held, held);
  for (const line of shown) attention(line, told[line.id], over);
  if (held > shown.length) print(`  and ${held - shown.length} more; all of them: ralphctl status --only held`);
}

function wait(
  ofRun: readonly RunNeed[],
  lines: readonly IdeaLine[],
  waiting: number,
  show: (line: IdeaLine) => void,
): void {
  if (ofRun.length + waiting === 0) return;
  print(`Needs you (${ofRun.length + waiting})`);
  for (const { kind, name, text, fix, command } of ofRun) {
    const what = kind === 'review' ? 'the run needs a review' : `${clean(name)} needs a login`;
    print(`${LOOKS[kind].sign} ${what}: ${clean(text)}`);
    print(`    ${clean(fix)}${command}`);
  }
  const shown = upToMore(SHOWN, lines, waiting);
  for (const line of shown) show(line);
  if (waiting <= shown.length) return;
  const each = ATTENTION.map((one) => `--only ${statusOption(one)}`).join(' ');
  print(`! and ${waiting - shown.length} more; all of them: ralphctl status ${each}`);
}

export function factsLine(facts: IdeaFacts | undefined): void {
  const text = facts && factsText(facts, Date.now());
  if (text) print(`      ${text}`);
}

/** Lines of a question in a list. */
const MOST_QUESTION = 8;
const MARGIN = '    | ';
/** Width of a line in a pipe. */
const PIPE = 200;

/** The beginning of a question, wrapped around its commands, and the command that shows the rest. */
export function questionLines(id: string, question: string, columns = PIPE): string[] {
  const rows = wrapAll(question, Math.max(20, columns - MARGIN.length), 0, { over: true });
  const lines = rows.map((text) => `${MARGIN}${text}`.trimEnd());
  if (lines.length <= MOST_QUESTION + 1) return lines;
  const rest = lines.length - MOST_QUESTION;
  return [...lines.slice(0, MOST_QUESTION), `${MARGIN}… ${rest} more lines: ralphctl show ${id}`];
}

/** What `start` leaves on the terminal of an idea that waits for a person. */
export const waitText = (line: IdeaLine, question: string, columns?: number): string =>
  [`${line.id} waits for you:`, ...questionLines(line.id, question, columns), `  ${remedy(line)}`].join('\n');

/** An idea that waits for a person, with the beginning of its question. */
export function attention(line: IdeaLine, facts?: IdeaFacts, over: Over = false): void {
  const { id, status, reason } = line;
  if (reason && status === 'needs-human') {
    print(`? ${id} ${lineWord(line)}:`);
    const question = over ? withoutApproveOffer(reason) : reason;
    for (const text of questionLines(id, question, textWidth())) print(text);
  } else print(`${signOf(line)} ${id} ${lineWord(line)}${reason ? `: ${clean(reason)}` : ''}`);
  factsLine(facts);
  const fix = remedy(line, over);
  if (fix) print(`    ${fix}`);
}

/** As the screen and the report name them. */
const SHOWN_AS: Partial<Record<IdeaStatus, Shown & OpenState>> = {
  'needs-human': 'asks',
  blocked: 'blocked',
  failed: 'failed',
  timeout: 'timed out',
};

/** As on the screen. @param none where it has none there */
export function signOf({ status, held, approval }: Pick<IdeaLine, 'status' | 'held' | 'approval'>, none = '!'): string {
  const shown = approval ? 'approve' : held ? 'held' : SHOWN_AS[status];
  return shown ? LOOKS[shown].sign : none;
}

/** The first thing to do about an idea that waits for a person. */
export function remedy(
  { id, status, approval, held, reason, single }: IdeaLine,
  over: Over = false,
): string | undefined {
  // Two commands would make the person guess.
  if (held && reason?.includes('ralphctl ')) return undefined;
  if (approval && !over) return `ralphctl approve ${id}`;
  if (held && !over) return `ralphctl resume ${id}`;
  const state = approval ? 'approve' : held ? 'stopped' : SHOWN_AS[status];
  return state && fixOf({ id, status, reason, warnings: [], ...(single ? { single } : {}) }, state, over)?.fix;
}
