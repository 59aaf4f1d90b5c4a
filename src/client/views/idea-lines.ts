import { type Answered, UNDELIVERED } from '../../protocol/command.js';
import { statusWord } from '../../protocol/states.js';
import type { GroupView, IdeaLine } from '../../protocol/views.js';
import { LONGEST_WARNING } from '../../protocol/warnings.js';
import { gateWords, whyRed } from '../../screen/words/gate-words.js';
import { lineGoneText } from '../../screen/words/gone-words.js';
import { claim } from '../../screen/words/signal-words.js';
import type { AgentRunLine, IdeaReport } from './idea-report.js';
import { leftIdeaLines } from './left-working-lines.js';
import { backsOffText, clean, many, paragraphs } from './live-lines.js';
import { localTime } from './terminal.js';
import { warningLines } from './warning-lines.js';

/** Number of agent runs to list, the latest ones. */
const RUNS_SHOWN = 10;
const SAID_SHOWN = 600;

export function describeIdea(report: IdeaReport): string[] {
  const { idea, title, reason, question, waitsFor, commands, renamed } = report;
  return [
    `${idea}  ${clean(title)}`,
    `status ${stateWord(report)}${gatingText(report)}${reason && !question ? `: ${clean(reason)}` : ''}`,
    ...(report.rests ? [`it ${report.rests}`] : []),
    ...warningLines(report),
    ...(renamed ? [`${clean(renamed.text)}${report.over ? '' : `. ${renamed.fix}`}`] : []),
    ...(report.lineGone ? [clean(lineGoneText(report.lineGone))] : []),
    ...(report.still ? [report.still] : []),
    ...(report.backsOff ? [backsOffText(report.backsOff)] : []),
    ...(report.left ? leftIdeaLines({ idea, ...report.left }, report.left.start) : []),
    ...(report.paused ? [`the run is paused: ${clean(report.paused)}`] : []),
    ...(report.earlier ?? []).flatMap(earlierLines),
    ...(report.answers ?? []).flatMap(answered),
    ...(question ? asked(question, report) : []),
    ...runLines(report.runs),
    ...gateLines(report),
    ...(report.bounced ? [`its last landing did not go through: ${clean(report.bounced)}`] : []),
    ...(report.refused
      ? [
          `its rollback was refused ${localTime(Date.parse(report.refused.at))}: ${clean(report.refused.text, LONGEST_WARNING)}`,
        ]
      : []),
    ...outsideLines(report),
    ...placeLines(report),
    ...(report.merged ? [`a person merged commits of it: ${report.merged.slice(0, 8)}`] : []),
    ...(report.behind ? [report.behind] : []),
    ...(report.group ? groupLines(report.group) : scoreLines(report)),
    ...waitsFor.map((wait) => `waits for ${wait}`),
    ...(report.stack ? [report.stack] : []),
    ...toldLine(report),
    ...(commands.length > 0 ? ['possible now:', ...commands.map((one) => `  ${one}`)] : []),
    ...(report.also ? [`also possible without a run: ${report.also.join(', ')}`] : []),
  ];
}

/** As the screen has it. */
function stateWord({ off, takenOff, approval, stopped, shown, status }: IdeaReport): string {
  if (off || takenOff) return 'taken off';
  if (approval) return 'wants approval';
  return stopped ? 'stopped' : (shown ?? statusWord(status));
}

/** Its open warning has the last one. */
function outsideLines({ outside = [], warnings = [] }: IdeaReport): string[] {
  const told = new Set(warnings.map(({ text }) => text));
  return outside.flatMap((text) => (told.has(text) ? [] : [`outside its worktree: ${clean(text, LONGEST_WARNING)}`]));
}

function placeLines({ worktree, branch, putAway, anew }: IdeaReport): string[] {
  const place = worktree ? [`${worktree} (branch ${branch})`] : [];
  if (anew) return place.map((one) => `it begins again in ${one}`);
  if (!putAway) return place.map((one) => `its work is kept in ${one}`);
  const then = putAway.back ? 'the next start brings it back' : 'the next start goes on without it';
  return [
    `what was not committed is in its save ${putAway.n}; ${then}`,
    ...place.map((one) => `the rest is in ${one}`),
  ];
}

/** `: at its gate, npm test (1 of 2); its slot is free` */
function gatingText({ gating }: IdeaReport): string {
  if (!gating) return '';
  const { command, number, of, freeSlot, settling } = gating;
  if (settling) return ': its finished work is settled for its gate; its slot is free';
  const now = command === undefined ? '' : `, ${clean(command)} (${number} of ${of})`;
  return `: at its gate${now}${freeSlot ? '; its slot is free' : ''}`;
}

const MOST_TOLD = 10;

function toldLine({ told, commandsTold = [] }: IdeaReport): string[] {
  const all = commandsTold.length > 0 ? commandsTold : told ? [{ verb: told.verb, text: told.reason }] : [];
  return toldWords(all);
}

