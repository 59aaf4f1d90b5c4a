/**
 * The ends of the gate logs of ideas whose last gate was red. The gate has masked secrets in its logs.
 * Invariant: reads a bounded number of bytes of a bounded number of files.
 */
import { tailOfOwn } from '../../config/own-files.js';
import type { RunModel } from '../../model/model.js';
import { plainText } from '../../protocol/escapes.js';

const MOST_IDEAS = 60;
const TAIL_BYTES = 4096;
const TAIL_LINES = 20;

export async function gateTails({ ideas }: RunModel): Promise<Map<string, string>> {
  const red = [...ideas.values()].flatMap(({ id, status, gate }) =>
    status !== 'landed' && gate && !gate.pass && gate.log !== undefined ? [{ id, log: gate.log }] : [],
  );
  const tails = new Map<string, string>();
  for (const { id, log } of red.slice(0, MOST_IDEAS)) {
    const read = await tailOfOwn(log, TAIL_BYTES).catch(() => undefined);
    const lines = plainText(read ?? '')
      .trimEnd()
      .split('\n');
    // The first line of a cut log may be half a line.
    const whole = Buffer.byteLength(read ?? '') < TAIL_BYTES ? lines : lines.slice(1);
    const text = whole.slice(-TAIL_LINES).join('\n');
    if (text.trim() !== '') tails.set(id, text);
  }
  return tails;
}
