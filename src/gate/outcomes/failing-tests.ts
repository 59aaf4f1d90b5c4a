/**
 * Names of failed tests from a gate command's output, so that new failures can be told from old ones.
 * Invariant: never throws, takes time linear in the text, returns at most {@link MOST_NAMED} names. Pure.
 */

/** More failing tests add no information. */
export const MOST_NAMED = 500;
const MAX_NAME = 300;
const MAX_LINE = 2000;

/** One failing test per line; group 1 is its name. Only one runner prints each form. */
const LINES: readonly RegExp[] = [
  // vitest
  /^ FAIL {2}(\S.*)$/,
  // jest
  /^ {2}● (\S.*)$/,
  // node:test, spec reporter
  /^\s*✖ (.+?) \(\d+(?:\.\d+)?ms\)$/,
  // TAP; numbers change when tests are added
  /^\s*not ok \d+ - (?!.* # (?:skip|todo))(.+)$/i,
  // pytest
  /^(?:FAILED|ERROR) (\S+::\S.*?)(?: - .*)?$/,
  // go test
  /^\s*--- FAIL: (\S+) \(\d/,
  // go test, a package that does not build
  /^FAIL\t(\S+) \[(?:build|setup) failed\]$/,
  // cargo test
  /^test (.+) \.\.\. FAILED$/,
];
/** jest prints these in the same form although they are no tests. */
const NO_TEST = /^Console$/;

/** Failing tests of every runner in the text, which must be free of escape sequences; sorted, each once. */
export function failingTests(text: string): string[] {
  const found = new Set<string>();
  const lines = text.split('\n');
  for (let at = 0; at < lines.length && found.size < MOST_NAMED; at++) {
    const line = (lines[at] ?? '').slice(0, MAX_LINE).trimEnd();
    const name = named(line) ?? goJson(line) ?? mocha(lines, at);
    if (name) found.add(name.slice(0, MAX_NAME));
  }
  return [...found].sort();
}

function named(line: string): string | undefined {
  for (const pattern of LINES) {
    const name = pattern.exec(line)?.[1]?.trim();
    if (name && !NO_TEST.test(name)) return name;
  }
  return undefined;
}

function goJson(line: string): string | undefined {
  if (!line.startsWith('{"') || !line.includes('"Action":"fail"')) return undefined;
  try {
    const { Action, Test, Package } = JSON.parse(line) as Record<string, unknown>;
    return Action === 'fail' && typeof Test === 'string' ? `${String(Package)} ${Test}` : undefined;
  } catch {
    return undefined;
  }
}

/** Its list of failures: `  1) suite`, deeper lines with the rest of the title, the last one ending in a colon. */
function mocha(lines: readonly string[], at: number): string | undefined {
  const first = /^ {2}\d+\) (\S.*)$/.exec((lines[at] ?? '').slice(0, MAX_LINE));
  if (!first?.[1]) return undefined;
  const title = [first[1].trim()];
  for (let next = at + 1; next < at + 10 && !title.at(-1)?.endsWith(':'); next++) {
    const more = /^ {5,}(\S.*)$/.exec((lines[next] ?? '').slice(0, MAX_LINE))?.[1];
    if (!more) break;
    title.push(more.trim());
  }
  const whole = title.join(' ');
  return whole.endsWith(':') ? whole.slice(0, -1) : undefined;
}

/** Failing test cases of a JUnit report. A scanner, for the same reasons as the one for counts. */
export function failingCases(xml: string): string[] {
  const found = new Set<string>();
  for (let at = xml.indexOf('<testcase'); at >= 0 && found.size < MOST_NAMED; ) {
    const next = xml.indexOf('<testcase', at + 9);
    const body = xml.slice(at, next < 0 ? undefined : next);
    if (body.includes('<failure') || body.includes('<error')) {
      const head = body.slice(0, Math.min(body.indexOf('>') + 1 || MAX_LINE, MAX_LINE));
      const attribute = (key: string): string => new RegExp(`\\s${key}="([^"]*)"`).exec(head)?.[1] ?? '';
      const name = `${attribute('classname')} ${attribute('name')}`.trim().slice(0, MAX_NAME);
      if (name) found.add(name);
    }
    at = next;
  }
  return [...found].sort();
}