function toldWords(all: readonly { verb: string; text?: string | undefined; undelivered?: true }[]): string[] {
  if (all.length === 0) return [];
  const shown = all.slice(-MOST_TOLD).map(({ verb, text, undelivered }) => {
    const about = [...(text ? [clean(text)] : []), ...(undelivered ? [UNDELIVERED] : [])].join('; ');
    return about === '' ? verb : `${verb} (${about})`;
  });
  return [`you told it: ${all.length > shown.length ? '…, ' : ''}${shown.join(', ')}`];
}

function scoreLines({ status, over, parts, score, rank }: IdeaReport): string[] {
  const place = rank && status !== 'landed' && !over ? `, number ${rank} of the ready pool` : '';
  return [...parts.map((part) => `${signed(part.value)}  ${part.label}`), `${signed(score)}  score${place}`];
}

/** A Blue never runs, so its score means nothing. */
function groupLines({ done, total, landed, open }: GroupView): string[] {
  const more = (shown: number, all: number): string => (all > shown ? ` and ${all - shown} more` : '');
  return [
    `it groups ${many(total, 'idea')}, ${done} landed; it is done when all have landed`,
    ...(landed.length > 0 ? [`landed: ${landed.join(', ')}${more(landed.length, done)}`] : []),
    ...(open.length > 0 ? [`open: ${open.join(', ')}${more(open.length, total - done)}`] : []),
  ];
}

/** Nobody paused an idea that waits for an approval, though its status says so. */
export const lineWord = ({ held, approval, status }: Pick<IdeaLine, 'held' | 'approval' | 'status'>): string =>
  approval ? 'wants approval' : held ? 'held' : statusWord(status);

const answered = ({ question, answer }: Answered): string[] => [
  'it asked:',
  ...paragraphs(question, '  | '),
  'you answered:',
  ...paragraphs(answer, '  | '),
];

const earlierLines = ({ runId, answers, told }: NonNullable<IdeaReport['earlier']>[number]): string[] => [
  `in run ${runId}:`,
  ...[...answers.flatMap(answered), ...toldWords(told)].map((one) => `  ${one}`),
];

function asked(question: string, { said, approval }: Pick<IdeaReport, 'said' | 'approval'>): string[] {
  const before = said && said.length > SAID_SHOWN ? `…${said.slice(-SAID_SHOWN)}` : said;
  return [
    ...(before ? [`before ${approval ? 'that' : 'its question'} it said:`, ...paragraphs(before, '  | ')] : []),
    approval ? 'it wants approval:' : 'it asks:',
    ...paragraphs(question, '  | '),
  ];
}

function runLines(runs: readonly AgentRunLine[]): string[] {
  if (runs.length === 0) return [];
  const left = runs.length - RUNS_SHOWN;
  return [
    `${many(runs.length, 'agent run')}${left > 0 ? `, the last ${RUNS_SHOWN}` : ''}:`,
    ...runs.slice(-RUNS_SHOWN).map((run) => `  ${runLine(run)}`),
  ];
}

/** `#3 23:14:02 COMPLETE, no commit; gate red: npm test (exit code 1)` */
export function runLine(run: AgentRunLine): string {
  const { serial, at, commits, gate } = run;
  const time = at === undefined ? '' : ` ${localTime(Date.parse(at))}`;
  const judged = gate ? `; ${gate.pass ? gateWords(gate) : `gate ${redText(gate)}`}` : '';
  return `#${serial}${time} ${endText(run)}${commits === undefined ? '' : `, ${commits === 0 ? 'no commit' : many(commits, 'commit')}`}${judged}`;
}

function endText({ outcome, message, signal, turnedDown }: AgentRunLine): string {
  if (outcome === undefined) return 'has not ended';
  if (outcome === 'interrupted') return 'interrupted';
  if (outcome === 'timeout') return 'timed out';
  // More follows in the same line.
  if (outcome === 'failed') return `failed: ${clean(message ?? '').replace(/\.$/, '')}`;
  return claim({ signal: signal ?? { kind: 'none' }, ...(turnedDown === undefined ? {} : { turnedDown }) }, clean);
}

export const redText = ({ command, exitCode }: { command?: string; exitCode?: number | null }): string =>
  `red: ${clean(command ?? '')}${typeof exitCode === 'number' ? ` (exit code ${exitCode})` : exitCode === null ? ' (stopped)' : ''}`;

function gateLines({ gate, sameTree }: IdeaReport): string[] {
  const merged = sameTree === undefined ? [] : [`gate on the merged tree green: same tree as ${clean(sameTree)}`];
  if (!gate) return merged;
  if (gate.none) return ['no gate is configured: only the agent says that its work is done'];
  const what = gate.pass ? 'green' : redText(gate);
  const output = gate.log ? `; its output: ${gate.log}` : gate.cleaned ? `; ${gate.cleaned}` : '';
  return [
    `last gate ${gate.merged ? 'on the merged tree ' : ''}${what}, ${localTime(Date.parse(gate.at))}${output}`,
    ...whyRed(gate).map((text) => `  ${text}`),
    ...merged,
  ];
}

const signed = (value: number): string => `${value < 0 ? '' : '+'}${value}`.padStart(6);
