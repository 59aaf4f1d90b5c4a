/** `ralphctl triage` through the program. Features: E3 E4 F3. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { roadmap, type Sandbox, sandbox, yaml } from '../support/program.js';

async function boxWith(files: Record<string, string>): Promise<Sandbox> {
  const state = await mkdtemp(join(tmpdir(), 'ralphctl-triage-'));
  const box = await sandbox(state, files);
  onTestFinished(async () => {
    await box.dispose();
    await rm(state, { recursive: true, force: true });
  });
  return box;
}

const lines = (...reports: readonly object[]): string => reports.map((one) => `${JSON.stringify(one)}\n`).join('');

const SAVE = {
  id: 'gh-1',
  title: 'Save on invoices',
  body: 'Clicked Save on an invoice without lines, got a white page.',
};
const EMPTY = { id: 'gh-2', title: 'Broken', body: '' };
const WISH = { id: 'gh-3', title: 'Dark mode', body: 'Please add a dark mode, it would be nice for the eyes.' };
const HOSTILE = { id: 'gh-4', title: '\u001b[31mred\u001b[0m', body: 'see \u001b]0;x\u0007title' };

interface Shown {
  survivors: { id: string; tier: string; learntFrom: number; accepted?: string }[];
  rejected: { id: string; gate: { number: number | null; name: string }; reason: string; quote: string }[];
}
const shown = async (box: Sandbox, ...args: string[]): Promise<Shown> => {
  const { json } = await box.run('triage', ...args, '--json');
  return json[0] as unknown as Shown;
};

describe('E3 ralphctl triage', () => {
  it('shows what to fix and what is rejected, without server and worker; a person overrules it', async () => {
    const box = await boxWith({ 'reports.jsonl': lines(SAVE, EMPTY, WISH, HOSTILE) });
    const table = await box.run('triage');
    expect(table).toMatchObject({ code: 0, stderr: '' });
    expect(table.stdout).toContain('reports.jsonl: 4 reports: 1 to fix, 3 rejected. Judged by rules only');
    expect(table.stdout).toMatch(/1 {2}gh-1 {2}T\d \(about .*\) {2}score \d+ {2}Save on invoices/);
    expect(table.stdout).toContain('gh-2  gate 1, body coherence: the body is empty');
    expect(table.stdout).toContain('gh-3  gate 2, symptom: this is a wish or a question');
    expect(table.stdout).toContain(`"${WISH.body}"`);
    expect(table.stdout).not.toContain('\u001b');

    expect(await box.run('triage', 'accept', 'gh-2')).toMatchObject({ code: 2, stdout: '' });
    expect((await box.run('triage', 'accept', 'gh-2', '--reason', 'I know it')).stdout).toContain('gh-2: accepted');
    expect((await box.run('triage', 'reject', 'gh-1', '--reason', 'not now', '--json')).json).toEqual([
      { kind: 'overruled', id: 'gh-1', verdict: 'reject', reason: 'not now' },
    ]);
    const after = await shown(box);
    expect(after.survivors).toMatchObject([{ id: 'gh-2', accepted: 'I know it' }]);
    expect(after.rejected).toContainEqual(
      expect.objectContaining({ id: 'gh-1', gate: { number: null, name: 'a person' } }),
    );

    // Another text is another report.
    await box.write({ 'reports.jsonl': lines({ ...SAVE, body: `${SAVE.body} Again today.` }, EMPTY, WISH) });
    expect((await shown(box)).survivors.map(({ id }) => id).sort()).toEqual(['gh-1', 'gh-2']);
  });

  it('remembers the file, and names what is wrong', async () => {
    const box = await boxWith({
      'bugs/june.jsonl': lines(SAVE, { ...WISH, state: 'closed' }),
      'bad.jsonl': '{"id":"a"}\n',
    });
    const none = await box.run('triage');
    expect(none).toMatchObject({ code: 2 });
    expect(none.stderr).toContain('ralphctl triage <file>');
    expect(await box.run('triage', 'bugs/june.jsonl')).toMatchObject({ code: 0 });
    expect((await box.run('triage')).stdout).toContain('bugs/june.jsonl: 2 reports');
    expect((await box.run('triage', 'reject', 'gh-9', '--reason', 'x')).stderr).toContain('has no report gh-9');
    expect(await box.run('triage', 'reject', 'gh-3', '--reason', 'x')).toMatchObject({ code: 7 });
    const bad = await box.run('triage', 'bad.jsonl');
    expect(bad).toMatchObject({ code: 2 });
    expect(bad.stderr).toContain('bad.jsonl:1: title is missing');
  });

  it('E4 rejects what repeats an idea that landed here, and learns tiers from it', async () => {
    const idea = 'Saving an invoice without lines shows a white page instead of a message';
    const box = await sandbox(inject('stateRoot'), {
      'roadmap.md': roadmap([{ id: 'fix-1', text: idea }]),
      'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', stepDelayMs: 0, gate: ['true'] }),
      '.ralph-script.yaml': yaml({
        default: [{ do: [{ append: { path: 'fix.txt', text: 'done\n' } }], signal: 'COMPLETE' }],
      }),
      'reports.jsonl': lines(SAVE, { id: 'gh-5', title: 'Zoom', body: 'Clicking the map zooms out instead of in.' }),
    });
    onTestFinished(() => box.dispose());
    const run = await box.run('start', '--json', '--wait');
    expect(run.code, `${run.stderr}${run.stdout}`).toBe(0);
    const { survivors, rejected } = await shown(box);
    expect(rejected).toMatchObject([{ id: 'gh-1', gate: { number: 4, name: 'duplicates' }, duplicateOf: 'fix-1' }]);
    expect(rejected[0]?.reason).toContain('closed lately');
    expect(survivors).toMatchObject([{ id: 'gh-5', learntFrom: 1 }]);
  });
});
