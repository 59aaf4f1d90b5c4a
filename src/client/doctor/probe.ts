/** Asks an agent for one real answer, with `--probe` only: it costs a little, and is the only proof that the login works. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { executeAgent } from '../../agents/execute.js';
import type { AgentSpec } from '../../config/agent-spec.js';
import type { Context } from '../context.js';
import { type Check, fail, ok } from './check.js';

const TURN_MS = 120_000;

export async function probeAgent(context: Context, spec: AgentSpec): Promise<Check> {
  const what = `agent ${spec.name}, a real turn`;
  const dir = await mkdtemp(join(tmpdir(), 'ralphctl-probe-'));
  const startedAt = performance.now();
  try {
    const got = await executeAgent({
      spec,
      prompt: 'Reply with the single word OK. Do not use any tool and do not touch any file.',
      cwd: dir,
      nonce: 'probe',
      idea: 'probe',
      iteration: 1,
      scratch: dir,
      outputFile: join(dir, 'output.log'),
      token: `doctor/${randomUUID()}`,
      timeoutMs: TURN_MS,
      baseEnv: context.env,
    });
    const took = `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
    if (got.outcome.kind === 'ok') return ok(what, `answered in ${took}`);
    if (got.outcome.kind === 'timeout')
      return fail(
        what,
        `no answer in ${took}`,
        `run it by hand to see the cause: ${spec.command?.[0] ?? spec.adapter}`,
      );
    const { failure, message } = got.outcome;
    return fail(what, `${failure}: ${message.split('\n')[0]}`, FIXES[failure] ?? 'run it by hand to see the cause');
  } catch (error) {
    return fail(what, (error as Error).message, 'fix the agent in ralphctl.yaml');
  } finally {
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  }
}

const FIXES: Readonly<Record<string, string>> = {
  auth: 'log in again, or renew the key',
  limited: 'wait for the limit to end, or use another account',
  config: 'check model and args of the agent in ralphctl.yaml',
  launch: 'run it by hand: it exited before its first answer',
};
