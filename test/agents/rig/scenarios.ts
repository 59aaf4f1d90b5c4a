/**
 * What is tried with every CLI, and how it ought to be understood. Where a CLI cannot do better, expected/<cli>.json says
 * so with the reason.
 */
import type { FailureKind } from '../../../src/protocol/failures.js';
import type { Scenario } from '../mock/scenario.js';
import type { SetupOptions } from './drivers.js';

export type Kind = 'ok' | 'timeout' | FailureKind;

export interface Case {
  name: string;
  expected: Kind;
  mock: Scenario;
  setup?: SetupOptions;
  /** Wall clock of the run, milliseconds. Default one minute. */
  timeoutMs?: number;
  /** Silence that ends the run, milliseconds. Default 25 seconds. */
  idleMs?: number;
  /** The file that the agent is to have written. */
  writes?: { path: string; text: string };
  /** Sent to the agent in the middle of its tool call. */
  signal?: NodeJS.Signals;
  /** Nobody listens at the model's address. */
  refused?: true;
}

/** Written by the tool call of the cases that stop the agent in the middle of it. */
export const IN_TOOL = 'in-tool';
const WAIT = 'while [ -d MARKS ] && [ ! -e MARKS/go ]; do sleep 0.1; done';
/**
 * Long-running, with a child in the background. Ends by itself when the test says so, or is over. There is no `$(` in it, not
 * even of arithmetic: gemini refuses such commands.
 */
export const LINGER = `echo $$ > MARKS/${IN_TOOL}; (${WAIT}) & ${WAIT}`;

/** The scenario with `MARKS` in its commands as a folder: some CLIs hand no variables on to what they run. */
export const withMarks = (scenario: Scenario, folder: string): Scenario => ({
  ...scenario,
  ...(scenario.calls
    ? {
        calls: scenario.calls.map((call) =>
          call !== 'question' && 'shell' in call ? { shell: call.shell.replaceAll('MARKS', folder) } : call,
        ),
      }
    : {}),
});

const write = { write: { path: 'by-agent.txt', text: 'hello from the model\n' } };
const HANG = 20_000;
/** Time for the slowest to give up by itself: what it then says is what counts. */
const PATIENT = { timeoutMs: 240_000, idleMs: 150_000 };

export const CASES: readonly Case[] = [
  { name: 'text', expected: 'ok', mock: {} },
  { name: 'write', expected: 'ok', mock: { calls: [write] }, writes: write.write },
  {
    name: 'shell',
    expected: 'ok',
    mock: { calls: [{ shell: 'echo shell > by-shell.txt' }] },
    writes: { path: 'by-shell.txt', text: 'shell\n' },
  },
  {
    name: 'background',
    expected: 'ok',
    mock: { calls: [{ shell: 'nohup sleep 300 > /dev/null 2>&1 & echo started > by-shell.txt' }] },
    writes: { path: 'by-shell.txt', text: 'started\n' },
  },
  // Nobody is there to answer: whatever tool there is for it, it must not wait.
  { name: 'question', expected: 'ok', mock: { calls: ['question'] } },
  { name: 'empty', expected: 'ok', mock: { answer: '' } },
  {
    name: 'loop',
    expected: 'timeout',
    mock: { calls: [{ shell: 'echo again {n}; sleep 0.5' }], endless: true },
    timeoutMs: HANG,
  },
  { name: '429-twice', expected: 'ok', mock: { fault: { kind: 'rate', times: 2, retryAfter: 1 } } },
  { name: '429', expected: 'limited', mock: { fault: { kind: 'rate', retryAfter: 1 } }, ...PATIENT },
  { name: '429-silent', expected: 'limited', mock: { fault: { kind: 'rate' } }, ...PATIENT },
  { name: '429-hour', expected: 'limited', mock: { fault: { kind: 'rate', retryAfter: 3600 } } },
  {
    name: 'usage-subscription',
    expected: 'limited',
    mock: { fault: { kind: 'usage-subscription' } },
    setup: { subscription: true },
    ...PATIENT,
  },
  { name: 'usage-key', expected: 'limited', mock: { fault: { kind: 'usage-key' } }, ...PATIENT },
  { name: '529-twice', expected: 'ok', mock: { fault: { kind: '529', times: 2 } } },
  { name: '529', expected: 'transient', mock: { fault: { kind: '529' } } },
  { name: '503', expected: 'transient', mock: { fault: { kind: '503' } } },
  { name: '500', expected: 'transient', mock: { fault: { kind: '500' } } },
  { name: '401', expected: 'auth', mock: { fault: { kind: '401' } } },
  { name: '403', expected: 'auth', mock: { fault: { kind: '403' } } },
  { name: 'no-key', expected: 'auth', mock: { fault: { kind: '401' } }, setup: { anonymous: true } },
  { name: 'model', expected: 'config', mock: { fault: { kind: '404' } } },
  { name: 'context', expected: 'context', mock: { fault: { kind: 'context' } } },
  // A model that never answered is the provider's fault, whichever clock notices: no iteration is charged.
  { name: 'hang', expected: 'transient', mock: { cut: { how: 'hang', at: 'start' } }, timeoutMs: HANG },
  { name: 'hang-middle', expected: 'transient', mock: { cut: { how: 'hang', at: 'middle' } }, timeoutMs: HANG },
  { name: 'drop', expected: 'transient', mock: { cut: { how: 'drop', at: 'start' } } },
  { name: 'drop-middle', expected: 'transient', mock: { cut: { how: 'drop', at: 'middle' } } },
  { name: 'drop-once', expected: 'ok', mock: { cut: { how: 'drop', at: 'middle', times: 1 } } },
  { name: 'refused', expected: 'transient', mock: {}, refused: true },
  { name: 'sigterm', expected: 'killed', mock: { calls: [{ shell: LINGER }] }, signal: 'SIGTERM' },
  { name: 'sigkill', expected: 'killed', mock: { calls: [{ shell: LINGER }] }, signal: 'SIGKILL' },
];
