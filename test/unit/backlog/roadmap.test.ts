import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { BacklogError, readBacklog } from '../../../src/backlog/index.js';
import type { Idea } from '../../../src/protocol/idea.js';

const read = async (text: string): Promise<Idea[]> => (await readBacklog('r.md', { text })).ideas;
const one = async (text: string): Promise<Idea> => {
  const ideas = await read(text);
  expect(ideas).toHaveLength(1);
  return ideas[0] as Idea;
};
const errors = async (text: string): Promise<string> => {
  const error = await readBacklog('r.md', { text }).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(BacklogError);
  return (error as BacklogError).message;
};

describe('the documented format', () => {
  it('reads a whole file', async () => {
    const file = new URL('../../fixtures/backlog/roadmap.md', import.meta.url).pathname;
    const backlog = await readBacklog(file);
    expect(backlog.format).toBe('roadmap');
    expect(backlog.sha256).toMatch(/^[0-9a-f]{64}$/);
    const ideas = new Map(backlog.ideas.map((idea) => [idea.id, idea]));
    expect([...ideas.keys()]).toEqual([
      'task-001',
      'task-002',
      'task-003',
      'tidy-up-the-readme',
      'epic-1',
      'rep-1',
      'rep-2',
    ]);
    const lines = (await readFile(file, 'utf8')).split('\n');
    expect(ideas.get('task-001')).toEqual({
      id: 'task-001',
      title: 'Implement user sign-in with tests',
      text: 'Implement user sign-in with tests',
      phase: 'Phase 1: Implementation',
      blue: false,
      dependsOn: [],
      tags: [],
      done: false,
      ralph: true,
      maxIterations: 12,
      iterationTimeoutMinutes: 60,
      promise: 'SIGN_IN_DONE',
      success: ['All tests pass, coverage > 80%'],
      agent: 'codex',
      allowEmpty: false,
      source: { file, line: lines.findIndex((line) => line.includes('**task-001**')) + 1 },
    });
    expect(ideas.get('task-002')).toMatchObject({ done: true, ralph: false, dependsOn: [] });
    expect(ideas.get('task-002')?.title).toBe('Write the schema over two lines');
    expect(ideas.get('task-002')?.text).toBe(
      [
        'Write the **schema**',
        '    over two lines',
        '',
        'Use this table:',
        '',
        '```sql',
        'create table t (',
        '  id int -- - [ ] **task-995**: in code',
        ');',
        '```',
        '',
        '- Note: keep the old columns',
        '- see https://example.org/x',
      ].join('\n'),
    );
    expect(ideas.get('task-003')).toMatchObject({
      title: 'Speed up',
      phase: 'Phase 2: Polish',
      dependsOn: ['task-001', 'task-002'],
      success: ['under 50 ms', 'no `N+1` queries'],
      tags: ['quick-win', 'perf'],
      timeoutMinutes: 90,
      allowEmpty: true,
      requireXml: false,
    });
    expect(ideas.get('tidy-up-the-readme')).toMatchObject({ dependsOn: ['task-003'], title: 'Tidy up the README' });
    expect(ideas.get('epic-1')).toMatchObject({ blue: true });
    expect(ideas.get('epic-1')?.text).toBe('Reports\n* [ ] a checklist entry that belongs to the text');
    expect(ideas.get('rep-1')).toMatchObject({ parent: 'epic-1', dependsOn: ['rep-2'], blue: false });
    expect(ideas.get('rep-2')).toMatchObject({ parent: 'epic-1', done: true });
  });

  it.each([
    ['bold', '- [ ] **task-1**: do it'],
    ['bold with the colon inside', '- [ ] **task-1:** do it'],
    ['all bold', '- [ ] **task-1: do it**'],
    ['code', '- [ ] `task-1`: do it'],
    ['plain', '- [ ] task-1: do it'],
    ['dash', '- [ ] **task-1** - do it'],
    ['long dash', '- [ ] **task-1** — do it'],
    ['link', '- [ ] [task-1](https://example.org): do it'],
    ['tab', '-\t[ ]\t**task-1**:\tdo it'],
    ['escaped', '- [ ] **task\\-1**: do it'],
    ['plus', '+ [ ] **task-1**: do it'],
    ['numbered', '7. [ ] **task-1**: do it'],
    ['BOM', '\uFEFF- [ ] **task-1**: do it'],
    ['CR', '# T\r\r- [ ] **task-1**: do it\r'],
    ['in a group bullet', '- Backend\n  - [ ] **task-1**: do it'],
    ['with id property', '- [ ] do it\n  - id: task-1'],
    ['shadowed by a link definition', '- [x] **task-1**: do it\n\n[x]: https://example.org'],
  ])('finds the id: %s', async (_, text) => {
    expect(await one(text)).toMatchObject({ id: 'task-1', title: 'do it' });
  });

  it.each([
    ['Fix: the thing', 'fix-the-thing'],
    ['**Important** rename the `x` flag', 'important-rename-the-x-flag'],
    ['**Add a login page**: with tests', 'add-a-login-page-with-tests'],
    ['Café für alle', 'cafe-fur-alle'],
  ])('makes an id of %j', async (text, id) => {
    expect((await one(`- [ ] ${text}`)).id).toBe(id);
  });

  it('keeps promise tags in title and text', async () => {
    const idea = await one('- [ ] **a-1**: Do X. Output <promise>X_DONE</promise> when green. <!-- todo -->');
    expect(idea.title).toBe('Do X. Output <promise>X_DONE</promise> when green.');
    expect(idea.text).toBe('Do X. Output <promise>X_DONE</promise> when green.');
  });

  it('takes the title from the text below when the line has none', async () => {
    expect(await one('- [ ] **a-1**:\n\n  First words.\n\n  More.')).toMatchObject({
      title: 'First words.',
      text: 'First words.\n\nMore.',
    });
  });
});

