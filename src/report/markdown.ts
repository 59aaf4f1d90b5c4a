/** The report as Markdown, for an issue or a chat. Invariant: pure; text from an agent cannot become markup. */
import { sinceText } from '../model/at-end.js';
import { moneyText } from '../screen/text/numbers.js';
import { clean, paragraphs } from '../screen/text/text.js';
import { clock, lasted } from '../screen/text/time.js';
import { withCommands } from './commands.js';
import { notReported, stateText, targetText, totals, whenText } from './head.js';
import { restOf } from './rest.js';
import type { LandedIdea, OpenIdea, Report, Todo } from './schema.js';
import { signOf } from './text.js';

const MARKUP = /[\\`*_{}[\]()<>#+\-.!|~&@:]/g;

/** One line of text without markup, mentions or links. */
export const plain = (text: string): string =>
  clean(text).replace(MARKUP, (sign) =>
    sign === '<'
      ? '&lt;'
      : sign === '>'
        ? '&gt;'
        : sign === '&'
          ? '&amp;'
          : sign === '@'
            ? '&#64;'
            : /[.:]/.test(sign)
              ? sign
              : `\\${sign}`,
  );

/** A code span for any text. */
export function code(text: string): string {
  const line = clean(text).replaceAll('|', '\\|');
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return longest > 0 ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`;
}

export function markdownReport(report: Report): string {
  const { run, groups, look } = report;
  const state = stateText(run);
  const target = targetText(report);
  const since = sinceText(report.since ?? []);
  const parts = [
    [`# ${plain(run.name)}: ${plain(whenText(run))}, onto ${plain(run.target)}`],
    [totals(report).map(plain).join(' · ')],
    ...(state ? [[plain(state)]] : []),
    ...(run.still ? [[plain(run.still)]] : []),
    ...(target ? [[plain(target)]] : []),
    ...(since ? [[plain(since)]] : []),
    ...section(
      `To do (${report.todo.length})`,
      report.todo.flatMap((one) => todoLines(one, report.at)),
    ),
    ...section(`Landed (${report.landed.length})`, landedLines(report)),
    ...restOf(report, report.todo).flatMap(({ title, ideas }) =>
      section(`${title} (${ideas.length})`, ideas.map(openLine)),
    ),
    ...section(
      'Groups',
      groups.map(({ id, done, total }) => `- ${plain(id)} ${done} of ${total}`),
    ),
    ...section(
      'Worth a look',
      look.map(({ kind, text }) => `- **${plain(kind)}**: ${plain(text)}`),
    ),
    [`Times are local (${plain(report.zone)}). Run ${code(run.runId)}.`],
  ];
  return `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

const section = (title: string, lines: readonly string[]): string[][] =>
  lines.length === 0 ? [] : [[`## ${title}`], [...lines]];

function todoLines({ subject, state, text, notes, since, fix, commands }: Todo, now: number): string[] {
  const [first = '', ...more] = paragraphs(text).filter((line) => line.trim() !== '');
  const asked = since !== undefined && (state === 'asks' || state === 'approve') ? ` since ${clock(since, now)}` : '';
  return [
    `- **${signOf(state).replace('!', '\\!')} ${plain(subject)}**${state ? ` ${state}${asked}` : ''}: ${plain(first)}`,
    ...more.map((line) => `  ${plain(line.trim())}`),
    ...notes.map((note) => `  - ${plain(note)}`),
    `  - ${fixLine(fix, commands)}`,
  ];
}

/** The sentence, with its commands as code. */
const fixLine = (fix: string, commands: readonly string[]): string => withCommands(fix, commands, plain, code);

function landedLines(report: Report): string[] {
  const { landed, counts } = report;
  if (landed.length === 0) return [];
  const row = (one: LandedIdea): string => {
    const lines = one.lines ? `+${one.lines.added} \\-${one.lines.deleted}` : '–';
    const tests = one.tests ? `${one.tests.passed}/${one.tests.total}` : '–';
    const took = one.agentMs === undefined ? '–' : plain(lasted(one.agentMs));
    const look = one.look.length > 0 ? `<br>look: ${one.look.map(plain).join('; ')}` : '';
    return `| ${plain(one.idea)} | ${plain(one.title)}${look} | ${one.iterations} | ${took} | ${moneyText(one)} | ${lines} | ${tests} |`;
  };
  return [
    '| idea | title | iterations | took | cost | lines | tests |',
    '|---|---|---:|---:|---:|---:|---:|',
    ...landed.map(row),
    ...(counts.unknownDollars > 0 ? ['', `Cost: ${notReported(report)}.`] : []),
  ];
}

function openLine({ idea, state, reason, title, notes, later }: OpenIdea): string {
  const why = paragraphs(reason ?? '').find((line) => line !== '') ?? title;
  const beside = later ?? notes.join('; ');
  return `- **${plain(idea)}** ${state}: ${plain(why)}${beside ? ` (${plain(beside)})` : ''}`;
}
