/**
 * Finds the commands for a person in a text, and cuts long texts that may hold one.
 * Invariant: a command is shown whole or not at all. Must not import anything.
 */

/** Programs that the messages of ralphctl tell a person to run. */
const PROGRAMS =
  'cat|chmod|cp|df|echo|export|find|git|gh|glab|kill|less|ln|ls|lsof|mkdir|mount|mv|npm|printf|ps|ralphctl|rm|rmdir|sudo|temporal';

/** A command follows a colon, or begins with a variable: `Fix it: git …`, `then: RALPHCTL_HOME='…' ralphctl …`. */
const COMMAND = new RegExp(`: (?=(?:[A-Z_]+=(?:'[^']*'|\\S*) )*(?:${PROGRAMS}) )`, 'g');

/** A command with its words, up to the end of its sentence or clause. Quoted words may hold what ends one elsewhere. */
const WHOLE = new RegExp(
  `(?<=[:;] )(?:[A-Z_]+=(?:'[^']*'|[^\\s'])* )*(?:${PROGRAMS})(?: (?!(?:or|and|then) )(?:"[^"\\n]*"|'[^'\\n]*'|[^\\s"'.,;)]|[.,;)](?! |$))+)+`,
  'gm',
);

/** The text with each command replaced. */
export const withCommands = (text: string, replaced: (command: string) => string): string =>
  text.replace(WHOLE, replaced);

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