describe('properties', () => {
  it.each([
    ['45', 45],
    ['60min', 60],
    ['1h', 60],
    ['90 s', 1.5],
    ['1h30m', 90],
    ['1.5 hours', 90],
    ['`20m`', 20],
  ])('timeout %s', async (value, minutes) => {
    expect((await one(`- [ ] **a-1**: x\n  - timeout: ${value}`)).iterationTimeoutMinutes).toBe(minutes);
  });

  it.each([
    'max_iterations: 7',
    'max-iterations: 7',
    'Max Iterations: 7',
    'MAX_ITERATIONS: 7',
    '**max_iterations**: 7',
    '`max_iterations`: `7`',
    'max\\_iterations: 7',
    'max_iterations:7',
    'maxIterations: "7"',
  ])('is the same: %s', async (line) => {
    expect((await one(`- [ ] **a-1**: x\n  - ${line}`)).maxIterations).toBe(7);
  });

  it.each([
    ['one blank too few', '- [ ] **a-1**: x\n - ralph: true\n - tags: t'],
    ['too few below a number', '1. [ ] **a-1**: x\n  - ralph: true\n  - tags: t'],
    ['far too many', '- [ ] **a-1**: x\n        - ralph: true\n        - tags: t'],
    ['far too many after an empty line', '- [ ] **a-1**: x\n\n        - ralph: true\n        - tags: t'],
    ['tabs', '- [ ] **a-1**: x\n\t- ralph: true\n\t- tags: t'],
    ['other bullets', '* [ ] **a-1**: x\n  - ralph: true\n  + tags: t'],
    ['empty lines between', '- [ ] **a-1**: x\n\n  - ralph: true\n\n  - tags: t\n'],
    ['CRLF', '- [ ] **a-1**: x\r\n  - ralph: true\r\n  - tags: t\r\n'],
  ])('survive odd indentation: %s', async (_, text) => {
    expect(await one(text)).toMatchObject({ id: 'a-1', title: 'x', text: 'x', ralph: true, tags: ['t'] });
  });

  it('below a nested task belong to that one', async () => {
    const ideas = await read('- [ ] **a-1**: x\n  1. [ ] **b-1**: y\n    - ralph: true\n');
    expect(ideas.map((idea) => [idea.id, idea.ralph])).toEqual([
      ['a-1', false],
      ['b-1', true],
    ]);
  });

  it('success and depends may repeat', async () => {
    const text =
      '- [ ] **a-1**: x\n  - success: one, two\n  - success:\n    - three\n  - depends: b-1\n  - depends_on: [c-1]\n- [ ] **b-1**: y\n- [ ] **c-1**: z';
    expect((await read(text))[0]).toMatchObject({ success: ['one, two', 'three'], dependsOn: ['b-1', 'c-1'] });
  });
});

