/** A landed idea waits for nothing, whatever its backlog and people say of it since. Features: A8 C2. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { why } from '../../../src/client/commands/inspect/why.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { keep } from '../../../src/run-files/kept.js';
import { printed } from '../../support/printed.js';
import { commitFiles, makeRepo, type TestRepo } from '../git/repo.js';
import { contextOf, planned, toldRun } from './told-run.js';

let repo: TestRepo;
const context = () => contextOf(repo, false);
beforeEach(async () => {
  repo = await makeRepo({
    'roadmap.md': '# R\n\n- [ ] **b-1**: First\n- [ ] **i-1**: Do it\n  - depends: b-1\n',
    'ralphctl.yaml': 'version: 1\nagent: scripted\nlanding: { tick: false }\n',
    '.ralph-script.yaml': 'default: []\n',
  });
});
afterEach(() => repo.remove());

const lands = () => commitFiles(repo.root, { 'i.txt': 'i\n' }, 'feat: i\n\nRalph-Idea: i-1');

const whyText = (): Promise<string> => printed(() => why(context(), 'i-1'));

const FAILED: RunEvent = { kind: 'idea', idea: 'i-1', title: 'Do it', status: 'failed', reason: 'no' };

it.each([
  ['it landed in an earlier run', true, []],
  ['somebody landed it after the run, in which it had failed', false, [FAILED]],
])('A8: %s, has a dependency that is open, and a command that is kept', async (_, before, events) => {
  if (before) await lands();
  const project = await planned(context());
  await toldRun(context(), project, 'stopped', events);
  await keep(context().root, project, 'i-1', { verb: 'bump', at: new Date(2000).toISOString() });
  if (!before) {
    // As long as it has not landed, all of that counts.
    expect(await whyText()).toMatch(/with the next start[\s\S]*waits for b-1/);
    await lands();
  }
  const text = await whyText();
  expect(text).toContain('status landed');
  expect(text).not.toMatch(/waits for|with the next start/);
});
