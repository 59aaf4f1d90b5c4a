import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BacklogError, readBacklog } from '../../../src/backlog/index.js';

const fixture = new URL('../../fixtures/backlog/ideas.yaml', import.meta.url).pathname;
const errors = async (text: string, file = 'i.yaml'): Promise<string> => {
  const error = await readBacklog(file, { text }).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(BacklogError);
  return (error as BacklogError).message;
};

describe('ideas.yaml', () => {
  it('reads hierarchy, plans and limits', async () => {
    const { ideas, format } = await readBacklog(fixture);
    expect(format).toBe('ideas');
    const rest = { tags: [], dependsOn: [], done: false, ralph: true, success: [], allowEmpty: false, blue: false };
    expect(ideas).toEqual([
      {
        ...rest,
        id: 'accounts',
        title: 'Accounts',
        text: 'Accounts',
        blue: true,
        tags: ['critical'],
        source: { file: fixture, line: 4 },
      },
      {
        ...rest,
        id: 'sign-in',
        title: 'Sign in',
        text: 'Sign in with a password.\n\nKeep the session for a day.',
        parent: 'accounts',
        success: ['401 for a wrong password', '5 tests'],
        maxIterations: 12,
        timeoutMinutes: 90,
        iterationTimeoutMinutes: 0.5,
        promise: 'SIGN_IN_DONE',
        requireXml: false,
        agent: 'codex',
        plan: [
          {
            name: 'API',
            steps: [
              { id: '1.1', text: 'Write the route' },
              { id: 'tests', text: 'Write the tests' },
            ],
          },
          { name: 'UI', steps: [{ id: '2.1', text: 'Write the form' }] },
        ],
        source: { file: fixture, line: 8 },
      },
      {
        ...rest,
        id: 'sign-out',
        title: 'Sign out',
        text: 'Sign out',
        parent: 'accounts',
        dependsOn: ['sign-in'],
        done: true,
        source: { file: fixture, line: 29 },
      },
      {
        ...rest,
        id: 'survey',
        title: 'Find out what is slow',
        text: 'Find out what is slow\nand write it down.',
        ralph: false,
        allowEmpty: true,
        dependsOn: ['accounts'],
        source: { file: fixture, line: 30 },
      },
      { ...rest, id: 'later', title: 'Later', text: 'Later', blue: true, source: { file: fixture, line: 37 } },
    ]);
  });

  it('puts a title that the text does not start with in front of it', async () => {
    const { ideas } = await readBacklog('i.yaml', { text: '- {id: a, title: Rename it, text: Everywhere.}' });
    expect(ideas[0]?.text).toBe('Rename it\n\nEverywhere.');
  });

  it('reads a bare list, JSON, and an empty backlog', async () => {
    const text = '[{"id": "a", "title": "A"}, {"id": "b", "title": "B", "parent": "a"}]';
    for (const file of ['i.json', 'i.yaml', 'noending']) {
      const { ideas } = await readBacklog(file, { text });
      expect(ideas.map(({ id, blue, parent }) => [id, blue, parent])).toEqual([
        ['a', true, undefined],
        ['b', false, 'a'],
      ]);
    }
    expect((await readBacklog('i.yaml', { text: 'ideas: []' })).ideas).toEqual([]);
  });

  it.each([
    [
      'ideas:\n  - id: a\n    title: A\n    dependson: [b]\n',
      'i.yaml:4: unknown key "dependson" in ideas[0]; did you mean "dependsOn"?',
    ],
    [
      '- id: a\n  title: A\n  children:\n    - id: b\n      titel: B\n',
      'i.yaml:5: unknown key "titel" in [0].children[0]; did you mean "title"?',
    ],
    ['idees: []', 'i.yaml:1: ideas is missing\ni.yaml:1: unknown key "idees"; did you mean "ideas"?'],
    ['- title: A\n', 'i.yaml:1: [0].id is missing'],
    ['- id: 007\n  title: A\n', 'i.yaml:1: [0].id must be text, not 7; put it in quotes: "007"'],
    [
      '- id: a b\n  title: A\n',
      'i.yaml:1: [0].id cannot be an id: use letters, digits, ".", "_" and "-" (at most 64), starting with a letter or digit',
    ],
    ['- id: a\n', 'i.yaml:1: "a" has neither title nor text; describe the task: title: …'],
    ['- id: a\n  title: A\n  maxIterations: lots\n', 'i.yaml:3: [0].maxIterations must be a number, not text ("lots")'],
    [
      '- id: a\n  text: A\n  description: B\n',
      'i.yaml:3: "a" has text and description, which mean the same; keep one of them',
    ],
    [
      '- id: a\n  title: A\n  children:\n    - id: b\n      title: B\n      parent: c\n- {id: c, title: C}',
      'i.yaml:6: "b" is a child of "a" and names the parent "c"; keep one of them',
    ],
    [
      '- id: a\n  title: A\n  plan:\n    phases:\n      - name: p\n        steps:\n          - x\n          - {id: "1.1", text: y}\n',
      'i.yaml:8: the plan has two steps with the id "1.1"',
    ],
    [
      '- id: a\n  title: A\n- id: A\n  title: B\n',
      'i.yaml:3: the id "A" differs only in case from "a" on line 1; some file systems treat them as one; give one of them another id',
    ],
    [
      '- id: a\n  title: A\n  dependsOn: [task1]\n- id: task-12\n  title: B\n',
      'i.yaml:1: "a" depends on "task1", which is not in this backlog; did you mean "task-12"?',
    ],
    [
      '- {id: a, title: A, kind: green, children: [{id: b, title: B}]}',
      'i.yaml:1: "a" has children, so it cannot be green; remove "kind" or the children',
    ],
  ])('%j', async (text, message) => {
    expect(await errors(text)).toBe(message);
  });

  it('JSON must be JSON', async () => {
    expect(await errors('{"ideas": [\n  {"id": "a", "title": "A"},\n]}', 'i.json')).toBe(
      'i.json:3: not valid JSON: unexpected "]"; JSON has no comments and no trailing commas',
    );
    expect(await errors('{"ideas": [\n  {"id": "a", "title": 3}\n]}', 'i.json')).toBe(
      'i.json:2: ideas[0].title must be text, not 3; put it in quotes: "3"',
    );
  });

  it('throws nothing but BacklogError, whatever the text', async () => {
    const snippet = fc.constantFrom(
      'ideas:\n',
      '- id: a\n',
      '  title: A\n',
      '  children:\n',
      '    - id: b\n',
      '  dependsOn: [a, b]\n',
      '&x ',
      '*x',
      '{',
      '}',
      '[',
      ']',
      '\t',
      '? ',
      '<<: ',
      '__proto__: 1\n',
      '---\n',
    );
    const text = fc.oneof(
      fc.array(snippet).map((s) => s.join('')),
      fc.json(),
      fc.string({ unit: 'binary' }),
    );
    await fc.assert(
      fc.asyncProperty(text, fc.constantFrom('i.yaml', 'i.json', 'plain'), async (source, file) => {
        const result = await readBacklog(file, { text: source }).catch((e: unknown) => e);
        if (result instanceof Error) expect(result).toBeInstanceOf(BacklogError);
      }),
      { numRuns: 300 },
    );
  });

  it('survives deep nesting', async () => {
    const deep = `${'[{"id":"a","title":"A","children":'.repeat(20_000)}[]${'}]'.repeat(20_000)}`;
    expect(await errors(deep, 'i.json')).toMatch(/^i\.json:1: /);
  });
});
