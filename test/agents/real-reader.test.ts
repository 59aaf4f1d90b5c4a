/** Real CLIs read the reports of a wave before it begins. Features: E3 B8. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { iterationDir } from '../../src/config/paths.js';
import { events, yaml } from '../support/program.js';
import { type Mock, startMock } from './mock/server.js';
import { setupFor } from './rig/drivers.js';
import { install } from './rig/install.js';
import { agentsBox } from './rig/program.js';

const READERS = ['claude', 'codex', 'gemini', 'opencode', 'aider', 'copilot', 'qwen', 'pi'] as const;
const STEPS = 'Steps: open the page, click the button. Expected: it works. Actual: the page shows "';
const REPORTS = [
  { id: 'a', title: 'Save fails', body: `Saving an invoice fails. ${STEPS}TypeError: total is undefined".` },
  { id: 'b', title: 'Rockets', body: `The rocket does not start from the launch pad. ${STEPS}no fuel pressure".` },
];

/** What a model that follows the prompt says. */
function judged(texts: string): string {
  const word = [...texts.matchAll(/"word": "(\w+)"/g)].at(-1)?.[1];
  // A CLI that asks its model for a title has no question in it.
  if (word === undefined) return 'Reports of a wave';
  const ok = { pass: true, reason: '', quote: '' };
  const rockets = { pass: false, reason: 'it is about rockets', quote: 'launch pad' };
  const found = new Map(
    [...texts.matchAll(/----- (\w+): the report begins -----\n(.*)\n/g)].map(([, id = '', title = '']) => [id, title]),
  );
  const reports = [...found].map(([id, title]) => ({
    ...{ id, actionable: ok, minutes: 5, files: [], notes: 'The total is missing for drafts.' },
    project: title === 'Rockets' ? rockets : ok,
  }));
  return `I have read them.\n\n${JSON.stringify({ word, reports })}`;
}

describe.skipIf(process.env.RALPHCTL_REAL_CLIS === '0')('real CLIs as readers', () => {
  let mock: Mock;
  beforeAll(async () => {
    expect(await install([...READERS]), 'RALPHCTL_REAL_CLIS=0 npm test leaves these tests out').toEqual({});
    mock = await startMock();
  }, 900_000);
  afterAll(() => mock?.close());

  it.each(READERS)(
    'E3: %s rejects one report, and its notes reach the agent of the other',
    async (name) => {
      const play = mock.play(`reader-${name}-${Date.now()}`, { answer: judged });
      const stateRoot = inject('stateRoot');
      const box = await agentsBox(
        stateRoot,
        { [name]: setupFor(name, play) },
        {
          'reports.jsonl': REPORTS.map((one) => `${JSON.stringify(one)}\n`).join(''),
          '.ralph-script.yaml': yaml({
            default: [{ do: [{ append: { path: 'work.txt', text: 'x\n' } }], signal: 'COMPLETE' }],
          }),
        },
        { agent: 'scripted', gate: ['true'], triage: { agent: name } },
      );
      onTestFinished(() => box.dispose());
      const done = await box.run('run', 'reports.jsonl', '--max-waves', '1', '--json', '--wait');
      const all = events(done);
      const [began] = all.flatMap((event) => (event.kind === 'wave' && event.state === 'began' ? [event] : []));
      expect(began?.read, `${done.stderr}${done.stdout}`).toMatchObject({ agent: name, reports: 2, byRules: 0 });
      // Copilot says nothing about its tokens.
      if (name === 'copilot') expect(began?.read?.spent).toMatchObject({ tokens: 0, unknownTokens: 1 });
      else expect(began?.read?.spent.tokens).toBeGreaterThan(0);
      expect(all.flatMap((event) => (event.kind === 'rejected' ? [event.report] : []))).toEqual(['b']);
      const runId = String(done.json.find((line) => typeof line.runId === 'string')?.runId);
      const project = String(done.json.find((line) => typeof line.project === 'string')?.project);
      const prompt = await readFile(join(iterationDir(stateRoot, project, runId, 'report-a', 1), 'prompt.md'), 'utf8');
      expect(prompt).toContain('The total is missing for drafts.');
      // It reads; what it could have written stays nowhere.
      expect(await box.git('status', '--porcelain')).toBe('');
    },
    300_000,
  );
});
