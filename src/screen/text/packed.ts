/** Short texts side by side, on as few lines as they need. Pure. */
import { width } from './text.js';

/** Packs as many items on each line as fit. */
export function packed(items: readonly string[], cells: number): string[] {
  const lines: string[] = [];
  for (const item of items) {
    const last = lines.at(-1);
    const next = last === undefined ? item : `${last}   ${item}`;
    if (last === undefined || width(next) > cells) lines.push(item);
    else lines[lines.length - 1] = next;
  }
  return lines;
}
