/**
 * Reads bug reports from a JSONL file, one per line.
 * Invariant: the result is valid (unique ids, bounded sizes), or a BacklogError names every line to fix.
 */
import { byLine, type Problem } from '../../config/problems.js';
import { InputError, MIB, readInput } from '../../config/read-input.js';
import { zodProblems } from '../../config/zod-problems.js';
import type { BugReport } from '../../protocol/triage.js';
import { BacklogError } from '../detect.js';
import { reportLine, triageReportJsonSchema } from './schema.js';

const MAX_BYTES = 64 * MIB;
const MOST_REPORTS = 10_000;

/** @throws BacklogError */
export async function readReports(file: string, command = 'ralphctl triage <file>'): Promise<BugReport[]> {
  const text = decode(file, await load(file, command));
  const problems: Problem[] = [];
  const reports: BugReport[] = [];
  const lines = new Map<string, number>();
  for (const [at, content] of text.split('\n').entries()) {
    if (content.trim() === '') continue;
    const line = at + 1;
    const found = parseLine(content, file, line);
    if ('problems' in found) problems.push(...found.problems);
    else {
      const { id } = found.report;
      const before = lines.get(id);
      if (before !== undefined) problems.push({ file, line, message: `id ${id} is also on line ${before}` });
      lines.set(id, line);
      reports.push(found.report);
    }
  }
  if (reports.length > MOST_REPORTS)
    problems.push({
      file,
      line: 0,
      message: `${reports.length} reports, more than ${MOST_REPORTS}`,
      fix: 'split the file',
    });
  if (problems.length > 0) throw new BacklogError(byLine(problems));
  return reports;
}

async function load(file: string, command: string): Promise<Buffer> {
  try {
    return await readInput(file, MAX_BYTES);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const fix = {
      missing: `name the file of reports: ${command}`,
      'too-large': 'split it into several files',
    };
    throw new BacklogError([
      {
        file,
        line: 0,
        message: error.message,
        ...(error.fault in fix ? { fix: fix[error.fault as keyof typeof fix] } : {}),
      },
    ]);
  }
}

function decode(file: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new BacklogError([{ file, line: 0, message: 'this is not UTF-8 text', fix: 'save it as UTF-8' }]);
  }
}

function parseLine(content: string, file: string, line: number): { report: BugReport } | { problems: Problem[] } {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    return { problems: [{ file, line, message: 'this line is no JSON', fix: 'write one report a line, as JSON' }] };
  }
  const { data, error } = reportLine.safeParse(value);
  if (error) {
    const located = { value, lineOf: () => line, sourceOf: () => undefined };
    return {
      problems: zodProblems(error.issues, { file, located, schema: triageReportJsonSchema, whole: 'this line' }),
    };
  }
  const { id, title, body, author, labels, created, url, state, closed } = data;
  return {
    report: {
      id: String(id),
      title,
      body: body ?? '',
      labels: labels ?? [],
      state: state ?? 'open',
      ...(author ? { author } : {}),
      ...(created ? { created } : {}),
      ...(url ? { url } : {}),
      ...(closed ? { closed } : {}),
    },
  };
}
