/** The waves of a run as lines. Text from outside has no terminal control characters. */
import { took } from '../../decide/duration.js';
import type { WavesLine } from '../../protocol/waves.js';
import { waveText } from '../../screen/words/wave-words.js';
import { clean, many } from './live-lines.js';

/** For `status`. */
export function wavesLines({ wave, of, phase, batch, over, done, held, waits }: WavesLine): string[] {
  const between =
    waits === undefined
      ? 'is over'
      : `waits: its reports depend on ideas that are open (${waits}); it begins when one ends`;
  const now = {
    between: `wave ${wave} of ${of} ${held === undefined ? between : `waits: the source cannot be read: ${clean(held)}`}`,
    planning: `wave ${wave} of ${of} is being planned`,
    working: `wave ${wave} of ${of}: ${over} of ${many(batch, 'idea')} over`,
    over: `no further wave; ${many(done.length, 'wave')}`,
  }[phase];
  return [`waves: ${now}`, ...done.map((one) => `  wave ${one.wave}: ${waveText(one, took)}`)];
}
