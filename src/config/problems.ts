/**
 * What is wrong in a file that a person wrote, and where. Readers collect all problems before they give up, so one
 * run shows everything there is to mend. Must not import anything.
 */
export interface Problem {
  file: string;
  /** 1-based; 0 when the file as a whole is meant. */
  line: number;
  message: string;
  /** The edit or command that mends it. */
  fix?: string;
}

const SHOWN = 50;

/** `file:line: message; fix`, one line per problem, at most fifty of them and a count of the rest. */
export function renderProblems(problems: readonly Problem[]): string {
  const lines = problems
    .slice(0, SHOWN)
    .map((p) => `${p.file}${p.line > 0 ? `:${p.line}` : ''}: ${p.message}${p.fix === undefined ? '' : `; ${p.fix}`}`);
  if (problems.length > SHOWN) lines.push(`… and ${problems.length - SHOWN} more`);
  return lines.join('\n');
}

export const byLine = (problems: readonly Problem[]): Problem[] => [...problems].sort((a, b) => a.line - b.line);

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super(renderProblems(problems));
    this.problems = problems;
  }
}
