/** What an agent run tells of its messages, and the last words of an agent before its question. Features: C5 G9. */
import { expect, it, vi } from 'vitest';
import type { IdeaLimits, PrepareResult } from '../../../src/protocol/activities.js';
import type { RunAgentResult } from '../../../src/protocol/agent-run.js';
import type { IdeaInput, IdeaRunState } from '../../../src/protocol/idea-run.js';
import { reportTry, runAgent } from '../../../src/workflows/idea/agent-run.js';
import type { IdeaSession } from '../../../src/workflows/idea/session.js';
import { ideaView } from '../../../src/workflows/idea/view.js';

// A sink and activities exist inside a workflow only.
vi.mock('../../../src/workflows/publish.js', () => ({ emit: () => {} }));
let result: Partial<RunAgentResult> = {};
vi.mock('../../../src/workflows/proxies.js', () => ({
  agentActivities: () => ({ runAgent: async () => result }),
  refOf: () => ({}),
  wasNotTaken: () => false,
}));

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

it('C5: a message that came after the prompt of a finished run is not delivered by it, and stays for the next', async () => {
  const limits: IdeaLimits = {
    loop: true,
    maxIterations: 5,
    iterationTimeoutMs: 1000,
    timeoutMs: 9000,
    allowEmpty: false,
  };
  const deliveredBy = async (from: Partial<RunAgentResult>): Promise<number> => {
    result = from;
    const state = { notes: ['first', 'late'], serial: 0, iteration: 0, activeMs: 0 } as unknown as IdeaRunState;
    const input = { idea: 'i', title: 'I', settings: {}, queues: { agents: 'q' } } as unknown as IdeaInput;
    const session = { input, state, limits, screen: { show: () => {} }, reporter: {} } as unknown as IdeaSession;
    return (await runAgent(session, {} as PrepareResult, limits)).delivered;
  };
  expect(await deliveredBy({ notes: 1 })).toBe(1);
  expect(await deliveredBy({ notes: 0 })).toBe(0);
  expect(await deliveredBy({ notes: 2 })).toBe(2);
  // Stored by an older version.
  expect(await deliveredBy({})).toBe(2);
});
