import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { promptOf } from '../../../src/client/confirm.js';
import { showEvents } from '../../../src/client/follow/follow.js';
import { printLines } from '../../../src/client/report/print.js';
import { LiveLines } from '../../../src/client/views/live-lines.js';
import { StreamView } from '../../../src/client/views/stream-lines.js';
import {
  asciiOf,
  canShowScreen,
  dayOf,
  forPeople,
  localTime,
  onlyAscii,
  usesColour,
  wantsAscii,
  wantsBell,
  wrapped,
} from '../../../src/client/views/terminal.js';
import type { StampedEvent } from '../../../src/protocol/events.js';
import { width } from '../../../src/screen/text/text.js';
import { clock, withLocalTimes } from '../../../src/screen/text/time.js';
import { printedNow } from '../../support/printed.js';

const TTY = { isTTY: true };

test.each([
  ['a terminal', TTY, { TERM: 'xterm' }, true],
  ['a pipe', {}, { TERM: 'xterm' }, false],
  ['TERM=dumb', TTY, { TERM: 'dumb' }, false],
  ['FORCE_COLOR in a pipe', {}, { FORCE_COLOR: '1' }, true],
  ['FORCE_COLOR=0 on a terminal', TTY, { TERM: 'xterm', FORCE_COLOR: '0' }, false],
  ['NO_COLOR before FORCE_COLOR', TTY, { TERM: 'xterm', NO_COLOR: '1', FORCE_COLOR: '1' }, false],
])('G3 colours: %s', (_name, stream, env, wanted) => {
  expect(usesColour(stream, env)).toBe(wanted);
});

const WINDOW = { isTTY: true, columns: 80, rows: 24 };
test.each([
  ['a terminal', {}, WINDOW, WINDOW, true],
  ['the smallest one', {}, { ...WINDOW, columns: 40, rows: 10 }, WINDOW, true],
  ['a narrower one', {}, { ...WINDOW, columns: 39 }, WINDOW, false],
  ['a lower one', {}, { ...WINDOW, rows: 9 }, WINDOW, false],
  ['output to a pipe', {}, { columns: 80, rows: 24 }, WINDOW, false],
  ['input from a pipe', {}, WINDOW, {}, false],
  ['TERM=dumb', { TERM: 'dumb' }, WINDOW, WINDOW, false],
  ['CI', { CI: 'true' }, WINDOW, WINDOW, false],
  ['a screen reader', { INK_SCREEN_READER: 'true' }, WINDOW, WINDOW, false],
])('G5 the full screen in %s', (_name, env, output, input, shown) => {
  const given = { TERM: 'xterm', ...env };
  expect(canShowScreen(given, output as typeof process.stdout, input as typeof process.stdin)).toBe(shown);
});

test.each([
  ['RALPHCTL_GLYPHS=ascii in a UTF-8 locale', { LANG: 'C.UTF-8', RALPHCTL_GLYPHS: 'ascii' }, true],
  ['TERM=linux', { LANG: 'C.UTF-8', TERM: 'linux' }, true],
  ['the C locale', { LC_ALL: 'C', TERM: 'xterm' }, true],
  ['a UTF-8 locale', { LANG: 'C.UTF-8', TERM: 'xterm' }, false],
])('G3 letters in place of signs: %s', (_name, env, ascii) => {
  expect(wantsAscii(env)).toBe(ascii);
});

test('G7 RALPHCTL_BELL=off silences the screen', () => {
  expect([wantsBell({}), wantsBell({ RALPHCTL_BELL: 'off' })]).toEqual([true, false]);
});

