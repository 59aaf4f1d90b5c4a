/**
 * Recognises files of other tools that ralphctl does not read, so that the error can name the tool.
 * Invariant: callers ask only where no format applies. Must import the problem type only.
 */
import type { Problem } from '../config/problems.js';

export const WHAT_IS_READ =
  'ralphctl reads roadmap.md ("- [ ] **task-001**: what to do"), ideas.yaml or ideas.json ("ideas:" with id and title), and backlogs of other tools: ralphctl help backlog';

export const notReadYet = (file: string, format: string): Problem => ({
  file,
  line: 1,
  message: `this is ${format}, which ralphctl does not read`,
  fix: WHAT_IS_READ,
});

const has = (value: unknown, key: string): boolean => value !== null && typeof value === 'object' && key in value;

/** The tool whose file a YAML or JSON value is, or undefined. */
export function foreignValue(value: unknown): string | undefined {
  if (has(value, 'ideas')) return undefined;
  if (has(value, 'event_loop') || has(value, 'hats')) return 'a workflow file of ralph-orchestrator';
  if (has(value, 'queue')) return 'a queue.json of frankbria/ralph-claude-code';
  if (has(value, 'tasks')) return 'a task list of another tool ("tasks")';
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

/** The tool whose Markdown this is, judged by its headings. Callers ask only when no task has an id. */
export function foreignHeadings(headings: readonly string[]): string | undefined {
  const some = (pattern: RegExp): boolean => headings.some((text) => pattern.test(text));
  if (some(/^(?:US-[\d.]+|Feature \d+\.\d+):/)) return 'a Markdown PRD with user stories';
  return undefined;
}
