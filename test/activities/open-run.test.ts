/** Opening and closing a run. Features: A3 C6 F1 G6. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runDir } from '../../src/config/paths.js';
import { FAILURE } from '../../src/protocol/failures.js';
import { agentsQueue, gitQueue } from '../../src/protocol/names.js';
import { bench, idea } from './bench.js';

describe('openRun', () => {
  it('gives the cards, the queues of this host, and what is ticked or on the target already', async () => {
    const b = await bench({
      ideas: [
        idea('ticked', { done: true }),
        idea('merged', { tags: ['critical'] }),
        idea('reverted'),
        idea('both', { done: true }),
        idea('open', { dependsOn: ['merged'], parent: 'top' }),
        idea('top', { blue: true }),
      ],
    });
    await b.git('commit', '-q', '--allow-empty', '-m', 'feat: one #merged\n\nRalph-Idea: merged\nRalph-Agent: ed-001');
    await b.git('commit', '-q', '--allow-empty', '-m', 'feat: two\n\nRalph-Idea: reverted\nRalph-Agent: ed-001');
    await b.git('commit', '-q', '--allow-empty', '-m', 'feat: three\n\nRalph-Idea: both\nRalph-Agent: ed-002');
    await b.git('commit', '-q', '--allow-empty', '-m', 'fix: take two back\n\nRalph-Reverted: reverted');
    await b.git('switch', '-q', '-c', 'elsewhere');
    await b.git('commit', '-q', '--allow-empty', '-m', 'feat: not on main\n\nRalph-Idea: open');
    const opened = await b.call(b.activities.openRun, b.ref).done;
    expect(opened).toMatchObject({
      target: 'main',
      agentsQueue: agentsQueue(b.project, 'testhost'),
      gitQueue: gitQueue(b.project, 'testhost'),
    });
    expect(opened.landed.sort()).toEqual(['both', 'merged', 'ticked']);
    expect(opened.ticked).toEqual(['ticked']);
    expect(opened.cards).toEqual([
      { id: 'ticked', title: 'Do ticked' },
      { id: 'merged', title: 'Do merged', tags: ['critical'] },
      { id: 'reverted', title: 'Do reverted' },
      { id: 'both', title: 'Do both' },
      { id: 'open', title: 'Do open', dependsOn: ['merged'], parent: 'top' },
      { id: 'top', title: 'Do top', blue: true },
    ]);
  });

  it('names a target that somebody deleted since the start, with the way back', async () => {
    const b = await bench();
    await b.git('branch', '-m', 'main', 'trunk');
    await expect(b.call(b.activities.openRun, b.ref).done).rejects.toMatchObject({
      message: expect.stringMatching(/There is no branch main in .*git branch -m trunk main/s),
      nonRetryable: true,
    });
  });

  it('refuses a run whose files are not here, and names that lead out of the state folder', async () => {
    const b = await bench();
    const open = (ref: object) => b.call(b.activities.openRun, { ...b.ref, ...ref }).done;
    await expect(open({ runId: 'none' })).rejects.toMatchObject({ type: FAILURE.runFilesMissing, nonRetryable: true });
    for (const ref of [{ project: '..' }, { runId: '../../etc' }, { project: 'a/b' }, { runId: '' }]) {
      await expect(open(ref), JSON.stringify(ref)).rejects.toMatchObject({
        type: FAILURE.badInput,
        nonRetryable: true,
      });
    }
  });
});

describe('closeRun', () => {
  it('writes the summary into the folder of the run, and may do so twice', async () => {
    const b = await bench();
    const close = (landed: number) =>
      b.call(b.activities.closeRun, { ...b.ref, outcome: 'completed', summary: { landed } }).done;
    await close(1);
    await close(2);
    const path = join(runDir(b.root, b.project, '20260101-000000-aaaa'), 'summary.json');
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ landed: 2, run: { spent: { iterations: 0 } } });
  });
});
