import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBacklog } from '../../../src/backlog/index.js';
import { tickBacklog } from '../../../src/backlog/mark.js';
import { tickIdeas, tickRoadmap } from '../../../src/backlog/tick.js';

describe('tickRoadmap', () => {
  it.each([
    ['- [ ] **a-1**: x\n- [ ] **a-10**: y\n', 'a-1', '- [x] **a-1**: x\n- [ ] **a-10**: y\n'],
    ['\uFEFF# T\r\n\r\n1. [ ] `a-1`: x\r\n', 'a-1', '\uFEFF# T\r\n\r\n1. [x] `a-1`: x\r\n'],
    ['- [ ] Add a page\n', 'add-a-page', '- [x] Add a page\n'],
    ['- [ ] do\n  - id: a-1\n', 'a-1', '- [x] do\n  - id: a-1\n'],
    ['```\n- [ ] **a-1**: x\n```\n\n- [ ] **a-1**: x', 'a-1', '```\n- [ ] **a-1**: x\n```\n\n- [x] **a-1**: x'],
    ['- [ ] **e-1**: x\n  - [ ] **a-1**: y', 'a-1', '- [ ] **e-1**: x\n  - [x] **a-1**: y'],
    ['- [ ] re**try** it\n', 'retry-it', '- [x] re**try** it\n'],
    // Problems elsewhere in the file must not keep a landed task from its tick.
    ['- [ ] **a-1**: x\n  - nonsense: 1\n', 'a-1', '- [x] **a-1**: x\n  - nonsense: 1\n'],
  ])('%j', (text, id, expected) => {
    expect(tickRoadmap(text, id)).toBe(expected);
  });

  it.each([
    ['done already', '- [x] **a-1**: x', 'a-1'],
    ['not there', '- [ ] **a-1**: x', 'a-2'],
    ['there twice', '- [ ] **a-1**: x\n- [ ] **a-1**: y', 'a-1'],
    ['only in code', '```\n- [ ] **a-1**: x\n```', 'a-1'],
  ])('leaves it alone: %s', (_, text, id) => {
    expect(tickRoadmap(text, id)).toBeUndefined();
  });
});

describe('tickIdeas', () => {
  it.each([
    ['- id: a\n  title: A\n', '- id: a\n  done: true\n  title: A\n'],
    [
      'ideas:\r\n  - title: A # t\r\n    id: a # i\r\n',
      'ideas:\r\n  - title: A # t\r\n    id: a # i\r\n    done: true\r\n',
    ],
    ['- id: a\n  title: A\n  done: false # not yet\n', '- id: a\n  title: A\n  done: true # not yet\n'],
    ['- {id: a, title: A} # x\n', '- {id: a, done: true, title: A} # x\n'],
    ['- title: A\n  id: a', '- title: A\n  id: a\n  done: true'],
    ['\uFEFF- id: "a"\n  title: A\n', '\uFEFF- id: "a"\n  done: true\n  title: A\n'],
    [
      '- title: P\n  id: p\n  children:\n  - id: a\n    title: A\n',
      '- title: P\n  id: p\n  children:\n  - id: a\n    done: true\n    title: A\n',
    ],
  ])('YAML %j', (text, expected) => {
    expect(tickIdeas(text, 'a', 'yaml')).toBe(expected);
  });

  it.each([
    ['[{"id":"a","title":"A"}]', '[{"id":"a","done":true,"title":"A"}]'],
    ['{"ideas": [{"id": "a", "title": "A"}]}\n', '{"ideas": [{"id": "a", "done": true, "title": "A"}]}\n'],
    [
      '[\n\t{\n\t\t"id": "a",\n\t\t"title": "A"\n\t}\n]\n',
      '[\n\t{\n\t\t"id": "a",\n\t\t"done": true,\n\t\t"title": "A"\n\t}\n]\n',
    ],
    ['[{"title": "A", "done": false, "id": "a"}]', '[{"title": "A", "done": true, "id": "a"}]'],
  ])('JSON %j', (text, expected) => {
    expect(tickIdeas(text, 'a', 'json')).toBe(expected);
  });

  it('falls back to the document model for odd YAML', () => {
    const ticked = tickIdeas('# top\n- ? id\n  : a\n  ? title\n  : A # t\n', 'a', 'yaml');
    expect(ticked).toContain('# top');
    expect(ticked).toContain('# t');
    expect(ticked).toMatch(/done/);
  });

  it.each([
    ['done already', '- {id: a, title: A, done: true}'],
    ['not there', '- {id: b, title: A}'],
    ['broken', '- {id: a'],
    ['no ideas', '42'],
  ])('leaves it alone: %s', (_, text) => {
    expect(tickIdeas(text, 'a', 'yaml')).toBeUndefined();
  });

  it('changes nothing but that idea, in any layout', async () => {
    const word = fc.string({ unit: fc.constantFrom(...'abc:# -"'), minLength: 1, maxLength: 8 }).map((s) => `T${s}`);
    const item = fc.record({
      title: word,
      tags: fc.array(word, { maxLength: 2 }),
      done: fc.option(fc.boolean(), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(item, { minLength: 1, maxLength: 5 }),
        fc.nat(),
        fc.constantFrom(undefined, 1, 4, '\t'),
        async (items, pick, space) => {
          const ideas = items.map((one, i) => ({ ...one, id: `i${i}` }));
          const text = JSON.stringify({ ideas }, null, space);
          const at = pick % ideas.length;
          const ticked = tickBacklog('i.json', text, `i${at}`);
          if (ideas[at]?.done) {
            expect(ticked).toBeUndefined();
            return;
          }
          const before = await readBacklog('i.json', { text });
          const after = await readBacklog('i.json', { text: ticked ?? '' });
          const plain = (list: typeof before.ideas) => list.map((idea) => ({ ...idea, source: undefined }));
          expect(plain(after.ideas)).toEqual(
            plain(before.ideas.map((idea, i) => (i === at ? { ...idea, done: true } : idea))),
          );
        },
      ),
      { numRuns: 100 },
    );
  });

  it('keeps every other line of a commented file', async () => {
    const text = await readFile(new URL('../../fixtures/backlog/ideas.yaml', import.meta.url), 'utf8');
    const ticked = tickBacklog('ideas.yaml', text, 'sign-in')?.split('\n') ?? [];
    const added = ticked.indexOf('        done: true');
    expect(ticked[added - 1]).toBe('      - id: sign-in');
    expect(ticked.toSpliced(added, 1).join('\n')).toBe(text);
  });
});
