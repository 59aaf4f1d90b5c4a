/**
 * Handlers of Temporal signals as rows of a table.
 * Invariant: anybody can send anything under any name, and an error in a handler would stop the workflow for good. A row
 * therefore reads what it was sent before it acts, and what it cannot read changes nothing but is told.
 * Messages between the two workflows go through the default handler, so that the Web UI does not offer them.
 */
import { defineSignal, type SignalDefinition, setDefaultSignalHandler, setHandler } from '@temporalio/workflow';
import type { Autopilot } from '../decide/autopilot.js';
import type { AutopilotInput } from '../protocol/run.js';
import { isUnreadable } from './payloads.js';

/** Longest message between the workflows, as JSON: what one adds up to must fit the payload of an activity. */
const MAX_INTERNAL = 1_000_000;

export interface SignalRow<On> {
  name: string;
  /** For the person who sends it. Absent: between the workflows. */
  description?: string;
  /** Returns why the message was ignored. */
  take: (on: On, args: readonly unknown[]) => string | undefined | Promise<string | undefined>;
}

type Read<Args extends unknown[]> = (args: readonly unknown[]) => Args | { problem: string };

const taking =
  <On, Args extends unknown[]>(read: Read<Args>, act: (on: On, args: Args) => void | Promise<void>) =>
  (on: On, args: readonly unknown[]): string | undefined | Promise<string | undefined> => {
    const said = read(args);
    if ('problem' in said) return said.problem;
    const done = act(on, said);
    return done instanceof Promise ? done.then(() => undefined) : undefined;
  };

/** A signal that people send. */
export function row<On, Args extends unknown[]>(
  { name }: SignalDefinition<Args>,
  description: string,
  read: Read<Args>,
  act: (on: On, args: Args) => void | Promise<void>,
): SignalRow<On> {
  return { name, description, take: taking(read, act) };
}

/** A signal of one of our programs, with one argument. */
export function internal<On, T>(
  { name }: SignalDefinition<[T]>,
  check: (value: unknown) => value is T,
  act: (on: On, args: [T]) => void | Promise<void>,
): SignalRow<On> {
  const read: Read<[T]> = ([value]) => {
    if (!check(value)) return { problem: 'it is a message between the workflows of ralphctl, and this is none' };
    return JSON.stringify(value).length > MAX_INTERNAL ? { problem: 'the message is too long' } : [value];
  };
  return { name, take: taking(read, act) };
}

/** `ignored` is told the name of a signal that was ignored, and why. */
export function registerSignals<On>(
  on: On,
  rows: readonly SignalRow<On>[],
  ignored: (name: string, why: string) => void,
): void {
  const tell = (name: string, why: string | undefined): void => {
    if (why !== undefined) ignored(name, why);
  };
  const receive = ({ name, take }: SignalRow<On>, args: unknown[]): void | Promise<void> => {
    const unreadable = args.find(isUnreadable);
    if (unreadable) return tell(name, unreadable.why);
    const result = take(on, args);
    if (result instanceof Promise) return result.then((why) => tell(name, why));
    return tell(name, result);
  };
  const unlisted = new Map<string, SignalRow<On>>();
  for (const one of rows) {
    const { name, description } = one;
    if (description === undefined) unlisted.set(name, one);
    else setHandler(defineSignal<unknown[]>(name), (...args: unknown[]) => receive(one, args), { description });
  }
  setDefaultSignalHandler((name, ...args) => {
    const one = unlisted.get(name);
    if (one) return receive(one, args);
    tell(name, 'there is no such signal');
  });
}

export interface RunControls {
  input: AutopilotInput;
  /** Undefined until the run has been opened. */
  pilot: () => Autopilot | undefined;
  /** Queues an event for the main loop. */
  tell: (event: (pilot: Autopilot) => void) => void;
}
