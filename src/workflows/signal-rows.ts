/**
 * Handlers of Temporal signals as rows of a table.
 * Invariant: anybody can send anything under any name, and an error in a handler would block the workflow for good. So
 * each row reads its input before it acts. Unreadable input changes nothing and is reported.
 * Messages between the two workflows use the default handler, so that the Web UI does not offer them.
 * May import @temporalio/workflow only.
 */
import { defineSignal, type SignalDefinition, setDefaultSignalHandler, setHandler } from '@temporalio/workflow';
import { isUnreadable } from './payloads.js';

/** Longest message between the workflows, as JSON: the sum of them must fit an activity payload. */
const MAX_INTERNAL = 1_000_000;

export interface SignalRow<On> {
  name: string;
  /** Help for the person who sends it. Absent: between the workflows. */
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

/** A signal of a ralphctl program, with one argument. */
export function internal<On, T>(
  { name }: SignalDefinition<[T]>,
  check: (value: unknown) => value is T,
  act: (on: On, args: [T]) => void | Promise<void>,
): SignalRow<On> {
  const read: Read<[T]> = ([value]) => {
    if (!check(value)) return { problem: 'only a workflow of ralphctl may send this message' };
    return JSON.stringify(value).length > MAX_INTERNAL ? { problem: 'the message is too long' } : [value];
  };
  return { name, take: taking(read, act) };
}

/** `ignored` gets the name of an ignored signal, and the reason. */
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
