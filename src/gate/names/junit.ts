/** Test cases of a JUnit report that did not fail. A scanner, for the reasons that the one for counts gives. Pure. */
import type { Named } from './types.js';

const MAX_HEAD = 2000;

export function junitNames(xml: string): Named[] {
  const found: Named[] = [];
  for (let at = xml.indexOf('<testcase'); at >= 0; ) {
    const next = xml.indexOf('<testcase', at + 9);
    const body = xml.slice(at, next < 0 ? undefined : next);
    const head = body.slice(0, Math.min(body.indexOf('>') + 1 || MAX_HEAD, MAX_HEAD));
    const value = (key: string): string => new RegExp(`\\s${key}="([^"]*)"`).exec(head)?.[1] ?? '';
    const name = `${value('classname')} ${value('name')}`.trim();
    const failed = body.includes('<failure') || body.includes('<error');
    if (name && !failed) found.push({ name, kind: body.includes('<skipped') ? 'skipped' : 'passed' });
    at = next;
  }
  return found;
}
