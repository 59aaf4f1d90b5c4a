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
  leftOut: { id: string; title: string; why: string }[];
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

  it('F3 of a tracker: judges what a run would take, lists the rest with its cause, and accepts none of it', async () => {
    const gone = { ref: '1', title: 'Save fails', body: SAVE.body, author: 'eva', member: true };
    const zoom = { title: 'Zoom', body: 'Clicking the map zooms out instead of in.', author: 'eva', member: true };
    const items = [
      gone,
      // A copy with more steps and an error has the higher score.
      { ...gone, ref: '2', author: 'mallory', member: false, labels: ['p0'], body: `${gone.body}\n\n1. Open\n2. Save` },
      { ...zoom, ref: '3', labels: ['blocked'] },
      { ...zoom, ref: '4' },
    ];
    const tracker = `const items = ${JSON.stringify(items)};
      let said = '';
      process.stdin.on('data', (data) => (said += data)).on('end', () => {
        if (JSON.parse(said).op === 'list') for (const item of items) console.log(JSON.stringify({ item }));
        console.log('{"ok":true}');
      });`;
    const box = await boxWith({
      'tracker.cjs': tracker,
      'ralphctl.yaml': yaml({
        version: 1,
        agent: 'scripted',
        backlog: { tracker: 'command', run: ['node', 'tracker.cjs'] },
      }),
    });
    const result = await shown(box);
    expect(result.survivors).toMatchObject([{ id: '1', duplicates: [] }]);
    expect(result.rejected).toMatchObject([{ id: '4', duplicateOf: '3' }]);
    expect(result.rejected[0]?.reason).toContain('which a label keeps back');
    const stranger = 'mallory may not write to the repository; to take it, set trustLabel in ralphctl.yaml';
    expect(result.leftOut).toEqual([
      { id: '2', title: gone.title, why: stranger },
      { id: '3', title: zoom.title, why: 'it has the label blocked' },
    ]);
    const table = await box.run('triage');
    expect(table.stdout).toContain('4 reports: 1 to fix, 1 rejected, 2 left out');
    expect(table.stdout).toContain(`  2  Save fails: ${stranger}`);

    const accepted = await box.run('triage', 'accept', '2', '--reason', 'I know it');
    expect(accepted).toMatchObject({ code: 7, stdout: '' });
    expect(accepted.stderr).toContain(`2 is left out: ${stranger}`);
    expect(await box.run('triage', 'accept', '4', '--reason', 'I know it')).toMatchObject({ code: 0 });
    expect((await shown(box)).survivors.map(({ id }) => id).sort()).toEqual(['1', '4']);
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