describe('G3 lines break between words at the width of the terminal', () => {
  test('what follows stands under the text, and nothing is lost', () => {
    const text = '12:34:56 ? a-1 asks: which of the two roundings is meant by the specification of the ledger';
    const lines = wrapped(text, 40).split('\n');
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(40);
    for (const line of lines.slice(1)) expect(line).toMatch(/^ {11}\S/);
    expect(lines.map((line) => line.trim()).join(' ')).toBe(text);
  });

  test('a path stays whole, and a narrow terminal breaks by itself', () => {
    const path = `/${'x'.repeat(60)}`;
    expect(wrapped(`output: ${path} and more`, 40).split('\n')).toContainEqual(expect.stringContaining(path));
    expect(wrapped('some words that are long enough', 15)).toBe('some words that are long enough');
  });

  test('widths count in cells', () => {
    const text = '一つの アイデアが 人を 待って います と 言う ので 答えを 書いて ください';
    const lines = wrapped(text, 40).split('\n');
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expect(width(line)).toBeLessThanOrEqual(40);
    expect(lines.map((line) => line.trim()).join(' ')).toBe(text);
    // As long as the terminal is wide, in UTF-16 units only.
    const bold = `${'𝒂'.repeat(19)} ${'𝒃'.repeat(19)}`;
    expect(wrapped(bold, 40)).toBe(bold);
  });

  test.each([
    [
      'ralphctl: the file is not what it was. Fix it: git worktree repair /tmp/x. Then go on',
      'git worktree repair /tmp/x',
    ],
    ['no agent of this run works on that; to begin anew: ralphctl retry a-1 --fresh', 'ralphctl retry a-1 --fresh'],
    [
      'split needs the parts: ralphctl split a-1 --into "first one" --into two, or a file',
      'ralphctl split a-1 --into "first one" --into two',
    ],
    [
      'two ways: RALPHCTL_HOME=/a ralphctl start; or: ralphctl stop and then another',
      'RALPHCTL_HOME=/a ralphctl start',
    ],
    [
      "the index is broken (mv '/r/.git/index' '/r/.git/index.broken' && git -C '/r' reset -q), and git status fails",
      "(mv '/r/.git/index' '/r/.git/index.broken' && git -C '/r' reset -q)",
    ],
    [
      "the patterns changed (undo: printf '%s\\n' '/*' '!/out/' > '/r/.git/info/sparse-checkout'): by you, or by an agent",
      "printf '%s\\n' '/*' '!/out/' > '/r/.git/info/sparse-checkout'",
    ],
  ])('a command to copy stays in one line: %s', (text, command) => {
    for (const columns of [40, 50, 60]) {
      const out = wrapped(text, columns);
      expect(out).toContain(command);
      expect(out.split(/\s+/)).toEqual(text.split(/\s+/));
      for (const line of out.split('\n')) if (!line.includes(command)) expect(line.length).toBeLessThanOrEqual(columns);
    }
  });

  test('a command in a line of its own stays there, behind its margin', () => {
    const command = `git -C '/r' update-ref refs/heads/main ${'a'.repeat(40)} ${'b'.repeat(40)}`;
    for (const line of [`    | ${command}`, `│ ${command}`]) expect(wrapped(line, 80)).toBe(line);
    expect(wrapped(`    | ${'words '.repeat(20)}`.trimEnd(), 80).split('\n').length).toBeGreaterThan(1);
  });

  test('a question wraps and has an ASCII form, and a blank stands before the answer', () => {
    const question = `${'An agent works – wait. '.repeat(4)}\nStop the server?`;
    const prompt = promptOf(question, { isTTY: true, columns: 40 }, { LANG: 'C' });
    for (const line of prompt.split('\n')) expect(line.length).toBeLessThanOrEqual(40);
    expect(prompt).toMatch(/works - wait[\s\S]*\nStop the server\? \[y\/N\] $/);
  });

  test('what no terminal shows is not broken', () => {
    const text = 'word '.repeat(60);
    expect(forPeople(text, { columns: 40 }, {})).toBe(text);
  });
});

test('G3 without UTF-8 every sign is a letter', () => {
  expect(onlyAscii({ LANG: 'C' })).toBe(true);
  expect(onlyAscii({ LANG: 'C', LC_ALL: 'en_US.UTF-8' })).toBe(false);
  expect(onlyAscii({})).toBe(false);
  expect(asciiOf('▸ a-1 … ◔ timed out')).toBe('R a-1 ... T timed out');
});

test('G3 without UTF-8 a command of a report keeps the text that it leaves open as three dots', () => {
  vi.stubEnv('LC_ALL', 'C');
  try {
    expect(printedNow(() => printLines(['  ? log-006  ralphctl answer log-006 --question 3cf4 "…"']))).toContain(
      'ralphctl answer log-006 --question 3cf4 "..."',
    );
  } finally {
    vi.unstubAllEnvs();
  }
});

test('G3 no sign has an emoji form', async () => {
  const dir = new URL('../../../src/', import.meta.url).pathname;
  const files = (await readdir(dir, { recursive: true })).filter((name) =>
    /^(?:client|decide|screen|report)\/.*\.ts$/.test(name),
  );
  for (const room of ['client', 'decide', 'screen', 'report'])
    expect(files.some((name) => name.startsWith(room))).toBe(true);
  const found = await Promise.all(
    files.map(async (name) => [
      name,
      (await readFile(join(dir, name), 'utf8')).match(/\p{Extended_Pictographic}|[▪▫◻◼]/gu),
    ]),
  );
  expect(found.filter(([, signs]) => signs !== null)).toEqual([]);
});

test('A8 times are local, also those that a workflow wrote in UTC', () => {
  const at = Date.parse('2026-03-04T05:06:00Z');
  expect(withLocalTimes('at a limit until 2026-03-04 05:06 UTC (quota)', at)).toBe(
    `at a limit until ${localTime(at, at).slice(0, 5)} (quota)`,
  );
});

