/** The command that answers a question, and the question that such a command names. Must not import anything. */

export const answerCommand = (idea: string, question?: string): string =>
  `ralphctl answer ${idea}${question === undefined ? '' : ` --question ${question}`} "…"`;

/** The id of the question; undefined where the command names none. */
export const questionIn = (command: string): string | undefined => / --question (\S+)/.exec(command)?.[1];
