/**
 * Finds the commands for a person in a text, and cuts long texts that may hold one.
 * Invariant: a command is shown whole or not at all. Must not import anything.
 */

/** Programs that the messages of ralphctl tell a person to run. */
const PROGRAMS =
  'cat|chmod|cp|df|echo|export|find|git|gh|glab|kill|less|ln|ls|lsof|mkdir|mount|mv|npm|printf|ps|ralphctl|rm|rmdir|sudo|temporal';

/** Of a command in parentheses. Its options, quotes or `&&` tell it from prose: `(git waits there)`. */
const OF_COMMAND = "[^()\\n]* (?:'|-|&& )";
const IN_PARENTHESES = `\\((?=${OF_COMMAND})`;
/** The same in a lookbehind, which is matched from its end: the parenthesis comes first there, so the time stays linear. */
const AFTER_PARENTHESIS = `(?=\\(${OF_COMMAND})\\(`;

/** A command follows a colon, or begins with a variable: `Fix it: git …`, `then: RALPHCTL_HOME='…' ralphctl …`. */
const COMMAND = new RegExp(`(?:: |${IN_PARENTHESES})(?=(?:[A-Z_]+=(?:'[^']*'|\\S*) )*(?:${PROGRAMS}) )`, 'g');

/** A command with its words, up to the end of its sentence or clause. Quoted words may hold what ends one elsewhere. */
const WHOLE = new RegExp(
  `(?<=[:;] |${AFTER_PARENTHESIS})(?:[A-Z_]+=(?:'[^']*'|[^\\s'])* )*(?:${PROGRAMS})(?: (?!(?:or|and|then) )(?:"[^"\\n]*"|'[^'\\n]*'|[^\\s"'.,;)]|[.,;)](?! |$))+)+`,
  'gm',
);

/** The text with each command replaced. */
const withCommands = (text: string, replaced: (command: string) => string): string => text.replace(WHOLE, replaced);

/** Stands for a blank where no line may break; Unicode gives it to nobody. */
export const UNBROKEN = '\ue000';

/** The text without a place to break in its commands. */
export const unbroken = (text: string): string => withCommands(text, (command) => command.replaceAll(' ', UNBROKEN));

/** Before the text of a question in a list or a box. */
const MARGIN = /^ *[|│] /;

/** Whether a command fills this line behind its margin. */
export const isCommandInMargin = (line: string): boolean =>
  MARGIN.test(line) &&
  !unbroken(`: ${line.replace(MARGIN, '').trim()}`)
    .slice(2)
    .includes(' ');

/** The words of a command without a place to break: a quoted one may have blanks. */
export const wordsOf = (command: string): string[] =>
  command.match(/(?:'[^']*'|"[^"]*"|[^\ue000])+/g)?.map((word) => word.replaceAll(UNBROKEN, ' ')) ?? [];

/** Longest text that is shown whole because a command is in it. Equal to the longest warning. */
export const LONGEST_WITH_COMMAND = 1200;

/**
 * The text in at most `most` characters; in at most `room` where a command is in it. What stands before the command
 * gives way first. Never ends inside a surrogate pair.
 */
export function cutAroundCommands(text: string, most: number, room: number = LONGEST_WITH_COMMAND): string {
  if (text.length <= most) return text;
  const [first] = text.matchAll(COMMAND);
  if (first === undefined) return cut(text, most);
  if (text.length <= room) return text;
  const last = [...text.matchAll(COMMAND)].at(-1)?.index ?? first.index;
  const from = sentenceAt(text, last);
  const fix = text.slice(from);
  const left = room - fix.length - 2;
  if (left > 0) return `${cut(text.slice(0, from).trimEnd(), left)} ${fix}`;
  // The command itself is too long.
  return cut(text.slice(0, first.index), most);
}

/** Where the sentence begins that this place is in. */
function sentenceAt(text: string, place: number): number {
  const ends = [...text.slice(0, place).matchAll(/[.;] |\n/g)].at(-1);
  return ends === undefined ? 0 : ends.index + ends[0].length;
}

function cut(text: string, most: number): string {
  if (text.length < most) return `${text}…`;
  const kept = text.slice(0, most - 1);
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`;
}
