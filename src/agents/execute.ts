/**
 * Runs an agent once: command line, environment, process, reading, outcome.
 * Invariant: resolves for everything an agent can do. Rejects only for a configuration that cannot run
 * (AgentConfigError) and for a failing `onSpawn`. Holds no state and knows no workflow.
 */
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { AgentSpec } from '../config/agent-spec.js';
import type { Identity } from '../process/identity.js';
import { passedValues, type Redact, redactor, secretValues } from '../process/redact.js';
import { type RunResult, startRun } from '../process/run.js';
import type { OpenSandbox } from '../process/sandbox/launch.js';
import type { AgentHeartbeat, AgentOutcome, Usage } from '../protocol/agent-run.js';
import { agentEnvironment } from './environment.js';
import { Heartbeat } from './reading/heartbeat.js';
import { classify } from './reading/outcome.js';
import { type AgentEvent, StreamFile } from './reading/stream.js';
import { boundedMessage } from './reading/tails.js';
import { adapterFor } from './registry.js';

/** How long a CLI may take to end after its last event, in milliseconds. */
const RESULT_GRACE_MS = 10_000;
/** Longest event line that is read, in bytes: an event may hold a whole file. */
const LONGEST_EVENT = 8 << 20;
/** Longer than well-behaved CLIs take to give up; some never do. */
const RETRYING_MS = 90_000;
export const FINAL_MESSAGE_LIMIT = 256 << 10;

export interface ExecuteAgentInput {
  spec: AgentSpec;
  prompt: string;
  /** A conversation to resume, where the adapter can; otherwise the agent starts a new one. */
  resume?: string;
  /** The worktree. */
  cwd: string;
  nonce: string;
  idea: string;
  iteration: number;
  /** Folder of this iteration, outside the worktree. */
  scratch: string;
  outputFile: string;
  token: string;
  timeoutMs: number;
  idleMs?: number;
  signal?: AbortSignal;
  /** The run is ended once it has used this much, as far as its CLI reports use while it works. */
  allowance?: { tokens?: number; dollars?: number };
  /**
   * Called when an agent starts, with its use so far and a function to end it; the returned function is called at its
   * end.
   */
  meter?: (used: () => Usage | undefined, end: () => void) => () => void;
  maxLogBytes?: number;
  killGraceMs?: number;
  /** How long the CLI may take to end after its last event, milliseconds. Default 10 s. */
  resultGraceMs?: number;
  /** How long a CLI may retry by itself, milliseconds. Default 90 s, because a wait in the workflow is cheaper. */
  retryingMs?: number;
  onSpawn?: (identity: Identity) => void | Promise<void>;
  /** Called once, as soon as a later run could resume this conversation. Must not throw. */
  onConversation?: (sessionId: string) => void;
  /** Added last; may set RALPHCTL_* variables, which the configuration cannot. */
  extraEnv?: Readonly<Record<string, string>>;
  /** Writer for the normalised events as JSON lines, bounded in size; absent: none are written. */
  streamFile?: string;
  /** Gets each normalised event unchanged, with secrets. Must be cheap and not throw. */
  onEvent?: (event: AgentEvent) => void;
  /** Called once a second with the state of the run, if something happened. */
  onHeartbeat?: (heartbeat: AgentHeartbeat) => void;
  /** The source environment of the allow-list; `process.env` when absent. */
  baseEnv?: NodeJS.ProcessEnv;
  /** Opens the sandbox in which it runs. Absent: it runs as the user. */
  sandbox?: OpenSandbox | undefined;
}

export interface ExecuteAgentResult {
  outcome: AgentOutcome;
  /** The agent's last message, its end when it is longer than 256 Ki characters. */
  finalMessage: string;
  exitCode: number | null;
  durationMs: number;
  usage?: Usage;
  turns: number;
  sessionId?: string;
  /** As the CLI names it. */
  model?: string;
  /** A later run can resume this conversation. */
  resumable: boolean;
  /** The last raw output. */
  tail: string;
  /** The result of the process layer, for the record. */
  run: RunResult;
  /** Removes the secrets of this run from a text. `finalMessage` still contains them, `outcome` and `tail` do not. */
  redact: Redact;
}

const OVER: AgentOutcome = { kind: 'timeout', why: 'budget' };

function usesMore(used: Usage | undefined, most: ExecuteAgentInput['allowance']): boolean {
  if (!used || !most) return false;
  const tokens = (used.inputTokens ?? 0) + (used.outputTokens ?? 0);
  return (
    tokens > (most.tokens ?? Number.POSITIVE_INFINITY) ||
    (used.costUsd ?? 0) > (most.dollars ?? Number.POSITIVE_INFINITY)
  );
}

