/** What is said of a question and of notes after a stop, and texts that nobody meant. Features: C1 C2 C5. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeIdea } from '../../../src/client/views/idea-lines.js';
import { reportOn } from '../../../src/client/views/idea-report.js';
import { carriedText } from '../../../src/client/views/left-out.js';
import { questionGone } from '../../../src/decide/idea/after-run.js';
import { placeholderText } from '../../../src/decide/idea/answers.js';
import { wordsOf } from '../../../src/decide/idea/stall.js';
import type { WhyView } from '../../../src/protocol/views.js';
import { keepHint, keptForNext } from '../../../src/run-files/kept.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-after-a-stop-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

it('C2: why names no approve once no run is open', async () => {
  const reason = 'Check this: tests are gone. To land it as it is: ralphctl approve a-1. To change it: answer.';
  const view: WhyView = {
    ...{ idea: 'a-1', title: 'A', status: 'needs-human', approval: true, reason },
    ...{ score: 0, parts: [], waitsFor: [] },
  };
  const said = async (over: boolean) => describeIdea(await reportOn(view, { root, project: 'p', over })).join('\n');
  expect(await said(false)).toContain('To land it as it is: ralphctl approve a-1.');
  expect(await said(true)).not.toContain('To land it as it is');
  expect(await said(true)).toContain('tests are gone. To change it: answer.');
});

it('C2: an answer after retry --fresh is told that the question is gone, and of hint', () => {
  const gone = questionGone('a-1', 'cut-off', 'answer', true);
  expect(gone).toContain('a-1 has no open question: its question is gone with the fresh start');
  expect(gone).toContain('ralphctl hint a-1 "…"');
  expect(questionGone('a-1', 'cut-off', 'answer', false)).toBeUndefined();
  expect(questionGone('a-1', 'asks', 'answer', true)).toBeUndefined();
  expect(questionGone('a-1', 'cut-off', 'limit', true)).toBeUndefined();
});

describe('C1: a placeholder that was copied from the screen', () => {
  it.each(['…', '...', '~', ' … ', '"…"', '“…”', "'...'"])('%s is no text', (text) => {
    expect(placeholderText('answer', 'a-1', text)).toContain(
      'Write the text in its place: ralphctl answer a-1 "your text"',
    );
    expect(placeholderText('hint', 'a-1', text)).toContain('ralphctl hint a-1 "your text"');
  });

  it.each(['.', 'y', 'use … here', '~/x', '… and so on', '3...'])('%s is a text', (text) => {
    expect(placeholderText('answer', 'a-1', text)).toBeUndefined();
  });
});

it('A2: advice of ralphctl that waits is not called a hint', async () => {
  await keepHint(root, 'p', 'a-1', wordsOf('a-1', { do: 'fresh' }, 7));
  expect(carriedText(await keptForNext(root, 'p'))).toEqual(['carries over: the advice of ralphctl for a-1']);
  await keepHint(root, 'p', 'a-1', 'use port 80');
  expect(carriedText(await keptForNext(root, 'p'))).toEqual([
    'carries over: hint for a-1, the advice of ralphctl for a-1',
  ]);
});
