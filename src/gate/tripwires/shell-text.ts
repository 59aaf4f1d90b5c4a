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

/** These find the program that follows in the environment of the project. */
const STARTS =
  /^(?:(?:uv|poetry|pipenv|pdm|rye|hatch) run|bundle exec|(?:npm|pnpm|yarn|bun) (?:exec|x|dlx)|(?:npx|pnpx|bunx) \S+)$/;

/** A command without what only stands in front of it. */
export function bare(words: readonly string[]): string[] {
  const from = words.findIndex((word) => !BEFORE.test(word));
  const rest = from < 0 ? [] : words.slice(from);
  if (rest[0] === 'timeout') return bare(rest.slice(2));
  if (!STARTS.test(rest.slice(0, 2).join(' '))) return rest;
  const own = rest.slice(/^(?:npx|pnpx|bunx)$/.test(rest[0] ?? '') ? 1 : 2);
  const program = own.findIndex((word) => !word.startsWith('-'));
  return program < 0 ? rest : bare(own.slice(program));
}

/* Files that a command or a runner's settings load before the tests. Invariant: never throws; linear. Pure. */

/** The next word is a file or a package. */
export const TAKES_FILE = /^(?:--import|--require|-r|--loader|--experimental-loader|--preload)$/;
const WITH_VALUE = /^(?:--import|--require|-r|--loader|--experimental-loader|--preload)=(.+)$/;
/** Elsewhere `-r` has another meaning. */
const LOADS = /(?:^|\/)(?:node|tsx|ts-node|mocha|bun|deno|nyc|c8|ava|tap|jasmine|nodemon|ruby|rspec)$/;

/** Top-level settings that name such files. */
export const SETTINGS = [
  'package.json',
  ...['jest.config', 'vitest.config', 'vite.config', 'vitest.workspace'].flatMap((name) =>
    ['.js', '.mjs', '.cjs', '.ts', '.mts', '.json'].map((end) => name + end),
  ),
  ...['.mocharc.json', '.mocharc.js', '.mocharc.cjs', '.mocharc.yml', '.mocharc.yaml', '.taprc', 'bunfig.toml'],
];
const VALUE = '["\']?\\s{0,9}[:=]\\s{0,9}(\\[[^\\]]{0,2000}\\]|["\'][^"\'\\n]{1,300}["\']|[\\w./-]{1,300}$)';
/** In a runner's own settings; elsewhere some of these words have other meanings. */
const OWN = new RegExp(`\\b(?:require|import|preload|file)${VALUE}`, 'gm');
const SETUP = new RegExp(`\\b(?:setupFiles\\w*|globalSetup|globalTeardown|testEnvironment)${VALUE}`, 'gm');
const RUNNERS = ['jest', 'vitest', 'mocha', 'ava', 'tap', 'nyc', 'c8'];

/** As written in the words. */
export function preloaded(words: readonly string[]): string[] {
  const found: string[] = [];
  const runs = words.some((word) => LOADS.test(word));
  for (const [n, word] of words.entries()) {
    const value = WITH_VALUE.exec(word)?.[1] ?? (TAKES_FILE.test(word) ? words[n + 1] : undefined);
    if (value !== undefined && (runs || !word.startsWith('-r'))) found.push(value);
    const options = /^NODE_OPTIONS=(.+)$/.exec(word)?.[1];
    if (options) found.push(...preloaded(['node', ...options.split(/\s+/)]));
  }
  return found.filter((file) => !file.startsWith('/'));
}

/** Files that settings name, top-relative. */
export function setupFiles(path: string, text: string): string[] {
  const all = path === 'package.json' ? runnersOf(text) : text;
  const own = path === 'package.json' || /^(?:\.mocharc|\.taprc|bunfig)/.test(path);
  return [SETUP, ...(own ? [OWN] : [])]
    .flatMap((pattern) => [...all.matchAll(pattern)])
    .flatMap(([, value = '']) => {
      const quoted = [...value.matchAll(/["']([^"'\n]{1,300})["']/g)].map((one) => one[1] ?? '');
      return /^[["']/.test(value) ? quoted : [value];
    })
    .map((file) => file.replace(/^<rootDir>\//, ''));
}

function runnersOf(text: string): string {
  try {
    const whole = JSON.parse(text) as Record<string, unknown>;
    return JSON.stringify(RUNNERS.map((key) => whole[key]));
  } catch {
    return '';
  }
}
