/** Parses ideas.yaml and ideas.json (F2) into a flat list of ideas, parents before their children. */

import { type Path, readLocated, type Syntax } from '../config/located.js';
import type { Problem } from '../config/problems.js';
import { inputSchema, type JsonSchema, zodProblems } from '../config/zod-problems.js';
import { type Idea, type PlanPhase, stepsOf } from '../protocol/idea.js';
import { foreignValue, notReadYet } from './foreign.js';
import { ideasSchema, type RawIdea } from './ideas-schema.js';

let cached: JsonSchema | undefined;
export function ideasJsonSchema(): JsonSchema {
  cached ??= { ...inputSchema(ideasSchema), title: 'ralphctl ideas' };
  return cached;
}

const list = (value: string | string[]): string[] => [...new Set(typeof value === 'string' ? [value] : value)];

/** Drops undefined values, so that absent fields stay absent. */
const given = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as T;

function planOf(raw: RawIdea, complain: (path: Path, message: string) => void): PlanPhase[] | undefined {
  const seen = new Set<string>();
  return raw.plan?.phases.map(({ name, steps }, p) => ({
    name,
    steps: steps.map((step, s) => {
      const text = typeof step === 'string' ? step : step.text;
      const id = (typeof step === 'string' ? undefined : step.id) ?? `${p + 1}.${s + 1}`;
      if (seen.has(id)) complain(['plan', 'phases', p, 'steps', s], `the plan has two steps with the id "${id}"`);
      seen.add(id);
      if (typeof step === 'string') return { id, text };
      const { maxIterations, optional } = step;
      return given({ id, text, maxIterations, optional });
    }),
  }));
}

/** Returns the ideas of the file and its problems. `validate.ts` checks relations between ideas. Never throws. */
export function parseIdeas(text: string, file: string, syntax: Syntax): { ideas: Idea[]; problems: Problem[] } {
  const read = readLocated(text, file, syntax);
  if ('problems' in read) return { ideas: [], problems: read.problems };
  const { located } = read;
  const foreign = foreignValue(located.value);
  if (foreign !== undefined) return { ideas: [], problems: [notReadYet(file, foreign)] };
  let raw: RawIdea[];
  try {
    const result = ideasSchema.safeParse(located.value ?? {});
    if (!result.success) {
      return { ideas: [], problems: zodProblems(result.error.issues, { file, located, schema: ideasJsonSchema }) };
    }
    raw = result.data;
  } catch (error) {
    // Thousands of nested levels exhaust the stack.
    return { ideas: [], problems: [{ file, line: 1, message: `cannot be read: ${String(error)}` }] };
  }
  const ideas: Idea[] = [];
  const problems: Problem[] = [];
  const take = (idea: RawIdea, path: Path, parent: string | undefined): void => {
    const line = located.lineOf([...path, 'id']);
    const complain = (at: Path, message: string, fix?: string): void => {
      problems.push({ file, line: located.lineOf([...path, ...at]), message, ...(fix === undefined ? {} : { fix }) });
    };
    const body = idea.text ?? idea.description;
    const title =
      (idea.title ?? body ?? '')
        .trim()
        .split(/\r\n?|\n/)[0]
        ?.trim() ?? '';
    if (idea.text !== undefined && idea.description !== undefined) {
      complain(['description'], `"${idea.id}" has text and description, which mean the same`, 'keep one of them');
    }
    if (title === '') complain(['id'], `"${idea.id}" has neither title nor text`, 'describe the task: title: …');
    if (idea.parent !== undefined && parent !== undefined && idea.parent !== parent) {
      complain(
        ['parent'],
        `"${idea.id}" is a child of "${parent}" and names the parent "${idea.parent}"`,
        'keep one of them',
      );
    }
    const children = idea.children ?? [];
    if (idea.kind === 'green' && children.length > 0) {
      complain(['kind'], `"${idea.id}" has children, so it cannot be green`, 'remove "kind" or the children');
    }
    const above = parent ?? idea.parent;
    ideas.push(
      given({
        id: idea.id,
        title,
        text:
          body === undefined ? title : body.trimStart().startsWith(title) ? body.trim() : `${title}\n\n${body.trim()}`,
        parent: above,
        blue: idea.kind === 'blue' || children.length > 0,
        dependsOn: list(idea.dependsOn),
        tags: list(idea.tags),
        priority: idea.priority === undefined ? undefined : stepsOf(idea.priority),
        done: idea.done,
        ralph: idea.ralph,
        maxIterations: idea.maxIterations,
        timeoutMinutes: idea.timeoutMinutes,
        iterationTimeoutMinutes: idea.iterationTimeoutMinutes,
        promise: idea.promise?.trim(),
        requireXml: idea.requireXml,
        success: list(idea.success),
        agent: idea.agent,
        allowEmpty: idea.allowEmpty,
        plan: planOf(idea, complain),
        source: { file, line },
      }),
    );
    children.forEach((child, i) => {
      take(child, [...path, 'children', i], idea.id);
    });
  };
  const root: Path = Array.isArray(located.value) ? [] : ['ideas'];
  raw.forEach((idea, i) => {
    take(idea, [...root, i], undefined);
  });
  return { ideas, problems };
}
