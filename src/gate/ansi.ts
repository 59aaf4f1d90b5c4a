/** Terminal output as plain text. Pure, linear in its input. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
const ESCAPES = /\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b\n]{0,1024}(?:\x07|\x1b\\)?|[ -/]{0,4}[0-~])?/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

/** Removes escape sequences and control characters; of an overwritten line, keeps the visible text. */
export function plainText(text: string): string {
  return text
    .replace(ESCAPES, '')
    .split('\n')
    .map((line) => {
      const ended = line.endsWith('\r') ? line.slice(0, -1) : line;
      return ended.slice(ended.lastIndexOf('\r') + 1);
    })
    .join('\n')
    .replace(CONTROLS, '');
}
