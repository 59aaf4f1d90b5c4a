/** Which format a backlog has, what models invent, and what only a person can say. Features: F5. */
import { describe, expect, it } from 'vitest';
import { readBacklog } from '../../../src/backlog/index.js';
import type { FormatName } from '../../../src/protocol/backlog-formats.js';

const formatOf = async (file: string, text: string): Promise<string> => (await readBacklog(file, { text })).format;
const refusal = (file: string, text: string, format?: FormatName): Promise<string> =>
  readBacklog(file, { text, format }).then(
    ({ format: found }) => `read as ${found}`,
    (error: Error) => error.message,
  );

const NUMBERED = '## 1. Store\n\n- [ ] 1.1 Write the store\n  - _Requirements: 1.2_\n';

describe('F5 detection', () => {
  it.each<[string, string, FormatName]>([
    ['x.json', '{"userStories":[{"id":"US-1","title":"T","passes":false}]}', 'prd'],
    ['x.jsonl', '{"id":"b-1","title":"T","status":"open","issue_type":"task","priority":2}\n', 'beads'],
    ['x.jsonl', '{"id":"t-1","title":"T","status":"open","priority":2,"blocked_by":[]}\n', 'orchestrator'],
    ['x.yml', 'tasks:\n  - title: create auth\n', 'ralphy'],
    ['x.json', '{"tasks":[{"title":"create auth","completed":false}]}', 'ralphy'],
    ['x.json', '{"tasks":[{"id":"RQ-0001","title":"T","status":"todo","priority":"low"}]}', 'fitchmultz'],
    ['x.json', '{"tasks":[{"id":1,"title":"T","status":"pending"}]}', 'taskmaster'],
    ['x.json', '{"master":{"tasks":[{"id":1,"title":"T","status":"pending"}]}}', 'taskmaster'],
    ['plan.md', '# Plan\n### Task 1: Do\n- [ ] first\n', 'ralphex'],
    ['todo.md', '# Fix plan\n- [ ] first\n', 'fix-plan'],
    ['todo.md', '- [ ] T001 Do it\n', 'spec-kit'],
    ['todo.md', '- [ ] 1. Do it\n  - [ ] 1.1 Do half\n', 'kiro'],
    ['todo.md', '## 1. All\n- [ ] 1.1 Do it\n', 'openspec'],
    ['.kiro/specs/a/tasks.md', NUMBERED, 'kiro'],
    ['openspec/changes/a/tasks.md', NUMBERED, 'openspec'],
    ['specs/a/tasks.md', '- [ ] T001 Do it\n', 'spec-kit'],
    ['task-7 - Do.md', '---\nid: task-7\ntitle: Do\nstatus: To Do\n---\n', 'backlog-md'],
    // What was a roadmap stays one.
    ['tasks.md', '### Task 1: x\n- [ ] **a-1**: Do it\n', 'roadmap'],
    ['tasks.md', '- [ ] Do it\n', 'roadmap'],
    ['tasks.md', '# Fix plan\n- [ ] `a-1`: Do it\n', 'roadmap'],
    ['tasks.md', '# Fix plan\n- [ ] a-1: Do it\n', 'roadmap'],
    ['roadmap.md', '- [ ] 1. Do it\n', 'roadmap'],
    ['ideas.yaml', '- {id: a, title: b}\n', 'ideas'],
  ])('%s %j is %s', async (file, text, format) => {
    expect(await formatOf(file, text)).toBe(format);
  });

  it('asks where content and place leave two formats, and takes the answer', async () => {
    expect(await refusal('tasks.md', NUMBERED)).toMatch(
      /tasks\.md:1: this could be .*Kiro.* or .*OpenSpec.*; say which: --format kiro or --format openspec; or write backlogFormat: in ralphctl\.yaml/,
    );
    expect(await refusal('tasks.md', NUMBERED, 'kiro')).toBe('read as kiro');
    expect(await refusal('tasks.md', NUMBERED, 'openspec')).toBe('read as openspec');
  });

  it.each([
    ['prd.json', '{"prd":{"userStories":[]}}', /prd\.json:1: the stories are inside a "prd" wrapper; move its fields/],
    [
      'prd.json',
      '{\n"tasks":[{"title":"x","completed":false}]}',
      /prd\.json:2: a prd\.json has "userStories", not "tasks"; rename/,
    ],
    [
      'prd.json',
      '{"userStories":[\n{"id":"US-1","title":"x","status":"open"}]}',
      /prd\.json:2: a story has "passes", not "status"; write "passes": true or "passes": false/,
    ],
    [
      'prd.json',
      '{"userStories":[{"title":"x","passes":false}]}',
      /this story has no "id"; give it one: "id": "US-001"/,
    ],
    ['prd.json', '{"userStories":{}}', /"userStories" must be a list of stories/],
    ['prd.json', '{"userStories":[{"id":"a","title":"x","passes":"no"}]}', /"passes" must be true or false/],
    ['prd.json', '{"userStories":[\n', /too early; write what is missing at its end, such as \] and \}$/],
    [
      'prd.json',
      '{"userStories":[]\n"project":"x"}',
      /prd\.json:2: not valid JSON: unexpected "\\""; write a comma before it$/,
    ],
    ['prd.json', "{'userStories':[]}", /unexpected "'"; write texts in double quotes; the only words without are/],
    ['prd.json', '{"userStories":[{"title":"a\nb"}]}', /; end the text on its line; a line end in it is \\n$/],
    [
      'backlog/tasks/task-1 - x.md',
      '---\nid: task-1\ntitle: Fix: the login\nstatus: To Do\n---\n',
      /task-1 - x\.md:3: not valid YAML: .*; put a text that has ": ", "#" or quotes into quotes$/,
    ],
    ['prd.json', '{"userStories":[\n', /prd\.json:\d: not valid JSON: the file ends too early/],
    [
      'prd.json',
      '{"userStories":[{"id":"a","title":"x","passes":false,"dependsOn":["b"]}]}',
      /"a" depends on "b", which is not in this backlog/,
    ],
    [
      '.beads/issues.jsonl',
      '{"id":"a","title":"x","issue_type":"task","status":"in-progress"}',
      /the status "in-progress" is unknown; did you mean "in_progress"\?/,
    ],
    ['.beads/issues.jsonl', '{"id":"a","issue_type":"task"}\nnope\n', /:2: this line is not a JSON object/],
    [
      '.ralph/queue.jsonc',
      '{"tasks":[{"id":"RQ-1","title":"x","status":"pending"}]}',
      /the status "pending" is unknown; /,
    ],
    [
      'x.yaml',
      'tasks:\n- title: a\n- title: a\n',
      /^[^\n]*:3: this task and the one on line 2 have the same id, "a"; give one of them another title$/,
    ],
    [
      'x.yaml',
      'tasks:\n- {title: a, completed: "no"}\n',
      /"completed" must be true or false, not "no"; write completed: false/,
    ],
    ['specs/a/tasks.md', '- [ ] T001 a\n- [ ] T001 b\n', /:2: this task and the one on line 1 have the same id/],
    ['fix_plan.md', '# Plan\n', /this fix plan contains no task/],
  ])('%s %j is refused with its fix', async (file, text, message) => {
    expect(await refusal(file, text)).toMatch(message);
  });
});