/** Runs the agent to its end; nothing that it started is left when this resolves. */
export async function executeAgent(input: ExecuteAgentInput): Promise<ExecuteAgentResult> {
  const spec = input.sandbox ? { ...input.spec, sandboxed: true } : input.spec;
  const adapter = adapterFor(spec);
  const { resume, ...rest } = input;
  const invocation = adapter.invocation(spec, {
    ...rest,
    sessionId: randomUUID(),
    root: process.getuid?.() === 0,
    resume: adapter.resumes ? resume : undefined,
  });
  for (const [path, content] of Object.entries(invocation.files ?? {})) await writeFile(path, content, { mode: 0o600 });
  const env = {
    ...agentEnvironment(spec, input.baseEnv ?? process.env, invocation.env),
    RALPHCTL_IDEA: input.idea,
    RALPHCTL_ITERATION: String(input.iteration),
    RALPHCTL_NONCE: input.nonce,
    RALPHCTL_AGENT: spec.name,
    ...input.extraEnv,
  };
  const patience = new Patience(input.retryingMs ?? RETRYING_MS, () => handle.kill());
  let over = false;
  const base = input.baseEnv ?? process.env;
  const secrets = [...secretValues(env, base), ...passedValues(base, spec.passEnv)];
  const redact = redactor(secrets);
  const stream = input.streamFile === undefined ? undefined : await StreamFile.open(input.streamFile, { redact });
  const heartbeat = new Heartbeat(redact);
  const reader = adapter.reader(spec, (event) => {
    // A CLI that retries for ever is not at work. Its use between two retries is reported, too.
    if (event.kind !== 'usage') handle.waiting(event.kind === 'retrying' || event.kind === 'limit');
    stream?.emit(event);
    heartbeat.take(event);
    input.onEvent?.(event);
  });
  let known: string | undefined;
  const conversation = (): void => {
    if (known !== undefined || !adapter.resumes || !reader.conversation) return;
    known = reader.conversation.id ?? invocation.sessionId;
    if (known !== undefined) input.onConversation?.(known);
  };
  const teller = input.onHeartbeat && tell(heartbeat, input.onHeartbeat);
  const handle = startRun({
    argv: invocation.argv,
    sandbox: input.sandbox,
    cwd: input.cwd,
    places: [input.cwd],
    env,
    outputFile: input.outputFile,
    token: input.token,
    secrets,
    timeoutMs: input.timeoutMs,
    maxLineBytes: LONGEST_EVENT,
    onLine: (line, stream, truncated) => {
      if (reader.line(line, stream, truncated)?.terminal) {
        handle.resultSeen(input.resultGraceMs ?? RESULT_GRACE_MS);
      } else if (!over && usesMore(reader.usage, input.allowance)) {
        over = true;
        handle.kill();
      }
      patience.see(reader.retrying);
      conversation();
    },
    stdin: invocation.stdin,
    idleMs: input.idleMs,
    signal: input.signal,
    maxLogBytes: input.maxLogBytes,
    killGraceMs: input.killGraceMs,
    onSpawn: input.onSpawn,
  });
  const unmetered = input.meter?.(
    () => reader.usage,
    () => {
      over = true;
      handle.kill();
    },
  );
  const run = await handle.done.finally(() => {
    unmetered?.();
    patience.end();
    clearInterval(teller);
    return stream?.close();
  });
  const reading = reader.finish();
  const sessionId = reading.sessionId ?? invocation.sessionId;
  const outcomeOf = (): AgentOutcome => {
    const options = {
      hasTerminalEvent: adapter.hasTerminalEvent(spec),
      name: spec.name,
      gaveUp: patience.lost,
      exitMeaning: adapter.exitMeaning,
      words: spec.failures,
    };
    const ours = over && run.stopped === 'aborted' && !input.signal?.aborted;
    if (!ours) return classify(reading, run, options);
    // It had ended before it could be stopped: its result counts.
    return reading.terminal === undefined ? OVER : classify(reading, { ...run, stopped: 'result-grace' }, options);
  };
  const outcome = outcomeOf();
  return {
    outcome: outcome.kind === 'failed' ? { ...outcome, message: redact(outcome.message) } : outcome,
    finalMessage: boundedMessage(reading.finalMessage, FINAL_MESSAGE_LIMIT),
    exitCode: run.exitCode,
    durationMs: run.durationMs,
    turns: reading.turns,
    // Before its first turn there is nothing to resume.
    resumable: adapter.resumes && sessionId !== undefined && reading.turns > 0,
    tail: run.tail,
    run,
    redact,
    usage: reading.usage,
    sessionId,
    model: reading.model,
  };
}

/** Heartbeats are sent every few seconds; an agent may do a thousand things in one. */
function tell(heartbeat: Heartbeat, onHeartbeat: (heartbeat: AgentHeartbeat) => void): NodeJS.Timeout {
  return setInterval(() => {
    const news = heartbeat.news();
    if (news) onHeartbeat(news);
  }, 1000);
}

/**
 * Limits how long a CLI may retry by itself: some wait for a network or for the end of a limit for ever. A workflow
 * that waits instead releases the slot, can use a fallback and survives a restart.
 */
export class Patience {
  #timer: NodeJS.Timeout | undefined;
  #lost = false;

  constructor(
    private readonly limitMs: number,
    private readonly onLost: () => void,
  ) {}

  /** It timed out. */
  get lost(): boolean {
    return this.#lost;
  }

  /** Called with every line: the clock runs from the first retry to the next sign of work. */
  see(retrying: boolean): void {
    if (!retrying) this.end();
    else
      this.#timer ??= setTimeout(() => {
        this.#lost = true;
        this.onLost();
      }, this.limitMs);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
