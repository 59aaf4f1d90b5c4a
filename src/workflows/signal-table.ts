/** Handlers of Temporal signals as rows of a table. May import @temporalio/workflow only. */
import { type SignalDefinition, setHandler } from '@temporalio/workflow';

export interface SignalRow<On> {
  register(on: On): void;
}

/** What a signal does to whatever is told. */
export function row<On, Args extends unknown[]>(
  signal: SignalDefinition<Args>,
  take: (on: On, args: Args) => void | Promise<void>,
): SignalRow<On> {
  return { register: (on) => setHandler(signal, (...args: Args) => take(on, args)) };
}

export function registerSignals<On>(on: On, rows: readonly SignalRow<On>[]): void {
  for (const one of rows) one.register(on);
}
