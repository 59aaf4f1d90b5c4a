/**
 * Writes ideas as ideas.yaml or roadmap.md. Invariant: ralphctl reads the result back, and reports lost content as an
 * error instead of writing a shorter file.
 */
import { stringify } from 'yaml';
import type { Idea } from '../protocol/idea.js';
import { UserError } from '../protocol/user-error.js';
import { readBacklog } from './read.js';

const TARGETS = { ideas: 'ideas.yaml', roadmap: 'roadmap.md' } as const;
export type Target = keyof typeof TARGETS;

/** @throws UserError where the format cannot hold an idea */
export async function written(ideas: readonly Idea[], target: Target): Promise<string> {
  const fenced = new Set<string>();
  for (;;) {
    const text = target === 'ideas' ? asIdeas(ideas) : asRoadmap(ideas, fenced);
    const read = await readBacklog(TARGETS[target], { text, format: target }).catch((error: Error) => error);
    const again = read instanceof Error ? [] : read.ideas;
    const wrong = ideas.filter(
      (idea) =>
        !same(
          idea,
          again.find(({ id }) => id === idea.id),
        ),
    );
    if (wrong.length === 0 && again.length === ideas.length) return text;
    // Text that Markdown would parse as part of the roadmap goes into a code block. A second block would not help.
    const open = (read instanceof Error ? ideas : wrong).filter(({ id }) => !fenced.has(id));
    if (target === 'ideas' || open.length === 0) {
      const [first] = wrong;
      const why = read instanceof Error ? `: ${read.message}` : '';
      throw new UserError(`${first?.id ?? 'an idea'} cannot be written as ${TARGETS[target]}${why}. Use: --to ideas`);
    }
    for (const { id } of open) fenced.add(id);
  }
}

/** Whether every field that a run needs survives the round trip. Only whitespace in the text may differ. */
function same(idea: Idea, again: Idea | undefined): boolean {
  if (!again) return false;
  const plain = (text: string): string => text.replace(/^\s*`{3,}\w*\s*$/gm, '').replace(/\s+/g, '');
  const facts = ({ parent, blue, done, ralph, agent, allowEmpty, promise, requireXml, ...rest }: Idea): string =>
    JSON.stringify([
      ...[parent, blue, done, ralph, agent, allowEmpty, promise, requireXml, rest.priority?.steps ?? 0],
      ...[rest.dependsOn, rest.tags.map(word), rest.success.map(plain), rest.plan],
      ...[rest.maxIterations, rest.timeoutMinutes, rest.iterationTimeoutMinutes],
    ]);
  const body = plain(idea.text.startsWith(idea.title) ? idea.text.slice(idea.title.length) : idea.text);
  return facts(idea) === facts(again) && plain(again.text).endsWith(body);
}

const word = (text: string): string => text.trim().replace(/[\s,]+/g, '-');
const filled = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(value).filter(([, one]) => one !== undefined && !(Array.isArray(one) && one.length === 0)),
  );

function asIdeas(ideas: readonly Idea[]): string {
  const list = ideas.map((idea) =>
    filled({
      id: idea.id,
      title: idea.title,
      text: idea.text === idea.title ? undefined : idea.text,
      kind: idea.blue ? 'blue' : undefined,
      parent: idea.parent,
      dependsOn: idea.dependsOn,
      tags: idea.tags,
      priority: idea.priority?.steps || undefined,
      done: idea.done || undefined,
      ralph: idea.ralph ? undefined : false,
      maxIterations: idea.maxIterations,
      timeoutMinutes: idea.timeoutMinutes,
      iterationTimeoutMinutes: idea.iterationTimeoutMinutes,
      promise: idea.promise,
      requireXml: idea.requireXml,
      success: idea.success,
      agent: idea.agent,
      allowEmpty: idea.allowEmpty || undefined,
      plan: idea.plan && { phases: idea.plan },
    }),
  );
  return stringify({ version: 1, ideas: list }, { lineWidth: 0 });
}

function asRoadmap(ideas: readonly Idea[], fenced: ReadonlySet<string>): string {
  let phase: string | undefined;
  const parts = ideas.map((idea) => {
    const heading = idea.phase === phase || idea.phase === undefined ? '' : `## ${idea.phase}\n\n`;
    if (idea.phase !== undefined) phase = idea.phase;
    return heading + taskOf(idea, fenced.has(idea.id));
  });
  return `# Roadmap\n\n${parts.join('\n')}`;
}

function taskOf(idea: Idea, fence: boolean): string {
  const one = (text: string): string => text.replace(/\s+/g, ' ').trim();
  const minutes = (value: number | undefined): string | undefined => (value === undefined ? undefined : `${value}min`);
  const properties: readonly (readonly [string, string | undefined])[] = [
    ['ralph', idea.ralph ? 'true' : undefined],
    ['parent', idea.parent],
    ['depends', idea.dependsOn.join(', ') || undefined],
    ['tags', idea.tags.map(word).join(', ') || undefined],
    ['priority', idea.priority?.steps ? String(idea.priority.steps) : undefined],
    ['max_iterations', idea.maxIterations === undefined ? undefined : String(idea.maxIterations)],
    ['task_timeout', minutes(idea.timeoutMinutes)],
    ['timeout', minutes(idea.iterationTimeoutMinutes)],
    ['completion_promise', idea.promise],
    ['require_xml', idea.requireXml === undefined ? undefined : String(idea.requireXml)],
    ['cli', idea.agent],
    ['allow_empty', idea.allowEmpty ? 'true' : undefined],
    ...idea.success.map((text) => ['success', one(text)] as const),
  ];
  const lines = properties.flatMap(([name, value]) => (value === undefined ? [] : [`  - ${name}: ${value}`]));
  const body = idea.text.startsWith(idea.title) ? idea.text.slice(idea.title.length).trim() : idea.text.trim();
  const text =
    body === ''
      ? []
      : ['', ...(fence ? inFence(body) : body).split('\n').map((line) => (line === '' ? '' : `  ${line}`))];
  return `${[`- [${idea.done ? 'x' : ' '}] **${idea.id}**: ${one(idea.title)}`, ...lines, ...text].join('\n')}\n`;
}

function inFence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}text\n${text}\n${ticks}`;
}
