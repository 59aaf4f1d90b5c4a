/**
 * Recognises backlog files of other tools by their shape, so that the error can name the tool. ralphctl does not read them.
 * Invariant: only called where our own formats do not apply. Imports the problem type only.
 */
import type { Problem } from '../config/problems.js';

export const WHAT_IS_READ =
  'ralphctl reads roadmap.md ("- [ ] **task-001**: what to do") and ideas.yaml or ideas.json ("ideas:" with id and title)';

export const notReadYet = (file: string, format: string): Problem => ({
  file,
  line: 1,
  message: `this is ${format}, which ralphctl does not read yet`,
  fix: WHAT_IS_READ,
});

const has = (value: unknown, key: string): boolean => value !== null && typeof value === 'object' && key in value;
const get = (value: unknown, key: string): unknown =>
  value !== null && typeof value === 'object' ? (value as Record<string, unknown>)[key] : undefined;
const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined);

/** The tool whose file a YAML or JSON value is, or undefined. */
export function foreignValue(value: unknown): string | undefined {
  if (has(value, 'ideas')) return undefined;
  if (has(value, 'userStories')) return 'a prd.json with user stories (snarktank/ralph, ralph-tui)';
  if (has(value, 'prd')) return 'a prd.json inside a "prd" wrapper (ralph-tui)';
  if (has(value, 'event_loop') || has(value, 'hats')) return 'a workflow file of ralph-orchestrator';
  if (has(value, 'queue')) return 'a queue.json of frankbria/ralph-claude-code';
  const task = first(get(value, 'tasks'));
  if (has(task, 'status')) return 'a task queue with "status" (.ralph/queue.json of fitchmultz/ralph)';
  if (has(task, 'title')) return 'a task list of ralphy ("tasks" with "title" and "completed")';
  if (has(value, 'tasks')) return 'a task list of another tool ("tasks")';
  const entry = Array.isArray(value) ? value[0] : value;
  if (has(entry, 'issue_type')) return 'an issue export of beads';
  if (has(entry, 'blocked_by') || (has(entry, 'status') && has(entry, 'priority')))
    return 'a task list of ralph-orchestrator';
  return undefined;
}

/** The tool whose JSON-lines file this is. */
export function foreignLines(text: string): string {
  const line = text.split(/\r?\n/).find((one) => one.trim() !== '');
  try {
    return foreignValue(JSON.parse(line ?? '')) ?? 'a JSON-lines file';
  } catch {
    return 'a JSON-lines file';
  }
}

/** The tool whose Markdown this is, by its headings. Only called when no task has an id. */
export function foreignHeadings(headings: readonly string[]): string | undefined {
  const some = (pattern: RegExp): boolean => headings.some((text) => pattern.test(text));
  if (some(/\bfix plan\b/i)) return 'a fix_plan.md of frankbria/ralph-claude-code';
  if (some(/^(?:task|iteration) \d+(?:\.\d+|[a-z])?:/i)) return 'a plan of ralphex';
  if (some(/^(?:US-[\d.]+|Feature \d+\.\d+):/)) return 'a Markdown PRD with user stories';
  return undefined;
}
