/** A line of `go test -json`. Pure. */
import type { Named } from './types.js';

export function goEvent(line: string): Named | undefined {
  if (!line.startsWith('{"') || !line.includes('"Test":')) return undefined;
  try {
    const { Action, Test, Package } = JSON.parse(line) as Record<string, unknown>;
    if ((Action !== 'pass' && Action !== 'skip') || typeof Test !== 'string') return undefined;
    return { name: `${String(Package)} ${Test}`, kind: Action === 'pass' ? 'passed' : 'skipped' };
  } catch {
    return undefined;
  }
}
