/** What code prints on stdout. */
import { vi } from 'vitest';

/** Of a command. */
export async function printed(act: () => Promise<unknown>): Promise<string> {
  const taken = take();
  try {
    await act();
  } finally {
    taken.end();
  }
  return taken.text();
}

/** Of code that prints at once. */
export function printedNow(act: () => unknown): string {
  const taken = take();
  try {
    act();
  } finally {
    taken.end();
  }
  return taken.text();
}

function take(): { text: () => string; end: () => void } {
  const parts: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => parts.push(String(text)) > 0);
  return { text: () => parts.join(''), end: () => write.mockRestore() };
}
