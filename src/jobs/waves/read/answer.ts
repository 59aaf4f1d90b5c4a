/**
 * Reads the answer of an agent that has read bug reports.
 * Invariant: all or nothing. An answer with another word, an unknown report, one that is missing or doubled, or a quote
 * that is not in the report, is no answer. No text of it has a secret.
 */
import { z } from 'zod';
import type { Redact } from '../../../process/redact.js';
import type { ReadGate } from '../../../protocol/triage.js';
import type { Asked, Question } from './ask.js';

const MOST_WORDS = 400;
const MOST_NOTES = 2000;
const MOST_FILES = 20;

const gate = z.strictObject({
  pass: z.boolean(),
  reason: z.string().max(MOST_WORDS),
  quote: z.string().max(MOST_WORDS),
});
const shape = z.strictObject({
  word: z.string(),
  reports: z.array(
    z.strictObject({
      id: z.string(),
      project: gate,
      actionable: gate,
      minutes: z.number().min(0.1).max(10_000),
      notes: z.string().max(MOST_NOTES),
      files: z.array(z.string().max(300)).max(MOST_FILES),
    }),
  ),
});

export interface Said {
  asked: Asked;
  project: ReadGate;
  actionable: ReadGate;
  minutes: number;
  notes: string;
  files: string[];
}

/** What it says of each report, or why it cannot be used. */
export function answerOf(message: string, { nonce, asked }: Question, redact: Redact): Said[] | { wrong: string } {
  const [from, to] = [message.indexOf('{'), message.lastIndexOf('}')];
  let value: unknown;
  try {
    value = JSON.parse(message.slice(Math.max(0, from), to + 1), (_, one: unknown) =>
      typeof one === 'string' ? redact(one) : one,
    );
  } catch {
    return { wrong: 'it is not one JSON object' };
  }
  const { data, error } = shape.safeParse(value);
  if (!data) {
    const [issue] = error.issues;
    return { wrong: `${issue?.path.join('.') || 'the whole answer'}: ${issue?.message ?? 'unknown'}` };
  }
  if (data.word !== nonce) return { wrong: '"word" is not the word of this question' };
  const byWord = new Map(data.reports.map((one) => [one.id, one]));
  if (byWord.size !== data.reports.length) return { wrong: 'it has a report twice' };
  if (data.reports.length > asked.length) return { wrong: 'it has a report that was not asked about' };
  const said: Said[] = [];
  for (const one of asked) {
    const found = byWord.get(one.word);
    if (!found) return { wrong: 'a report is missing, or has another id' };
    const { id: _, ...rest } = found;
    for (const name of ['project', 'actionable'] as const) {
      const { pass, reason, quote } = found[name];
      if (pass) continue;
      if (reason.trim() === '') return { wrong: `${name}: a report that does not pass needs a reason` };
      if (!isIn(quote, one, redact)) return { wrong: `${name}: the quote is not in the report` };
    }
    said.push({ asked: one, ...rest });
  }
  return said;
}

const inOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

const isIn = (quote: string, { report: { title, body } }: Asked, redact: Redact): boolean =>
  inOneLine(quote) !== '' && inOneLine(redact(`${title}\n${body}`)).includes(inOneLine(quote));