test('A8 the terminal, the screen and the report name the day by one rule', () => {
  const HOUR = 3_600_000;
  const now = new Date(2026, 10, 22, 6, 0).getTime();
  for (const hours of [0, 1, 8, 11, 13, 20, 30, 100, 1000, -4, -20])
    expect(localTime(now - hours * HOUR, now).replace(/:\d\d$/, '')).toBe(clock(now - hours * HOUR, now));
  expect(localTime(now - 8 * HOUR, now)).toBe('22:00:00');
  expect(localTime(now - 13 * HOUR, now)).toBe('Sat 17:00:00');
  expect(localTime(now - 1000 * HOUR, now)).toMatch(/^11 Oct /);
});

const DAY = 86_400_000;
const red = (at: number, idea = 'a-1'): StampedEvent => ({
  ...{ kind: 'gate', idea, pass: false, command: 'make', durationMs: 1 },
  at: new Date(at).toISOString(),
});

test('A8 the date stands where the day changes, of events and of what agents do', () => {
  const now = Date.now();
  const view = new LiveLines(false);
  const lines = [now - 2 * DAY, now - DAY, now - DAY, now].flatMap((at) => view.lines(red(at)));
  const days = lines.filter((line) => line.startsWith('──'));
  expect(days).toEqual([now - 2 * DAY, now - DAY, now].map((at) => `── ${dayOf(at)} ──`));
  const agent = new StreamView(false);
  const at = new Date(now - DAY).toISOString();
  expect(agent.lines({ kind: 'message', text: 'hello', at })[0]).toBe(`── ${dayOf(now - DAY)} ──`);
  expect(agent.lines({ kind: 'message', text: '<ralph nonce="x1">COMPLETE</ralph>', at })[0]).toMatch(/ {2}COMPLETE$/);
});

test('C5 a question is shown whole, with its line breaks, also where the run keeps its beginning only', () => {
  const question = `Which?\n a) one\n b) two ${'and so on '.repeat(150)}end`;
  const at = new Date().toISOString();
  const view = new LiveLines(false);
  view.lines({
    ...{ kind: 'iteration-end', idea: 'a-1', serial: 1, iteration: 1, outcome: 'ok', durationMs: 1, commits: 0 },
    signal: { kind: 'needs-human', question },
    at,
  });
  const [text = ''] = view.lines({
    ...{ kind: 'idea', idea: 'a-1', title: 'Do it', status: 'needs-human', reason: `${question.slice(0, 999)}…` },
    at,
  });
  for (const line of question.split('\n')) expect(text).toContain(`| ${line}`);
});

test('C5 a question of ralphctl itself is shown whole, before and after the idea is said to ask', () => {
  const question = `${'take back: git restore file; '.repeat(50)}end`;
  const at = new Date().toISOString();
  const asks = { kind: 'asks', idea: 'a-1', asking: 'landing', question, at } as const;
  const waits = {
    ...({ kind: 'idea', idea: 'a-1', title: 'Do it', status: 'needs-human' } as const),
    reason: `${question.slice(0, 999)}…`,
    at,
  };
  for (const order of [
    [asks, waits],
    [waits, asks],
  ]) {
    const view = new LiveLines(false);
    const text = order.flatMap((event) => view.lines(event)).join('\n');
    expect(text.match(/restore file; end/g)).toHaveLength(1);
    expect(text).toContain('ralphctl answer a-1');
  }
});

describe('A8 coming back to a run', () => {
  let dir = '';
  afterEach(async () => {
    vi.restoreAllMocks();
    await rm(dir, { recursive: true, force: true });
  });

  test('shows the last screenful, not the night', async () => {
    dir = await mkdtemp(join(tmpdir(), 'ralphctl-night-'));
    const path = join(dir, 'events.jsonl');
    const events = Array.from({ length: 90 }, (_, i) => red(Date.now(), `i-${i}`));
    await writeFile(path, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    const written: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      written.push(String(text));
      return true;
    });
    const context = { root: '', cacheRoot: '', env: {}, cwd: '', json: false };
    await showEvents(context, path, AbortSignal.abort());
    const night = written.splice(0);
    expect(night[0]).toMatch(/^… \d+ earlier lines: ralphctl logs/);
    expect(night.length).toBeLessThan(60);
    expect(night.at(-1)).toContain('i-89');
    // The end of the run does not tell it once more.
    const at = new Date(0).toISOString();
    await writeFile(path, `${JSON.stringify({ at, kind: 'cleaned', bytes: 5, what: 'transcripts of 1 run' })}\n`);
    expect(await showEvents(context, path, AbortSignal.abort())).toBe(at);
    expect(written.splice(0).join('')).toContain('cleaned: 5');
    await writeFile(path, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    expect(await showEvents(context, path, AbortSignal.abort())).toBeUndefined();
    written.splice(0);
    await showEvents({ ...context, json: true }, path, AbortSignal.abort());
    expect(written).toHaveLength(90);
  });
});