describe('F5 what the agent gets', () => {
  it('has the criteria, the notes and the fields that no format knows', async () => {
    const story = {
      id: 'US-1',
      title: 'Do it',
      description: 'As a reader',
      acceptanceCriteria: ['it works'],
      passes: false,
    };
    const text = JSON.stringify({ userStories: [{ ...story, notes: 'see #7', estimate: '2h', risk: { level: 3 } }] });
    const { ideas } = await readBacklog('prd.json', { text });
    expect(ideas[0]).toMatchObject({ success: ['it works'], title: 'Do it' });
    expect(ideas[0]?.text).toMatch(
      /^Do it\n\nAs a reader\n\nNotes: see #7\n\nOther fields in the backlog:\n\n```json\n/,
    );
    expect(ideas[0]?.text).toContain('"estimate": "2h"');
    expect(ideas[0]?.text).toContain('"level": 3');
  });

  it('keeps an id when lines are added above, and when a story moves', async () => {
    const before = await readBacklog('fix_plan.md', { text: '# Fix plan\n- [ ] Store books\n- [ ] Show books\n' });
    const after = await readBacklog('fix_plan.md', {
      text: '# Fix plan\n\nNews.\n\n- [ ] Show books\n- [ ] Store books\n',
    });
    expect(after.ideas.map(({ id }) => id).sort()).toEqual(before.ideas.map(({ id }) => id).sort());
  });

  it('is read in seconds where the file has thousands of entries', async () => {
    const lines = Array.from({ length: 5000 }, (_, at) => {
      const dependencies = at === 0 ? [] : [{ issue_id: `b-${at}`, depends_on_id: `b-${at - 1}`, type: 'blocks' }];
      const text = { id: `b-${at}`, title: `Do ${at}`, description: 'x'.repeat(200), status: 'open' };
      return JSON.stringify({ ...text, priority: 2, issue_type: 'task', dependencies });
    });
    const { ideas } = await readBacklog('.beads/issues.jsonl', { text: lines.join('\n') });
    expect(ideas).toHaveLength(5000);
    expect(ideas.at(-1)).toMatchObject({ dependsOn: ['b-4998'], source: { line: 5000 } });
  });
});
