/** The last words of an agent before its question, for the page of the idea. Features: C5 G9. */
import { expect, it, vi } from 'vitest';
import type { RunAgentResult } from '../../../src/protocol/agent-run.js';
import type { IdeaInput, IdeaRunState } from '../../../src/protocol/idea-run.js';
import { reportTry } from '../../../src/workflows/idea/agent-run.js';
import type { IdeaSession } from '../../../src/workflows/idea/session.js';
import { ideaView } from '../../../src/workflows/idea/view.js';

// A sink and activities exist inside a workflow only.
vi.mock('../../../src/workflows/publish.js', () => ({ emit: () => {} }));
vi.mock('../../../src/workflows/proxies.js', () => ({}));

const after = async (tail: string, question = 'Which one?') => {
  const state = { notes: [], phase: 'needs-human', question } as unknown as IdeaRunState;
  const input = { idea: 'i', title: 'I', settings: {} } as unknown as IdeaInput;
  const run = { agent: 'claude', outcome: { kind: 'ok' }, tail } as unknown as RunAgentResult;
  await reportTry({ input, state, reporter: { report: () => {} } } as unknown as IdeaSession, run);
  return ideaView(input, state);
};

it('C5: the view of an idea that asks has the end of what its agent said, without its signal', async () => {
  const signal = '<ralph nonce="x1">NEEDS_HUMAN: Which one?</ralph>';
  expect((await after(`I looked at both ways.\n${signal}`)).said).toBe('I looked at both ways.');
  expect((await after(signal)).said).toBeUndefined();
  expect((await after(`${'x'.repeat(3000)} the end`)).said).toMatch(/^x+ the end$/);
  expect((await after('x'.repeat(3000))).said).toHaveLength(600);
  expect((await after('I work.', '')).said).toBeUndefined();
});
