/**
 * The account of an agent: agents with the same key share its limits, others do not.
 * Invariant: the key reveals nothing of the credential. It depends on what the agent would really see, never on the
 * model or the name in the configuration.
 */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { type AgentSpec, providerOf } from '../config/agent-spec.js';
import type { AgentOutcome, RunAgentResult } from '../protocol/agent-run.js';
import { agentEnvironment } from './environment.js';

/** Variables that are a credential, locate it, or choose the provider that gets it. */
const TELLING =
  /(?:^HOME|^XDG_CONFIG_HOME|_HOME|_DIR|_?API_?KEY(?:_ID)?|_TOKEN|_SECRET|ACCESS_KEY(?:_ID)?|_PROFILE|_BASE_?URL|_API_BASE|_ENDPOINT|_ORG(?:ANIZATION)?(?:_ID)?|_PROJECT(?:_ID)?|_USE_(?:BEDROCK|VERTEX))$/i;
/** Options that choose the provider or the login. */
const OPTIONS = /^--?(?:provider|profile|auth-type|[a-z-]*api-key|[a-z-]*(?:base-url|api-base)|oss)$/;

/**
 * `<adapter>:<hash>`, the same for every agent with the same credential at the same provider. `base` is the environment
 * of the worker, from which the agent's own is made.
 */
export function accountKey(spec: AgentSpec, base: NodeJS.ProcessEnv): string {
  const env = Object.entries(agentEnvironment(spec, base))
    .filter(([name]) => TELLING.test(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  // A user's program may be anything; an adapter's program is the same wherever it is installed.
  const program = spec.adapter === 'command' ? (spec.command ?? []).slice(0, 1).map((word) => basename(word)) : [];
  const facts = JSON.stringify([spec.adapter, program, providerOf(spec.model), chosen(spec), env]);
  return `${spec.adapter}:${createHash('sha256').update(facts).digest('hex').slice(0, 16)}`;
}

function chosen(spec: AgentSpec): string[] {
  const words = [...(spec.command ?? []).slice(1), ...spec.args];
  return words.flatMap((word, index) => {
    const [option = '', value] = word.split('=', 2);
    if (!OPTIONS.test(option)) return [];
    return [option, value ?? words[index + 1] ?? ''];
  });
}

/*
 * Decides when an agent resumes an interrupted conversation, and when it starts a new one.
 * Invariant: a conversation is resumed only inside one iteration and one step of a plan, by the same agent, after an
 * end that it did not cause. Every other run starts a new one.
 */

/** The conversation that this run resumes; undefined: a new one. */
export function sessionToResume(
  previous: Pick<RunAgentResult, 'outcome' | 'session' | 'step'> | undefined,
  now: { iteration: number; agent: string; step?: number | undefined },
): string | undefined {
  const session = previous?.session;
  if (!session || session.iteration !== now.iteration || session.agent !== now.agent) return undefined;
  if (previous.step !== now.step) return undefined;
  const { outcome } = previous;
  const cutOff = outcome.kind === 'failed' && (outcome.failure === 'transient' || outcome.failure === 'killed');
  const byBudget = outcome.kind === 'timeout' && outcome.of !== undefined;
  return cutOff || byBudget ? session.id : undefined;
}

/** A run that should resume a conversation failed before its model answered: the conversation is probably gone. */
export function sessionIsGone(outcome: AgentOutcome, turns: number): boolean {
  if (outcome.kind !== 'failed' || turns > 0) return false;
  return outcome.failure === 'launch' || outcome.failure === 'agent' || outcome.failure === 'config';
}
