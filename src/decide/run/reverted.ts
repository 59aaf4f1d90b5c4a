/** Words about landed work that a person's commit took off the target during a run. Pure; may import protocol only. */
import type { Reverted } from '../../protocol/git-work.js';

/** `it`: as the sentence names the idea. */
export function revertedText({ idea, by, subject, files, more }: Reverted, target: string, it = 'it'): string {
  const taker = `${by} (${subject})`;
  if (files === undefined)
    return `${taker} took ${it} off ${target} again; to run it again, once this run is over: ralphctl retry ${idea}`;
  const rest = more === undefined ? '' : ` and ${more} more`;
  return `${taker} took part of ${it} off ${target} again: ${files.join(', ')}${rest}`;
}
