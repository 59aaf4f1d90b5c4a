/**
 * Finds the place where a text stops being JSON. V8's message has no position for most mistakes, and people need a line.
 * Must not import anything.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these in strings
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)(?!\w)/y;
const BLANK = /[ \t\r\n]*/y;

type Expect = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end' | 'nothing';

/** Offset of the first character that no JSON text could have there, or undefined for valid JSON. */
export function jsonErrorOffset(text: string): number | undefined {
  const open: ('{' | '[')[] = [];
  let at = 0;
  let expect: Expect = 'value';
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    if (!pattern.test(text)) return false;
    at = pattern.lastIndex;
    return true;
  };
  const after = (): Expect => (open.length > 0 ? 'comma-or-end' : 'nothing');
  for (;;) {
    take(BLANK);
    if (at >= text.length) return expect === 'nothing' ? undefined : at;
    const c = text[at];
    const closes = expect === 'value-or-end' || expect === 'key-or-end' || expect === 'comma-or-end';
    if (closes && c === (open.at(-1) === '{' ? '}' : ']')) {
      at++;
      open.pop();
      expect = after();
    } else if (expect === 'value' || expect === 'value-or-end') {
      if (c === '{' || c === '[') {
        at++;
        open.push(c);
        expect = c === '{' ? 'key-or-end' : 'value-or-end';
      } else if (take(STRING) || take(SCALAR)) expect = after();
      else return at;
    } else if (expect === 'key' || expect === 'key-or-end') {
      if (!take(STRING)) return at;
      expect = 'colon';
    } else if (expect === 'colon' && c === ':') {
      at++;
      expect = 'value';
    } else if (expect === 'comma-or-end' && c === ',') {
      at++;
      expect = open.at(-1) === '{' ? 'key' : 'value';
    } else return at;
  }
}
