/**
 * Fills `{{name}}` placeholders in one pass.
 * Invariant: values are data: a placeholder inside a value is never filled.
 */
import { UserError } from '../../protocol/user-error.js';

export class TemplateError extends UserError {}

/**
 * Replaces each `{{name}}` by its value; `\{{` stands for two literal braces.
 * Throws a TemplateError that names the known placeholders for an unknown one.
 */
export function fillTemplate(
  template: string,
  values: Readonly<Record<string, string>>,
  what = 'The prompt template',
): string {
  return template.replace(/\\\{\{|\{\{[ \t]{0,16}([A-Za-z][\w-]{0,63})[ \t]{0,16}\}\}/g, (whole, name?: string) => {
    if (name === undefined) return '{{';
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value !== undefined) return value;
    const known = Object.keys(values)
      .map((key) => `{{${key}}}`)
      .join(', ');
    throw new TemplateError(
      `${what} uses ${whole}, which is not a placeholder. Placeholders: ${known}. Write \\{{ for literal braces.`,
    );
  });
}

/** Puts text into a code fence longer than any fence in it. */
export function fenced(text: string): string {
  let longest = 2;
  for (const run of text.matchAll(/`+/g)) longest = Math.max(longest, run[0].length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text.endsWith('\n') ? text : `${text}\n`}${fence}`;
}

/** The prompt template for configurations without one. */
export const DEFAULT_TEMPLATE = `# {{id}}: {{title}}

You work alone and unattended in a git worktree made for this one task. This is iteration {{iteration}} of {{max}}.
Earlier iterations left their work in the files and in \`git log\`: look there before you start.

## Task

{{phase}}{{text}}
{{success}}{{feedback}}{{notes}}
## Rules

{{rules}}

## How to end

{{signal}}
`;

/** Rules for work without a person at the keyboard. */
export const RULES = `- Nobody can answer while you work. Do not ask and wait: decide what is reasonable, or end with a signal as described below.
- Stay in this folder. Do not touch other branches, other worktrees, remotes or git configuration.
- Leave nothing running: no background processes, servers, watchers or scheduled work when you end.
- Commit your work or leave it uncommitted, as you like. ralphctl commits what you leave.
- Do not weaken, skip or delete tests, checks or their configuration to make them pass.
- ralphctl runs the quality checks again after you. Only their result counts, not your report of it.`;
