/** A damaged summary counts as missing, and a warning names the file. Features: G1. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runDir } from '../../../src/config/paths.js';
import { readSummary } from '../../../src/run-files/summary.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-summary-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const ref = { project: 'p', runId: 'run-1' };
const SUMMARY = {
  ...{ outcome: 'completed', landed: 3, notLanded: [{ idea: 'a', status: 'failed', reason: 'red' }] },
  status: { runId: 'run-1', statistics: { iterations: { total: 4 } } },
};

async function read(text?: string): Promise<{ summary: unknown; problems: string[]; path: string }> {
  const path = join(runDir(root, ref.project, ref.runId), 'summary.json');
  await mkdir(dirname(path), { recursive: true });
  if (text !== undefined) await writeFile(path, text);
  const problems: string[] = [];
  return { summary: await readSummary(root, ref, (problem) => problems.push(problem)), problems, path };
}

describe('readSummary', () => {
  it('reads a summary with all its fields', async () => {
    const whole = { ...SUMMARY, more: 'of a newer version' };
    expect(await read(JSON.stringify(whole))).toMatchObject({ summary: whole, problems: [] });
  });

  it('gives nothing, and no warning, where there is none', async () => {
    expect(await read()).toMatchObject({ summary: undefined, problems: [] });
  });

  it.each([
    ['', 'it is empty'],
    [JSON.stringify(SUMMARY).slice(0, 40), 'it is no valid JSON'],
    ['[]', 'the whole file'],
    ['null', 'the whole file'],
    ['{"version":99}', 'has format version 99'],
    ['{"outcome":5}', 'outcome'],
    [JSON.stringify({ ...SUMMARY, notLanded: 'all' }), 'notLanded'],
    [JSON.stringify({ ...SUMMARY, status: undefined }), 'status'],
    [JSON.stringify({ ...SUMMARY, ideas: [{ idea: 'a' }] }), 'ideas.0'],
  ])('counts %j as missing and names the file', async (text, why) => {
    const { summary, problems, path } = await read(text);
    expect(summary).toBeUndefined();
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(path);
    expect(problems[0]).toContain(why);
  });
});
