/** `show` wraps a long warning at the width of the terminal; a pipe gets whole lines. Features: A8 B6. */
import { expect, it } from 'vitest';
import { fold, newModel } from '../../../src/model/fold.js';
import { showText } from '../../../src/report/show.js';
import { width } from '../../../src/screen/text/text.js';
import { idea } from '../../activities/idea.js';

const AT = Date.parse('2026-01-01T00:00:00Z');
const WORDS = Array.from({ length: 40 }, (_, n) => `word-${n}`);

const lines = (width?: number): string[] => {
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a')]);
  const at = new Date(AT).toISOString();
  fold(model, { at, kind: 'idea', idea: 'a', title: 'A', status: 'running', agentName: 'ed-001' });
  fold(model, { at, kind: 'warning', idea: 'a', warning: 'outside', text: WORDS.join(' ') });
  const gate = { kind: 'gate', idea: 'a', pass: false, command: 'npm run a-check-with-a-rather-long-name' } as const;
  fold(model, { at, ...gate, durationMs: 1000 });
  const own = model.ideas.get('a') ?? expect.fail('no idea');
  return showText({ model, idea: own, now: AT + 1000, commands: [], others: [] }, width);
};

it.each([40, 60, 80])('B6: no line is wider than a terminal of %i columns, and no word is lost', (columns) => {
  const all = lines(columns);
  expect(all.filter((line) => width(line) > columns)).toEqual([]);
  const first = all.findIndex((line) => line.includes('! ') && line.includes('word-0'));
  const indent = all[first]?.indexOf('word-0') ?? -1;
  expect(all[first + 1]?.slice(0, indent).trim()).toBe('');
  for (const word of WORDS) expect(all.join('\n')).toContain(word);
});

it('B6: a pipe gets it in one line', () => {
  expect(lines().find((line) => line.includes('word-0 '))).toContain('word-39');
});

it('C5: a command in a question is whole, also where the terminal is narrower; the frame is open beside it', () => {
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a')]);
  const command = `git -C '/the repo' update-ref refs/heads/main ${'a'.repeat(40)} ${'b'.repeat(40)}`;
  const reason = `main moved.\ntake back: ${command}\nThen reply with anything: ralphctl answer a "…", or run it again: ralphctl retry a`;
  const at = new Date(AT).toISOString();
  fold(model, { at, kind: 'idea', idea: 'a', title: 'A', status: 'needs-human', reason });
  const own = model.ideas.get('a') ?? expect.fail('no idea');
  const shown = showText({ model, idea: own, now: AT + 1000, commands: [], others: [] }, 80);
  expect(shown).toContain(`│ ${command}`);
  expect(shown.join('\n')).toMatch(/ralphctl retry a +│$/m);
  expect(shown.filter((line) => width(line) > 80)).toEqual([`│ ${command}`]);
  const narrow = showText({ model, idea: own, now: AT + 1000, commands: [], others: [] }, 60);
  expect(narrow).toContain(`│ ${command}`);
});
