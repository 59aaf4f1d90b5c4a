/** Reads a shell text far enough to know which programs it runs. Invariant: never throws; linear in the text. Pure. */

/** The simple commands of a text, each as its words without their quotes. */
export function simpleCommands(text: string): string[][] {
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | undefined;
  let quote = '';
  const endWord = (): void => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  const endCommand = (): void => {
    endWord();
    if (words.length > 0) commands.push(words);
    words = [];
  };
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] ?? '';
    if (quote) {
      if (sign === quote) quote = '';
      else word += sign;
    } else if (sign === "'" || sign === '"') {
      quote = sign;
      word ??= '';
    } else if (sign === '\\') {
      at++;
      if (text[at] !== '\n') word = (word ?? '') + (text[at] ?? '');
    } else if (sign === '#' && word === undefined) {
      while (at + 1 < text.length && text[at + 1] !== '\n') at++;
    } else if (/[;&|\n()`]/.test(sign)) endCommand();
    else if (/\s/.test(sign)) endWord();
    else word = (word ?? '') + sign;
  }
  endCommand();
  return commands;
}

const BEFORE = /^(?:!|\{|if|then|elif|else|while|until|do|exec|time|env|command|nice|nohup|xvfb-run|cross-env|\w+=.*)$/;

/** A command without what only stands in front of it. */
export function bare(words: readonly string[]): string[] {
  const from = words.findIndex((word) => !BEFORE.test(word));
  const rest = from < 0 ? [] : words.slice(from);
  return rest[0] === 'timeout' ? bare(rest.slice(2)) : rest;
}
