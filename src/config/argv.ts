/**
 * A command line written as one string, split into words the way a shell splits it, without running a shell.
 * Must not import anything.
 */
const OPERATOR = /[|&;<>()`$*?]/;

/** The words, or the reason why the text is not a plain command. */
export function splitCommand(text: string): { words: string[] } | { problem: string } {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let i = 0; i < text.length; i++) {
    const c = text.charAt(i);
    if (quote !== undefined) {
      if (c === quote) quote = undefined;
      else if (c === '\\' && quote === '"' && /["\\]/.test(text.charAt(i + 1))) word += text.charAt(++i);
      else word += c;
    } else if (c === '"' || c === "'") {
      quote = c;
      word ??= '';
    } else if (/\s/.test(c)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (c === '\\' && i + 1 < text.length) word = (word ?? '') + text.charAt(++i);
    else if (OPERATOR.test(c)) return { problem: `"${c}" needs a shell: write ["sh", "-c", "…"]` };
    else word = (word ?? '') + c;
  }
  if (quote !== undefined) return { problem: `the quote ${quote} is not closed` };
  if (word !== undefined) words.push(word);
  return words.length > 0 && words[0] !== '' ? { words } : { problem: 'the command is empty' };
}
