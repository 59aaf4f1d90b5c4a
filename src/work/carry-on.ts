/**
 * Runs an agent, in the conversation that was cut off where there is one.
 * Invariant: the whole prompt goes with it, so that nothing depends on what the conversation remembers; a conversation
 * that is gone costs one further start, never the iteration.
 */
import { type ExecuteAgentInput, type ExecuteAgentResult, executeAgent } from '../agents/execute.js';
import { sessionIsGone } from '../agents/resume.js';

const CARRY_ON = `# Carry on

Your last run was cut off from outside. This is the same conversation and the same folder: go on where you stopped.
What you were told, once more, with a new word for the signal at the end:

`;

export async function carryOn(input: ExecuteAgentInput): Promise<{ executed: ExecuteAgentResult; prompt: string }> {
  const { resume, ...fresh } = input;
  if (resume === undefined) return { executed: await executeAgent(fresh), prompt: fresh.prompt };
  const prompt = CARRY_ON + fresh.prompt;
  const executed = await executeAgent({ ...fresh, prompt, resume });
  if (input.signal?.aborted || !sessionIsGone(executed.outcome, executed.turns)) return { executed, prompt };
  const timeoutMs = Math.max(1000, fresh.timeoutMs - executed.durationMs);
  return { executed: await executeAgent({ ...fresh, timeoutMs }), prompt: fresh.prompt };
}