describe('problems', () => {
  it.each([
    [
      '- [ ] **a-1**: x\n  - max_iteration: 5',
      'r.md:2: unknown property "max_iteration"; did you mean "max_iterations"? (if this is text, start it with a capital letter)',
    ],
    [
      '- [ ] **a-1**: x\n  - Tiemout: 5',
      'r.md:2: unknown property "Tiemout"; did you mean "timeout"? (if this is text, start it with a capital letter)',
    ],
    [
      '- [ ] **a-1**: x\n  - ralph: true\n  - max_iterations: lots',
      'r.md:3: property "max_iterations" must be a whole number from 1 to 10000, not "lots"',
    ],
    ['- [ ] **a-1**: x\n  - ralph: maybe', 'r.md:2: property "ralph" must be true or false, not "maybe"'],
    [
      '- [ ] **a-1**: x\n  - timeout: soon',
      'r.md:2: property "timeout" must be a duration such as 45, 60min, 1h or 90 s (at most a week), not "soon"',
    ],
    ['- [ ] **a-1**: x\n  - cli: a\n  - cli: b', 'r.md:3: property "cli" already exists on line 2; keep one of them'],
    ['- [ ] **a-1**: x\n  - cli:\n    - b', 'r.md:2: property "cli" takes one value, not a list'],
    [
      '- [ ] **a-1**: x\n- ralph: true',
      'r.md:2: property "ralph" is beside its task, not below it; indent it by two spaces',
    ],
    [
      '- [ ] **a-1**: x\n- [ ] **a-1**: y',
      'r.md:2: the id "a-1" already exists on line 1; give one of them another id',
    ],
    ['- [ ] **a-1**: x\n  - id: a-2', 'r.md:1: this task has two ids: "a-1" and "a-2"; keep one'],
    [
      '- [ ] **a/1**: x',
      'r.md:1: "a/1" cannot be an id; use letters, digits, ".", "_" and "-" (at most 64), starting with a letter or digit',
    ],
    ['- [ ] **a-1**:', 'r.md:1: this task has no text; describe the task after the checkbox'],
    ['- [ ]', 'r.md:1: this task has no text; describe the task after the checkbox'],
    [
      '- [-] **a-1**: x\n- [ ] **a-2**: y',
      'r.md:1: "[-]" is not a checkbox; write [ ] for an open task, [x] for a done one',
    ],
    [
      '- [] **a-1**: x\n- [ ] **a-2**: y',
      'r.md:1: "[]" is not a checkbox; write [ ] for an open task, [x] for a done one',
    ],
    [
      '- [ ] **a-1**: x\n-[ ] **a-2**: y',
      'r.md:2: a checkbox needs a blank before its brackets; write: - [ ] **a-2**: y',
    ],
    [
      '*[x] **a-1**: x\n\n```\n-[ ] no task\n```\n- [ ] **a-2**: y',
      'r.md:1: a checkbox needs a blank before its brackets; write: * [x] **a-1**: x',
    ],
    [
      '# A\n- [ ] **a-1**: x\n\n# B\n- [ ] all green',
      'r.md:5: this task has no id; give it one: - [ ] **all-green**: …, or remove the checkbox if it is not a task',
    ],
    [
      '- [ ] same\n- [ ] Same!',
      'r.md:2: this task and the one on line 1 would get the same id; give it one: - [ ] **same**: …',
    ],
    ['- [ ] 日本語', 'r.md:1: the text of this task gives no usable id; give it one: - [ ] **task-001**: …'],
    [
      '- [ ] **a-1**: x\n      - [ ] **b-1**: y',
      'r.md:2: this checkbox is indented too far to be a list item; indent it by two spaces',
    ],
    ['- [ ] **a-1**: x\n\n<!-- open\n\n- [ ] **b-1**: y\n', 'r.md:3: this comment is never closed; close it with -->'],
    [
      '- [ ] **a-1**: x\n\n<details>\n- [ ] **b-1**: y\n</details>',
      'r.md:3: Markdown does not read the checkbox in this block of HTML; put an empty line between the HTML and the list',
    ],
    [
      '- [ ] **a-1**: x\n  - [ ] **b-1**: y\n    - parent: c-1\n- [ ] **c-1**: z',
      'r.md:2: "b-1" is indented below "a-1" and names the parent "c-1"; keep one of them',
    ],
    ['# Only words', 'r.md:1: this file contains no task; a task looks like this: - [ ] **task-001**: what to do'],
  ])('%j', async (text, message) => {
    expect(await errors(text)).toBe(message);
  });

  it('are all told at once, in order', async () => {
    const text =
      '- [ ] **a-1**: x\n  - ralph: maybe\n  - depends: b-1, zz\n- [ ] **b-1**: y\n  - depends: a-1\n  - foo: 1\n';
    expect((await errors(text)).split('\n').map((line) => line.replace(/;.*/, ''))).toEqual([
      'r.md:1: "a-1" depends on "zz", which is not in this backlog',
      'r.md:1: dependency cycle: a-1 -> b-1 -> a-1',
      'r.md:2: property "ralph" must be true or false, not "maybe"',
      'r.md:6: unknown property "foo"',
    ]);
  });
});
