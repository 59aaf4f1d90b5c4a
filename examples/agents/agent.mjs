#!/usr/bin/env node
/**
 * An agent for ralphctl in one file, without a model: it writes its task into DONE.md. Put the call of your model or CLI
 * in place of `work`. It needs Node and nothing else.
 *
 *   agents: { mine: { adapter: command, command: [/home/me/bin/agent.mjs], output: json } }
 *
 * ralphctl starts it once for each iteration, in the worktree of the idea, with the prompt on stdin. Every line on stdout
 * is a JSON object; stderr is free text. ralphctl commits the changes that it leaves uncommitted.
 */
import { appendFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';

const { RALPHCTL_IDEA: idea, RALPHCTL_ITERATION: iteration, RALPHCTL_NONCE: nonce } = process.env;
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

/** Does the task, and returns the last message of the agent. */
async function work(prompt) {
  say({ type: 'tool', id: 'w1', name: 'write', subject: 'DONE.md' });
  await appendFile('DONE.md', `- ${idea}, iteration ${iteration}: a prompt of ${prompt.split('\n').length} lines\n`);
  say({ type: 'tool-result', id: 'w1', ok: true });
  say({ type: 'usage', inputTokens: 100, outputTokens: 10 });
  return 'DONE.md has a line about the task.';
}

say({ type: 'session', id: `${idea}-${iteration}`, model: 'none' });
try {
  const message = await work(await text(process.stdin));
  // The signal is the last line of the last message. With its nonce, nothing that the agent has read passes for it.
  say({ type: 'message', text: `${message}\n<ralph nonce="${nonce}">COMPLETE</ralph>` });
  say({ type: 'result', status: 'success' });
} catch (error) {
  say({ type: 'result', status: 'error', error: { message: String(error) } });
}
