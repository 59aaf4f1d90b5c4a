import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BacklogError, readBacklog } from '../../../src/backlog/index.js';
import { chunks } from '../../../src/backlog/roadmap/chunks.js';
import { Walk } from '../../../src/backlog/roadmap/walk.js';
import { tickRoadmap } from '../../../src/backlog/tick.js';
import { IDEA_ID } from '../../../src/protocol/idea.js';

/** More runs for a longer search, e.g. FUZZ=20. */
const FUZZ = Number(process.env.FUZZ ?? 1);

const word = fc.string({ unit: fc.constantFrom(...'abcdefgh'), minLength: 1, maxLength: 6 });
const words = fc.array(word, { minLength: 1, maxLength: 5 }).map((list) => list.join(' '));
const id = fc.tuple(word, fc.nat(99)).map(([name, n]) => `${name}-${n}`);

const task = fc.record({
  id,
  title: words.map((text) => `Do ${text}`),
  done: fc.boolean(),
  heading: fc.option(words, { nil: undefined, freq: 4 }),
  ralph: fc.option(fc.boolean(), { nil: undefined }),
  max: fc.option(fc.integer({ min: 1, max: 10_000 }), { nil: undefined }),
  success: fc.array(words, { maxLength: 3 }),
  tags: fc.uniqueArray(word, { maxLength: 3 }),
  note: fc.option(words, { nil: undefined }),
  code: fc.option(
    fc.array(fc.constantFrom('- [ ] **no-1**: x', '  let a = 1;', '', '# no'), { minLength: 1, maxLength: 4 }),
    {
      nil: undefined,
    },
  ),
  // How it is written.
  bullet: fc.constantFrom('-', '*', '+', '1.', '7)'),
  ragged: fc.integer({ min: 0, max: 1 }),
  deep: fc.integer({ min: 0, max: 2 }),
  style: fc.constantFrom<[string, string]>(['**', '**: '], ['', ': '], ['`', '`: '], ['**', ':** '], ['__', '__ - ']),
  blank: fc.boolean(),
});
type Task = (typeof task extends fc.Arbitrary<infer T> ? T : never) & { depends?: string };

function render(tasks: readonly Task[], eol: string, indent: number): string {
  const lines: string[] = ['# Plan', ''];
  const gap = () => lines.at(-1) === '' || lines.push('');
  for (const one of tasks) {
    if (one.heading !== undefined) {
      gap();
      lines.push(`## ${one.heading}`, '');
    }
    const pad = ' '.repeat(indent + one.ragged);
    const inner = pad + ' '.repeat(one.bullet.length + 1 + one.deep);
    const property = (text: string) => lines.push(`${inner}- ${text}`);
    lines.push(`${pad}${one.bullet} [${one.done ? 'x' : ' '}] ${one.style[0]}${one.id}${one.style[1]}${one.title}`);
    if (one.blank) gap();
    if (one.ralph !== undefined) property(`ralph: ${one.ralph}`);
    if (one.max !== undefined) property(`max_iterations: ${one.max}`);
    for (const text of one.success) property(`success: ${text}`);
    if (one.tags.length > 0) property(`tags: ${one.tags.join(', ')}`);
    if (one.depends) property(`depends: ${one.depends}`);
    if (one.note !== undefined) {
      gap();
      lines.push(inner + one.note);
    }
    if (one.code) {
      gap();
      lines.push(...['```', ...one.code, '```'].map((line) => (line === '' ? '' : inner + line)));
    }
    gap();
  }
  return lines.join(eol);
}

const backlog = fc
  .record({
    tasks: fc.uniqueArray(task, { selector: (one) => one.id, maxLength: 12, minLength: 1 }),
    picks: fc.array(fc.nat(), { maxLength: 12 }),
    eol: fc.constantFrom('\n', '\r\n', '\r'),
    bom: fc.constantFrom('', '\uFEFF'),
    indent: fc.integer({ min: 0, max: 2 }),
  })
  .map(({ tasks, picks, eol, bom, indent }) => {
    // A dependency on an earlier task only, so that there is no cycle.
    const all: Task[] = tasks.map((one, i) => {
      const pick = picks[i];
      return i > 0 && pick !== undefined ? { ...one, depends: tasks[pick % i]?.id ?? '' } : one;
    });
    return { tasks: all, text: bom + render(all, eol, indent) };
  });

it('gives back what was written, however it is laid out', async () => {
  await fc.assert(
    fc.asyncProperty(backlog, async ({ tasks, text }) => {
      const { ideas } = await readBacklog('r.md', { text });
      let phase: string | undefined;
      const expected = tasks.map((one) => {
        phase = one.heading ?? phase;
        const parts = [one.title];
        if (one.note !== undefined) parts.push(one.note);
        if (one.code) parts.push(['```', ...one.code, '```'].join('\n'));
        return {
          id: one.id,
          title: one.title,
          done: one.done,
          ralph: one.ralph ?? false,
          maxIterations: one.max ?? undefined,
          success: one.success,
          tags: one.tags,
          dependsOn: one.depends ? [one.depends] : [],
          phase,
          text: parts.join('\n\n'),
        };
      });
      const seen = ideas.map(({ id, title, done, ralph, maxIterations, success, tags, dependsOn, phase, text }) => ({
        id,
        title,
        done,
        ralph,
        maxIterations,
        success,
        tags,
        dependsOn,
        phase,
        text: text,
      }));
      expect(seen).toEqual(expected);
      for (const idea of ideas) {
        expect(text.split(/\r\n?|\n/)[idea.source.line - 1]).toContain(idea.id);
      }
    }),
    { numRuns: 80 * FUZZ },
  );
});

