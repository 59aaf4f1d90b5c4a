/** The fixtures of backlogs of other tools, each modelled on a real file of its tool. */
import { cp, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { FormatName } from '../../../src/protocol/backlog-formats.js';

const ROOT = fileURLToPath(new URL('../../fixtures/backlog/other/', import.meta.url));

export interface Fixture {
  /** Folder below the fixtures. */
  folder: string;
  /** The backlog, relative to it. */
  file: string;
  format: FormatName;
  /** The idea that a test lands. */
  idea: string;
  /** The file that has its mark, where it is not `file`. */
  marked?: string;
  /** What its mark changes, as text before and after. */
  change: readonly (readonly [before: string, after: string])[];
}

const NOW = '2026-03-01T00:00:00.000Z';

export { NOW };

export const FIXTURES: readonly Fixture[] = [
  {
    folder: 'prd',
    file: 'scripts/ralph/prd.json',
    format: 'prd',
    idea: 'reading-status.US-001',
    change: [['"priority": 1,\n      "passes": false', '"priority": 1,\n      "passes": true']],
  },
  {
    folder: 'prd-tui',
    file: 'prd.json',
    format: 'prd',
    idea: 'reading-list.US-001',
    change: [['"priority":1,"passes":false', '"priority":1,"passes":true']],
  },
  {
    folder: 'beads',
    file: '.beads/issues.jsonl',
    format: 'beads',
    idea: 'list-7f2.1',
    change: [
      ['"status":"open","priority":0,"issue_type":"feature"', '"status":"closed","priority":0,"issue_type":"feature"'],
      [
        '"created_by":"ana","updated_at":"2026-01-12T12:29:15.106618817Z","labels"',
        `"created_by":"ana","updated_at":"${NOW}","closed_at":"${NOW}","labels"`,
      ],
    ],
  },
  {
    folder: 'fix-plan',
    file: '.ralph/fix_plan.md',
    format: 'fix-plan',
    idea: 'set-up-the-project-structure-and-the-build',
    change: [['- [ ] Set up', '- [x] Set up']],
  },
  {
    folder: 'ralphy-md',
    file: 'PRD.md',
    format: 'ralphy',
    idea: 'write-the-list-down',
    change: [['- [ ] write the list', '- [x] write the list']],
  },
  {
    folder: 'ralphy',
    file: 'tasks.yaml',
    format: 'ralphy',
    idea: 'create-the-list',
    change: [['# first\n    completed: false', '# first\n    completed: true']],
  },
  {
    folder: 'ralphex',
    file: 'docs/plans/reading-list.md',
    format: 'ralphex',
    idea: 'reading-list.task-1',
    change: [['- [ ] a book survives', '- [x] a book survives']],
  },
  {
    folder: 'fitchmultz',
    file: '.ralph/queue.jsonc',
    format: 'fitchmultz',
    idea: 'RQ-0002',
    change: [
      ['"title": "Store books",\n      "status": "todo"', '"title": "Store books",\n      "status": "done"'],
      [
        '"updated_at": "2026-01-15T10:30:00Z",\n      "tags"',
        `"updated_at": "${NOW}",\n      "completed_at": "${NOW}",\n      "tags"`,
      ],
    ],
  },
  {
    folder: 'orchestrator',
    file: '.ralph/agent/tasks.jsonl',
    format: 'orchestrator',
    idea: 'task-1737367200-0a1b',
    change: [
      ['"In a file.","status":"open"', '"In a file.","status":"closed"'],
      ['"2026-01-20T10:00:00+00:00"}', `"2026-01-20T10:00:00+00:00","closed":"${NOW}"}`],
    ],
  },
  {
    folder: 'taskmaster',
    file: '.taskmaster/tasks/tasks.json',
    format: 'taskmaster',
    idea: '2.1',
    change: [['"Atomically.", "status": "pending"', '"Atomically.", "status": "done"']],
  },
  {
    folder: 'spec-kit',
    file: 'specs/001-reading-list/tasks.md',
    format: 'spec-kit',
    idea: '001-reading-list.T002',
    change: [['- [ ] T002', '- [x] T002']],
  },
  {
    folder: 'kiro',
    file: '.kiro/specs/reading-list/tasks.md',
    format: 'kiro',
    idea: 'reading-list.2.1',
    change: [['- [ ] 2.1', '- [x] 2.1']],
  },
  {
    folder: 'openspec',
    file: 'openspec/changes/add-reading-list/tasks.md',
    format: 'openspec',
    idea: 'add-reading-list.1.2',
    change: [['- [ ] 1.2', '- [x] 1.2']],
  },
  {
    folder: 'backlog-md',
    file: 'backlog/tasks',
    format: 'backlog-md',
    idea: 'task-1',
    marked: 'backlog/tasks/task-1 - Keep-books.md',
    change: [['status: To Do', 'status: Done']],
  },
];

export const pathOf = ({ folder, file }: Fixture): string => `${ROOT}${folder}/${file}`;
export const markedIn = ({ marked, file }: Fixture): string => marked ?? file;
export const markedFile = (fixture: Fixture): string => `${ROOT}${fixture.folder}/${markedIn(fixture)}`;
export const textOf = (fixture: Fixture): Promise<string> => readFile(markedFile(fixture), 'utf8');
export const copyTo = ({ folder }: Fixture, to: string): Promise<void> =>
  cp(`${ROOT}${folder}`, to, { recursive: true });

/** The text with the mark of the idea, written by hand. */
export function withMark(text: string, { change }: Fixture): string {
  return change.reduce((before, [from, to]) => {
    if (before.split(from).length !== 2) throw new Error(`"${from}" is not there exactly once`);
    return before.replace(from, to);
  }, text);
}
