/**
 * Secrets inside the value of a variable: logins of addresses, and options of tools (`-Dpassword=…`).
 * Invariant: a word that ordinary output is full of is none, because its value would be masked everywhere.
 */

/** Words in a name that mark its value as secret, whatever its shape. */
export const SECRET_NAME =
  /(?:API_?KEY|(?:^|_)KEY(?:_|$)|SECRET|TOKEN(?!S)|PASSW|PASSPHRASE|(?:^|_)PASS(?:_|$)|[A-Z]_?PWD(?:_|$)|CREDENTIAL|(?:^|_)AUTH(?:_|$)|(?:^|_)PAT(?:_|$)|(?:^|_)DSN(?:_|$)|PRIVATE|COOKIE|SIGNING|WEBHOOK|(?:^|_)SK(?:_|$)|_SID(?:_|$))/i;

/** Values that name a mode or a switch. */
export const PLAIN =
  /^(?:true|false|null|none|auto|always|never|test|tests|testing|development|production|staging|local|localhost|debug|info|warn|warning|error|trace|verbose|silent|enabled|disabled|default|utf-?8)$/i;

/** Passwords of databases for tests, which their logs name as ordinary words. */
const WEAK =
  /^(?:pass(?:word|wd)?|secret|postgres|mysql|redis|mongo|root|admin|guest|user|example|required|optional)$/i;

const SHORTEST = 4;
/** A login without a password: a shorter one is a user's name. */
const SHORTEST_LOGIN = 8;

const LOGIN = /\b([A-Za-z][A-Za-z0-9+.-]{0,20}):\/\/([^\s:@/"'?#]{0,4096})(?::([^\s@/"']{0,4096}))?@/g;
/** Stand where a password is asked for and the token is the user. */
const NO_PASSWORD = /^(?:x|x-oauth-basic|)$/;

const counts = (value: string): boolean => value.length >= SHORTEST && !PLAIN.test(value) && !WEAK.test(value);

/** Passwords and tokens in the addresses in a value, as they stand there and decoded. */
export function loginsIn(value: string): string[] {
  if (!value.includes('://')) return [];
  return [...value.matchAll(LOGIN)].flatMap(([, scheme = '', user = '', password = '']) => {
    if (!NO_PASSWORD.test(password)) return password !== user && counts(password) ? withDecoded(password) : [];
    return /https?$/i.test(scheme) && user.length >= SHORTEST_LOGIN ? withDecoded(user) : [];
  });
}

function withDecoded(text: string): string[] {
  try {
    const decoded = decodeURIComponent(text);
    return decoded === text || !counts(decoded) ? [text] : [text, decoded];
  } catch {
    return [text];
  }
}

/** `NAME=value`, `-Dname=value`, `--name=value` or `--name value`; quotes may surround the value. */
const OPTION = /(?:^|[\s"'])(-{0,2})([A-Za-z][\w.-]{0,200})(=|[ \t]+)(?:"([^"]*)"|'([^']*)'|([^\s"']+))/g;

/** The secret values of options in a value that holds a command's options. */
export function optionsIn(value: string): string[] {
  const found: string[] = [];
  // A word may be the value of the one before it and an option itself.
  for (OPTION.lastIndex = 0; ; ) {
    const match = OPTION.exec(value);
    if (!match) return found;
    const [whole, dashes = '', name = '', between = '', ...values] = match;
    const given = values.find((one) => one !== undefined) ?? '';
    const flag = between === '=' || dashes !== '';
    if (flag && isSecretOption(name, given)) found.push(given);
    else OPTION.lastIndex = match.index + whole.length - given.length - 1;
  }
}

function isSecretOption(name: string, value: string): boolean {
  if (!counts(value) || /^(?:[-/~]|\$[{(A-Za-z])/.test(value)) return false;
  // `-Dname` is one word for the expression.
  const words = name.replace(/^[DP](?=[A-Za-z])/, '').replaceAll(/[.-]/g, '_');
  if (/^\d{1,7}$/.test(value)) return /pass|pwd/i.test(words);
  return (SECRET_NAME.test(words) || /key$/i.test(words)) && !/(?:path|file|dir|store|type|url|ttl)$/i.test(words);
}
