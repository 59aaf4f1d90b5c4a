/** Backlogs of other tools are read without loss and written back byte for byte. Features: F5. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBeside } from '../../../src/backlog/beside.js';
import { FORMATS } from '../../../src/backlog/formats/registry.js';
import { BacklogError, readBacklog } from '../../../src/backlog/index.js';
import { tickBacklog } from '../../../src/backlog/mark.js';
import { FORMAT_NAMES } from '../../../src/protocol/backlog-formats.js';
import type { Idea } from '../../../src/protocol/idea.js';
import { FIXTURES, markedFile, NOW, pathOf, textOf, withMark } from './fixtures.js';

/** `id < what it waits for, in parent, priority; done`. */
const line = ({ id, dependsOn, parent, priority, done, blue }: Idea): string =>
  [
    `${blue ? 'Blue ' : ''}${id}`,
    ...(dependsOn.length > 0 ? [`after ${dependsOn.join(' ')}`] : []),
    ...(parent === undefined ? [] : [`in ${parent}`]),
    ...(priority === undefined ? [] : [`${priority.said}=${priority.steps}`]),
    ...(done ? ['done'] : []),
  ].join(', ');

const EXPECTED: Record<string, { ideas: string[]; leftOut?: string[] }> = {
  prd: { ideas: ['reading-status.US-001, 1=-1', 'reading-status.US-002, after reading-status.US-001, 2=-2'] },
  'prd-tui': {
    ideas: [
      'reading-list.US-001, 1=-1',
      'reading-list.US-002, after reading-list.US-001, 2=-2',
      'reading-list.US-003, 2=-2, done',
    ],
  },
  beads: {
    ideas: [
      'Blue list-7f2, 1=1',
      'list-7f2.1, in list-7f2, 0=2',
      'list-7f2.2, after list-7f2.1, in list-7f2, 2=0',
      'list-a1c, 2=0, done',
    ],
    leftOut: [
      'list-b90: its status is deferred; to run it: bd update list-b90 --status open',
      'list-c33: it waits for list-b90, which is left out',
    ],
  },
  'fix-plan': {
    ideas: [
      'set-up-the-project-structure-and-the-build, High Priority=1',
      expect.stringMatching(/^store-books-in-a-file-that-survives-a-restart-[0-9a-f]{6}, High Priority=1$/) as string,
      'show-the-list, Medium Priority=0',
      'print-the-list, Optional=-2',
      'project-initialization, done',
    ],
  },
  'ralphy-md': {
    ideas: [
      'write-the-list-down',
      'print-the-list-twice, after write-the-list-down',
      'write-the-readme, after print-the-list-twice, done',
    ],
  },
  ralphy: {
    ideas: [
      'create-the-list',
      'show-the-list, after create-the-list',
      'print-the-list, after create-the-list',
      'write-the-readme, after show-the-list print-the-list, done',
    ],
  },
  ralphex: { ideas: ['reading-list.task-1', 'reading-list.task-2.5, after reading-list.task-1'] },
  fitchmultz: {
    ideas: ['RQ-0002, high=1', 'RQ-0003, after RQ-0002, medium=0'],
    leftOut: ['RQ-0004: it is a draft; to run it, write "status": "todo"', 'RQ-0005: it is rejected'],
  },
  orchestrator: {
    ideas: [
      'task-1737367200-0a1b, 1=2',
      'task-1737367260-0a1c, after task-1737367200-0a1b, 3=0',
      'task-1737367320-0a1d, 3=0, done',
    ],
    leftOut: ['task-1737367380-0a1e: its status is failed; to run it, write "status":"open"'],
  },
  taskmaster: {
    ideas: [
      '1, high=1, done',
      'Blue 2, after 1, high=1',
      '2.1, in 2, high=1',
      '2.2, after 2.1, in 2, high=1',
      '3, after 2, medium=0',
      'feature-share.1, low=-1',
    ],
    leftOut: ['4: it is cancelled', '5: its status is deferred; to run it: task-master set-status --status=pending'],
  },
  'spec-kit': {
    ideas: [
      '001-reading-list.T001, done',
      '001-reading-list.T002, after 001-reading-list.T001',
      '001-reading-list.T003, after 001-reading-list.T001',
      '001-reading-list.T004, after 001-reading-list.T002 001-reading-list.T003',
      '001-reading-list.T005, after 001-reading-list.T004',
    ],
  },
  kiro: {
    ideas: [
      'reading-list.1, done',
      'Blue reading-list.2',
      'reading-list.2.1, after reading-list.1, in reading-list.2',
      'reading-list.2.2, after reading-list.2.1, in reading-list.2, optional=-2',
      'reading-list.3, after reading-list.2.1',
    ],
  },
  openspec: {
    ideas: [
      'add-reading-list.1.1, done',
      'add-reading-list.1.2, after add-reading-list.1.1',
      'add-reading-list.1.3, after add-reading-list.1.2',
      'add-reading-list.2.1, after add-reading-list.1.3',
    ],
  },
  'backlog-md': {
    ideas: ['task-1, high=1', 'task-2, after task-1, low=-1', 'task-3, done'],
  },
};

