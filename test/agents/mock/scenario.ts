/**
 * What the mock answers to the nth request of a run.
 * Invariant: pure; how far a conversation is comes from the conversation, so that a CLI may ask again after a fault.
 */
import type { Ask, Fault, Turn } from './protocol.js';
import { questionCall, shellCall, type Write, writeCall } from './tools.js';

export interface Scenario {
  /** Tool calls one after the other, then the answer. */
  calls?: Array<{ write: Write } | { shell: string } | 'question'>;
  /** The last call is asked for again and again; `{n}` in its command counts, as some CLIs notice a model that repeats itself. */
  endless?: boolean;
  /**
   * The last words, or what makes them of the texts in the request; `{nonce}` becomes the one in the prompt. '' is an
   * empty answer. Default: a finished idea.
   */
  answer?: string | ((texts: string) => string);
  /** The first `times` requests (all when absent) are refused. */
  fault?: { kind: Fault; times?: number; retryAfter?: number };
  /** The first `times` requests (all when absent) get no answer, or half of one. */
  cut?: { how: 'hang' | 'drop'; at: 'start' | 'middle'; times?: number };
}

export type Reply = { refuse: Fault; retryAfter?: number } | { turn: Turn; cut?: Scenario['cut'] };

/** What an idea's agent says when it is done. */
export const DONE = 'All done.\n\n<ralph nonce="{nonce}">COMPLETE</ralph>';

/** The worktree, as the CLI itself tells its model. */
const worktreeIn = (body: string): string =>
  /\/[^\s"'<>\\`]*\/projects\/[^\s"'<>\\/`]+\/worktrees\/[^\s"'<>\\/`]+/.exec(body)?.[0] ?? '.';

/** All texts of a request, in order. */
function textsIn(body: string): string {
  const texts: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) collect(one);
  };
  collect(JSON.parse(body));
  return texts.join('\n');
}

const nonceIn = (body: string): string => [...body.matchAll(/The word for this iteration is (\w+)/g)].at(-1)?.[1] ?? '';

/** `served`: requests of this run before this one. `body`: the whole request as text. */
export function reply(scenario: Scenario, ask: Ask, served: number, body: string): Reply {
  const { fault, cut, calls = [] } = scenario;
  if (fault && served < (fault.times ?? Number.POSITIVE_INFINITY)) {
    return { refuse: fault.kind, ...(fault.retryAfter === undefined ? {} : { retryAfter: fault.retryAfter }) };
  }
  const broken = cut && served < (cut.times ?? Number.POSITIVE_INFINITY) ? { cut } : {};
  const { answer = DONE } = scenario;
  const final = (typeof answer === 'string' ? answer : answer(textsIn(body))).replaceAll('{nonce}', nonceIn(body));
  if (ask.tools.length === 0) return { turn: { text: withEdits(calls, final) }, ...broken };
  const step = calls[scenario.endless ? Math.min(ask.results, calls.length - 1) : ask.results];
  if (!step) return { turn: { text: final }, ...broken };
  if (step === 'question') return { turn: { text: 'I have to ask.', call: questionCall(ask.tools) }, ...broken };
  const call =
    'write' in step
      ? writeCall(ask.tools, worktreeIn(body), step.write)
      : shellCall(ask.tools, step.shell.replaceAll('{n}', String(ask.results)));
  return call
    ? { turn: { text: 'Working on it.', call }, ...broken }
    : { turn: { text: `No tool for this among ${ask.tools.map((tool) => tool.name).join(', ')}.` } };
}

/** A CLI without tools takes whole files out of the answer. */
function withEdits(calls: NonNullable<Scenario['calls']>, final: string): string {
  const edits = calls.flatMap((call) => (call !== 'question' && 'write' in call ? [call.write] : []));
  return [...edits.map(({ path, text }) => `${path}\n\`\`\`\n${text.replace(/\n?$/, '\n')}\`\`\`\n`), final].join('\n');
}
