/** The tabs of an idea's page for what a person looks up there: the task, and why nothing was said. Features: G1 G4. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { AgentRunFiles } from '../../../src/client/screen/idea-files.js';
import { iterationDir } from '../../../src/config/paths.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import { compose } from '../../../src/screen/compose.js';
import { type Details, noDetails } from '../../../src/screen/details.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi, type Ui } from '../../../src/screen/ui.js';
import { clockAt, idea, NOW } from './shop.js';

const at = new Date(clockAt('23:30')).toISOString();
const one = (): RunModel =>
  newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [
    idea('a-1', 'Add a login page', {
      text: 'Add a login page\n\nWith a name and a password.',
      success: ['the page opens', 'a wrong password is refused'],
    }),
  ]);

const page = (model: RunModel, tab: Ui['tab'], columns: number, details: Details = noDetails()): string =>
  compose(model, { ...initialUi(), screen: 'idea', idea: 'a-1', tab }, details, { columns, rows: 40 }, THEME, NOW)
    .lines.map(plainLine)
    .join('\n');
const THEME = { colour: true, ascii: false };

let root: string | undefined;
afterEach(async () => {
  if (root) await rm(root, { recursive: true, force: true });
  root = undefined;
});

it.each([80, 120])('G1: the task has its title once, its text and its success criteria, at %i columns', (columns) => {
  const text = page(one(), 'task', columns);
  // The head of the page names it as well.
  expect(text.split('Add a login page')).toHaveLength(3);
  expect(text).toContain('With a name and a password.');
  expect(text).toMatch(/done when[\s\S]*· the page opens[\s\S]*· a wrong password is refused/);
});

it('G4: an agent run that ended without a word shows its error and what it printed last', async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-tabs-'));
  const dir = iterationDir(root, 'p', 'r', 'a-1', 1);
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'output.log'), 'starting\n\nerror: unknown option --fast\n');
  const files = new AgentRunFiles(root, { project: 'p', runId: 'r' }, 'a-1', 1);
  const told = await files.read();
  await files.close();
  expect(told.output).toEqual(['starting', 'error: unknown option --fast']);
  const model = one();
  fold(model, { at, kind: 'idea', idea: 'a-1', title: 'Add a login page', status: 'running' });
  fold(model, { at, kind: 'iteration', idea: 'a-1', serial: 1, iteration: 1, max: 5, agentName: 'ed-001', agent: 'x' });
  const details = { ...noDetails(), idea: { id: 'a-1', serial: 1, ...told } };
  expect(page(model, 'agent', 80, details)).toContain('nothing was said yet');
  fold(model, {
    ...{ at, kind: 'iteration-end', idea: 'a-1', serial: 1, iteration: 1, signal: { kind: 'none' } },
    ...{ outcome: 'failed', message: 'the agent ended with exit code 2', durationMs: 1000, commits: 0 },
  });
  const text = page(model, 'agent', 80, details);
  expect(text).not.toContain('nothing was said yet');
  expect(text).toMatch(/the agent ended with exit code 2[\s\S]*error: unknown option --fast/);
  expect(text).toContain('its whole output: ralphctl logs a-1');
  // Of an agent run that is not the last one, the command names it.
  fold(model, { at, kind: 'iteration', idea: 'a-1', serial: 2, iteration: 2, max: 5, agentName: 'ed-001', agent: 'x' });
  const first = { ...initialUi(), screen: 'idea', idea: 'a-1', tab: 'agent', serial: 1 } as const;
  const shown = compose(model, first, details, { columns: 80, rows: 40 }, THEME, NOW).lines.map(plainLine).join('\n');
  expect(shown).toContain('its whole output: ralphctl logs a-1 --iteration 1');
});

it('G4: what was said in an earlier run stands under that run', () => {
  const said = [{ at: clockAt('22:10'), verb: 'answer', text: 'Use the red one.', done: 'ok' }];
  const details = { ...noDetails(), idea: { id: 'a-1', saidBefore: [{ runId: '20260101-000000-aaaa', said }] } };
  const text = page(one(), 'said', 100, details);
  expect(text).toContain('in run 20260101-000000-aaaa');
  expect(text).toContain('Use the red one.');
  expect(text).not.toContain('nobody has said');
});