describe.each(FIXTURES)('F5 $folder/$file', (fixture) => {
  const { folder, format, idea } = fixture;

  it('is detected, and nothing is lost', async () => {
    const backlog = await readBacklog(pathOf(fixture));
    expect(backlog.format).toBe(format);
    expect(backlog.ideas.map(line)).toEqual(EXPECTED[folder]?.ideas);
    expect(backlog.leftOut.map(({ id, why }) => `${id}: ${why}`)).toEqual(EXPECTED[folder]?.leftOut ?? []);
    expect(backlog.ideas.every(({ ralph, source }) => ralph && source.line > 0)).toBe(true);
  });

  it('is written back with the mark of the idea and not a byte more', async () => {
    const text = await textOf(fixture);
    const file = markedFile(fixture);
    const beside = await readBeside(FORMATS[format], file);
    const marked = tickBacklog(file, text, idea, { format, beside, now: NOW });
    expect(marked).toBe(withMark(text, fixture));
    // Once only, and with the line ends and the byte order mark of the file.
    expect(tickBacklog(file, marked ?? '', idea, { format, beside })).toBeUndefined();
    const windows = `\uFEFF${text.replaceAll('\n', '\r\n')}`;
    expect(tickBacklog(file, windows, idea, { format, beside, now: NOW })).toBe(
      `\uFEFF${withMark(text, fixture).replaceAll('\n', '\r\n')}`,
    );
  });

  it('opens again what it marked', async () => {
    const text = await textOf(fixture);
    const file = markedFile(fixture);
    const beside = await readBeside(FORMATS[format], file);
    const marked = tickBacklog(file, text, idea, { format, beside, now: NOW }) ?? '';
    const again = tickBacklog(file, marked, idea, { format, beside, done: false, now: NOW }) ?? '';
    const before = await readBacklog(file, { text, format });
    const plain = (ideas: readonly Idea[]) => ideas.map((one) => ({ ...one, source: undefined }));
    expect(plain((await readBacklog(file, { text: again, format })).ideas)).toEqual(
      // A box of ralphex that was ticked before is not known any more.
      plain(before.ideas),
    );
  });

  it('keeps every other idea, whichever is marked and however the file is damaged', async () => {
    const text = await textOf(fixture);
    const file = markedFile(fixture);
    const cut = fc.record({ at: fc.nat(text.length), length: fc.nat(40), put: fc.string({ maxLength: 12 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(cut, { maxLength: 3 }), fc.nat(), async (cuts, pick) => {
        const damaged = cuts.reduce(
          (old, { at, length, put }) => old.slice(0, at) + put + old.slice(at + length),
          text,
        );
        const before = await readBacklog(file, { text: damaged, format }).catch((error: unknown) => error);
        if (before instanceof Error || !('ideas' in (before as object))) {
          expect(before).toBeInstanceOf(BacklogError);
          return;
        }
        const { ideas } = before as Awaited<ReturnType<typeof readBacklog>>;
        const wanted = ideas[pick % Math.max(1, ideas.length)];
        if (!wanted) return;
        const marked = tickBacklog(file, damaged, wanted.id, { format, now: NOW });
        if (wanted.done) expect(marked).toBeUndefined();
        if (marked === undefined) return;
        const after = await readBacklog(file, { text: marked, format });
        const states = (list: readonly Idea[]) => list.map(({ id, title, done }) => [id, title, done]);
        expect(states(after.ideas)).toEqual(
          states(ideas.map((one) => (one.id === wanted.id ? { ...one, done: true } : one))),
        );
      }),
      { numRuns: 60 },
    );
  });
});

describe('F5 a task that was ticked before its turn', () => {
  const waits = async (file: string, text: string) =>
    Object.fromEntries((await readBacklog(file, { text })).ideas.map(({ id, dependsOn }) => [id, dependsOn]));

  it('does not let the ones after it start before the last open one', async () => {
    const text = '- [ ] bye\n- [ ] count\n- [x] hi\n- [x] hey\n- [ ] edit\n- [ ] break\n';
    expect(await waits('PRD.md', text)).toMatchObject({
      count: ['bye'],
      edit: ['hey', 'count'],
      break: ['edit'],
    });
    const plan = '### Task 1: a\n- [ ] a\n### Task 2: b\n- [x] b\n### Task 3: c\n- [ ] c\n';
    expect(await waits('docs/plans/p.md', plan)).toMatchObject({ 'p.task-3': ['p.task-2', 'p.task-1'] });
    const groups =
      'tasks:\n  - {title: a, parallel_group: 1}\n  - {title: b, parallel_group: 1, completed: true}\n  - {title: c, parallel_group: 2, completed: true}\n  - {title: d, parallel_group: 3}\n';
    expect(await waits('tasks.yaml', groups)).toMatchObject({ d: ['c', 'a'] });
  });

  it('can be marked: whatever is ticked after it, in any order, and opened again', async () => {
    const files = {
      'PRD.md': '- [ ] bye\n- [ ] count\n- [ ] hi\n',
      'docs/plans/p.md': '### Task 1: a\n- [ ] a\n### Task 2: b\n- [ ] b\n### Task 3: c\n- [ ] c\n',
      'openspec/changes/add-list/tasks.md': '## 1. Store\n\n- [ ] 1.1 a\n- [ ] 1.2 b\n- [ ] 1.3 c\n',
      'specs/001-list/tasks.md': '# Tasks: List\n\n## Phase 1: A\n\n- [ ] T001 a\n- [ ] T002 b\n- [ ] T003 c\n',
      'tasks.yaml': 'tasks:\n  - {title: a}\n  - {title: b}\n  - {title: c}\n',
    };
    const orders = ['012', '021', '102', '120', '201', '210'].map((order) => [...order].map(Number));
    for (const [file, text] of Object.entries(files)) {
      const ids = (await readBacklog(file, { text })).ideas.flatMap(({ id, blue }) => (blue ? [] : [id]));
      expect(ids, file).toHaveLength(3);
      for (const order of orders) {
        const taken = order.map((at) => ids[at] ?? '');
        let now = text;
        for (const id of taken) now = tickBacklog(file, now, id) ?? `${id} of ${file} cannot be marked in ${order}`;
        expect(now).not.toContain('cannot be marked');
        for (const id of taken)
          now = tickBacklog(file, now, id, { done: false }) ?? `${id} of ${file} cannot be opened`;
        const again = (await readBacklog(file, { text: now })).ideas.filter(({ done, blue }) => !done && !blue);
        expect(again.map(({ id }) => id)).toEqual(ids);
      }
    }
  });

  it('adds nothing where all before it are ticked', async () => {
    expect(await waits('PRD.md', '- [x] bye\n- [x] hi\n- [ ] edit\n')).toMatchObject({ edit: ['hi'] });
  });
});

describe('F5 a line that is nearly a checkbox', () => {
  const refusal = (file: string, text: string) =>
    readBacklog(file, { text }).then(
      ({ ideas }) => ideas.map(({ id }) => id),
      (error: unknown) => (error as Error).message,
    );

  it.each([
    ['specs/a/tasks.md', '- [ ] T001 x\n-[ ] T002 y\n', '-[ ] T002 y', '- [ ] T002 y', 2],
    ['specs/a/tasks.md', '- [] T001 x\n', '- [] T001 x', '- [ ] T001 x', 1],
    ['.kiro/specs/a/tasks.md', '- [ ] 1. x\n  - [  ] 1.1 y\n', '- [  ] 1.1 y', '- [ ] 1.1 y', 2],
    ['openspec/changes/a/tasks.md', '## 1. x\n- [ ] 1.1 x\n- [x]1.2 y\n', '- [x]1.2 y', '- [x] 1.2 y', 3],
    ['fix_plan.md', '# Fix Plan\n- [ ] x\n* [] y\n', '* [] y', '* [ ] y', 3],
    ['PRD.md', '- [ ] x\n-[X] y\n', '-[X] y', '- [X] y', 2],
    ['docs/plans/p.md', '### Task 1: a\n- [x] a\n- [] b\n', '- [] b', '- [ ] b', 3],
  ])('is refused where it would be a task: %s %j', async (file, text, said, fix, line) => {
    expect(await refusal(file, text)).toBe(`${file}:${line}: this is not a checkbox: ${said}; write: ${fix}`);
  });

  it.each([
    ['specs/a/tasks.md', '- [ ] T001 x\n  - [] a note\n- [](https://x)\n```\n-[ ] T002 x\n```\n', ['a.T001']],
    ['PRD.md', '- [ ] x\n  -[ ] a note\n- [x](page.md)\n- []byte\n- [a]b\n', ['x']],
    ['docs/plans/p.md', '- [] before\n### Task 1: a\n- [ ] a\n', ['p.task-1']],
  ])('is text elsewhere: %s %j', async (file, text, ids) => {
    expect(await refusal(file, text)).toEqual(ids);
  });
});

describe('F5 a task without a number', () => {
  const out = async (file: string, text: string) =>
    (await readBacklog(file, { text })).leftOut.map(({ id, title, line, why }) => `${line} ${id} ${title}: ${why}`);

  it('is left out where the tool counts its tasks, and is told', async () => {
    expect(
      await out('specs/a/tasks.md', '- [ ] T001 x\n  - [ ] a note\n- [ ] TXXX [P] More tests\n- [x] done\n'),
    ).toEqual(['3 line-3 TXXX [P] More tests: it has no number; to run it, write one, such as T002']);
    expect(await out('openspec/changes/a/tasks.md', '## 1. x\n- [ ] 1.1 x\n- [ ] Write the docs\n')).toEqual([
      '3 line-3 Write the docs: it has no number; to run it, write one, such as 1.2',
    ]);
    expect(await out('.kiro/specs/a/tasks.md', '- [ ] 1. x\n- [ ] Write the docs\n')).toEqual([
      '2 line-2 Write the docs: it has no number; to run it, write one, such as 2',
    ]);
  });
});

it('F5: Backlog.md takes names of people without quotes', async () => {
  const text = '---\nid: task-1\ntitle: Fix the login\nstatus: To Do\nassignee: [@zoe]\nreporter: @ann\n---\n';
  const { ideas } = await readBacklog('backlog/tasks/task-1 - x.md', { text });
  expect(ideas.map(({ id, title }) => [id, title])).toEqual([['task-1', 'Fix the login']]);
});

describe('F5 any text', () => {
  it('is read as any format, or refused with a BacklogError', async () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 30 }),
      fc.constantFrom(
        ...[
          '{"tasks":[',
          '{"id":1,"title":"x","status":"pending"}',
          ']}',
          '\n',
          '- [ ] 1.1 x',
          '- [ ] T001 [P] x',
          '## 1. a',
        ],
        ...[
          '### Task 1: x',
          '---\nid: a\ntitle: b\nstatus: c\n---\n',
          'tasks:\n  - title: x',
          '{"userStories":[{}]}',
          '# Fix plan',
        ],
        ...[
          '{"id":"a","title":"b","issue_type":"task","status":"open"}',
          '__proto__',
          '```',
          '<!--',
          '\u2028',
          '\uFEFF',
        ],
      ),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
        fc.constantFrom('x.md', 'x.json', 'x.jsonl', 'x.jsonc', 'x.yaml', 'prd.json', 'specs/a/tasks.md', 'TODO'),
        fc.option(fc.constantFrom(...FORMAT_NAMES), { nil: undefined }),
        async (text, file, format) => {
          const read = await readBacklog(file, { text: text.replaceAll('\0', ''), format }).catch(
            (error: unknown) => error,
          );
          if (read instanceof Error) expect(read).toBeInstanceOf(BacklogError);
          tickBacklog(file, text, 'x', { format });
        },
      ),
      { numRuns: 400 },
    );
  });
});
