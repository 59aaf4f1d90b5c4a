/** A backlog of another tool becomes a roadmap or an ideas file without loss; what is unclear is named. Features: F5. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBacklog } from '../../../src/backlog/index.js';
import { unclear } from '../../../src/backlog/unclear.js';
import { written } from '../../../src/backlog/write.js';
import type { Idea } from '../../../src/protocol/idea.js';
import { FIXTURES, pathOf } from './fixtures.js';

const facts = (ideas: readonly Idea[]) =>
  ideas.map(({ id, title, blue, done, parent, dependsOn, tags, success, ralph, priority }) => ({
    ...{ id, title, blue, done, parent, dependsOn, tags, success, ralph, steps: priority?.steps ?? 0 },
  }));

describe.each(FIXTURES)('F5 $folder converted', (fixture) => {
  it.each([
    ['ideas', 'ideas.yaml'],
    ['roadmap', 'roadmap.md'],
  ] as const)('to %s', async (target, file) => {
    const { ideas } = await readBacklog(pathOf(fixture));
    const text = await written(ideas, target);
    const again = await readBacklog(file, { text });
    expect(again.format).toBe(target);
    expect(facts(again.ideas)).toEqual(facts(ideas));
    for (const [at, { text: body, title }] of ideas.entries())
      for (const word of body.slice(title.length).match(/[A-Za-z]{4,}/g) ?? [])
        expect(again.ideas[at]?.text).toContain(word);
  });
});

describe('F5 conversion', () => {
  it('keeps any text, or says which idea cannot be written', async () => {
    const line = fc.constantFrom(
      'plain',
      '- [ ] **b-1**: x',
      '- name: value',
      '```',
      '# h',
      '<!-- c',
      '  deep',
      '',
      '1. one',
      'a: b',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 6 }), async (lines) => {
        const body = lines.join('\n');
        const story = { id: 'a-1', title: 'Do it', description: body, passes: false };
        const { ideas } = await readBacklog('prd.json', { text: JSON.stringify({ userStories: [story] }) });
        for (const target of ['ideas', 'roadmap'] as const) {
          const text = await written(ideas, target).catch((error: Error) => error);
          if (text instanceof Error) {
            expect(text.message).toContain('a-1 cannot be written');
            continue;
          }
          const [again] = (await readBacklog(target === 'ideas' ? 'ideas.yaml' : 'roadmap.md', { text })).ideas;
          const words = (some: string) => some.match(/[a-z]{2,}/g) ?? [];
          expect(words(again?.text ?? '')).toEqual(expect.arrayContaining(words(body)));
        }
      }),
      { numRuns: 80 },
    );
  });
});

describe('F5 unclear ideas', () => {
  const idea = (more: Partial<Idea>): Idea => ({
    ...{ id: 'a', title: 'Fix it', text: 'Fix it', blue: false, dependsOn: [], tags: [], done: false, ralph: true },
    ...{ success: [], allowEmpty: false, source: { file: 'x', line: 1 } },
    ...more,
  });
  it.each<[Partial<Idea>, string[]]>([
    [{}, ['its text is too short to work from', 'it has no success criteria']],
    [
      { text: 'Make the page nicer, and so on, for readers' },
      ['its text is vague: "nicer"', 'it has no success criteria'],
    ],
    [{ text: 'Fix it\n\nfix it.', success: ['it works'] }, ['its text only repeats its title']],
    [{ text: 'Books must survive a restart of the server' }, []],
    [{ text: 'Keep books in one JSON file', success: ['a test restarts'] }, []],
    [{ done: true }, []],
    [{ blue: true }, []],
  ])('%j', (more, reasons) => {
    expect(unclear(idea(more))).toEqual(reasons);
  });
});
