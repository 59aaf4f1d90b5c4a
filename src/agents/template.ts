/**
 * Fills `{{name}}` placeholders in one pass.
 * Invariant: values are data: a placeholder inside a value is never filled.
 */
export class TemplateError extends Error {
  override name = 'TemplateError';
}

/**
 * Replaces each `{{name}}` by its value; `\{{` stands for two literal braces.
 * Throws a TemplateError that names the known placeholders for an unknown one.
 */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\\\{\{|\{\{[ \t]{0,16}([A-Za-z][\w-]{0,63})[ \t]{0,16}\}\}/g, (whole, name?: string) => {
    if (name === undefined) return '{{';
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value !== undefined) return value;
    const known = Object.keys(values)
      .map((key) => `{{${key}}}`)
      .join(', ');
    throw new TemplateError(
      `The prompt template uses ${whole}, which is no placeholder. Known are ${known}. Write \\{{ for literal braces.`,
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