it('ticking changes one character, and reading shows that task done', async () => {
  await fc.assert(
    fc.asyncProperty(backlog, fc.nat(), async ({ tasks, text }, pick) => {
      const one = tasks[pick % tasks.length] as Task;
      const ticked = tickRoadmap(text, one.id);
      if (one.done) {
        expect(ticked).toBeUndefined();
        return;
      }
      const result = ticked ?? '';
      const changed = [...text].flatMap((c, i) => (c === result[i] ? [] : [i]));
      expect(result).toHaveLength(text.length);
      expect(changed).toHaveLength(1);
      const before = await readBacklog('r.md', { text });
      const after = await readBacklog('r.md', { text: result });
      expect(after.ideas).toEqual(before.ideas.map((idea) => (idea.id === one.id ? { ...idea, done: true } : idea)));
      expect(tickRoadmap(result, one.id)).toBeUndefined();
    }),
    { numRuns: 50 * FUZZ },
  );
});

const line = fc.constantFrom(
  '- [ ] **a-1**: x',
  '- [x] b-2: y',
  '* [ ] **c-3**: z',
  '1. [ ] d-4: w',
  '2. [ ] **e-5**: v',
  '3) [ ] f-6: u',
  '- [ ] no id here',
  '  - [ ] **g-7**: t',
  '    - ralph: true',
  '  - ralph: true',
  ' - success: s',
  '- max_iterations: 3',
  '  - timeout: x',
  '- plain',
  '  text',
  'text',
  '# Head',
  '### Deep',
  '```',
  '  ```',
  '~~~',
  '<!--',
  '-->',
  '<!-- x -->',
  '<div>',
  '</div>',
  '<details>',
  '> quote',
  '> - [ ] **h-8**: q',
  '',
  '',
  '',
  '        - tags: a',
  '\t- cli: codex',
  '---',
  '===',
  '[x]',
  '- [',
  '- [-] **i-9**: r',
  '\u2028- [ ] **j-0**: s',
);
const soup = fc
  .tuple(fc.array(line, { maxLength: 30 }), fc.constantFrom('\n', '\r\n', '\r'))
  .map(([lines, eol]) => lines.join(eol));

it('means the same in pieces as in one', () => {
  const walked = (text: string, size: number) => {
    const walk = new Walk('r.md');
    let rebuilt = '';
    for (const chunk of chunks(text, size)) {
      rebuilt += chunk.text;
      walk.add(chunk);
    }
    expect(rebuilt).toBe(text);
    return { tasks: walk.tasks, headings: walk.headings, problems: walk.problems };
  };
  fc.assert(
    fc.property(soup, fc.integer({ min: 1, max: 60 }), (text, size) => {
      expect(walked(text, size)).toEqual(walked(text, Number.POSITIVE_INFINITY));
    }),
    { numRuns: 300 * FUZZ },
  );
});

it.each(['-', '1.', '#2.'])('a long roadmap comes in small pieces: %s', (style) => {
  const bullet = (i: number) => (style === '#2.' ? `${i + 2}.` : style);
  const tasks = Array.from({ length: 2000 }, (_, i) => `${bullet(i)} [ ] **task-${i}**: do it\n   - ralph: true\n`);
  const pieces = [...chunks(`# Plan\n\n${tasks.join('')}`)];
  expect(Math.max(...pieces.map((piece) => piece.text.length))).toBeLessThan(8192);
});

it('throws nothing but BacklogError, and its ideas are sound', async () => {
  const text = fc.oneof({ weight: 3, arbitrary: soup }, fc.string({ unit: 'binary', maxLength: 200 }));
  await fc.assert(
    fc.asyncProperty(text, async (source) => {
      try {
        const { ideas } = await readBacklog('r.md', { text: source });
        expect(new Set(ideas.map((idea) => idea.id)).size).toBe(ideas.length);
        for (const idea of ideas) {
          expect(idea.id).toMatch(IDEA_ID);
          expect(idea.title).toMatch(/^\S(?:.*\S)?$/u);
        }
      } catch (error) {
        expect(error).toBeInstanceOf(BacklogError);
        const total = source.split(/\r\n?|\n/).length;
        for (const problem of (error as BacklogError).problems) {
          expect(problem.line).toBeGreaterThan(0);
          expect(problem.line).toBeLessThanOrEqual(total);
        }
      }
    }),
    { numRuns: 200 * FUZZ },
  );
});

it('survives deep nesting', async () => {
  for (const text of [`${'> '.repeat(1000)}- [ ] x`, `${'- '.repeat(1000)}[ ] x`, `- [ ] a ${'*'.repeat(5000)}`]) {
    const result = await readBacklog('r.md', { text }).catch((e: unknown) => e);
    if (result instanceof Error) expect(result).toBeInstanceOf(BacklogError);
  }
}, 60_000);
