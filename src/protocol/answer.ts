/** A person's answer to an idea's question, and the note that puts it into the next prompt. */

export interface Answered {
  question: string;
  answer: string;
}

export const answerNote = ({ question, answer }: Answered): string => `You asked: ${question}\nThe answer: ${answer}`;

/** Undefined for a note that is a hint. */
export function answerIn(note: string): Answered | undefined {
  const [, question, answer] = /^You asked: ([\s\S]*?)\nThe answer: ([\s\S]*)$/.exec(note) ?? [];
  return question === undefined || answer === undefined ? undefined : { question, answer };
}
