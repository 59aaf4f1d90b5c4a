/**
 * Finds error messages, traces and codes in a text, because reporters do not invent them.
 * Invariant: every pattern has bounded repetitions, so that hostile text costs no more than other text.
 */

const MESSAGES: readonly RegExp[] = [
  /\b[A-Za-z][\w.]{0,80}(?:Error|Exception|Panic|Warning)\b[: ].{0,200}/,
  /\b(?:[A-Z][\w.]{0,80}(?:Error|Exception))\b/,
  /\bTraceback \(most recent call last\)/,
  /\bpanic: .{0,200}/,
  /\b(?:segmentation fault|segfaults?|segfaulted|sigsegv|core dumped|stack overflow|out of memory|bus error)\b/i,
  /\berror\[[A-Z]\d{2,5}\].{0,200}/,
  /\bfatal(?: error)?: .{0,200}/i,
  /\bUncaught .{0,200}/,
  /\bE(?:CONN[A-Z]+|NOENT|ACCES|PERM|ADDR[A-Z]+|PIPE|TIMEDOUT|MFILE|EXIST|BUSY|NOSPC|HOST[A-Z]+|RR_[A-Z_]+)\b/,
  /\bcannot read propert(?:y|ies) .{0,200}/i,
  /\bhasError: true/,
  /\bSQLSTATE\b/,
  /\b(?:error|ERROR|Error)(?: \d{1,6})?: .{1,200}/,
];

const FRAMES = /(?:^|\n)\s{0,40}(?:at .{1,300}:\d+|File ".{1,300}", line \d+|#\d+ .{1,300}\(\d+\))/;

/** The first error message or trace. */
export function errorIn(text: string): string | undefined {
  for (const pattern of MESSAGES) {
    const found = pattern.exec(text);
    if (found) return found[0].trim();
  }
  return FRAMES.exec(text)?.[0].trim();
}

/** All lines with an error message, at most `most`. */
export function errorLines(text: string, most: number): string[] {
  const found: string[] = [];
  for (const line of text.split('\n')) {
    if (found.length >= most) break;
    const message = errorIn(line.slice(0, 1000));
    if (message !== undefined && message.length >= 8 && !FRAMES.test(line)) found.push(message);
  }
  return found;
}

/** Server status codes and exit codes. */
const CODES =
  /\b(?:http|status|error|code|answers?|answered|returns?|returned|gives?|got|get|with|a|=>|->|:)\s{0,3}[:(]?\s?[45]\d\d\b|[-=]>\s?[45]\d\d\b|\b[45]\d\d (?:error|status|not found|gateway|bad|internal|forbidden|gone)\b|\b(?:exits?|exit code|exit status|returns?)(?: with)?(?: code| status)? `?-?\d+|^\s*[45]\d\d\b|\bNaN\b|\berr(?:or|no)?[ =]\d+/im;

export const codeIn = (text: string): string | undefined => CODES.exec(text)?.[0].trim();
