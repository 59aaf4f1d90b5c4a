/**
 * Damage of the index of the user's checkout, told as a warning, except where the question about an agent tells it.
 * Invariant: a person is told once of each damage, and of every one that ralphctl could not repair.
 */
import { type IndexDamage, watchIndex } from '../../git/confinement/kept-index.js';
import type { OutOfBoundsChange } from '../../git/confinement/out-of-bounds.js';
import type { OutsidePlace } from '../../git/confinement/outside.js';
import type { Wall } from '../../git/confinement/wall.js';
import { inspectRepository } from '../../git/repository.js';
import type { Redact } from '../../process/redact.js';
import { LONGEST_WARNING } from '../../protocol/warnings.js';
import type { LoadedRun } from '../../run-files/run.js';
import type { WorkDeps } from '../job.js';
import { wallOf } from './walls.js';

export interface IndexNotices {
  look(): Promise<void>;
  /** The notice, with the damage that was found and that no question tells. */
  with(notice: string | undefined, asked: readonly OutOfBoundsChange[], redact: Redact): string | undefined;
}

/** Looks at once, and at each call of `look`. */
export async function indexNotices(
  { wall, idea }: { wall?: Wall; idea: string },
  place: OutsidePlace,
): Promise<IndexNotices> {
  const found: Array<IndexDamage & { when: string }> = [];
  const look = async (when: string): Promise<void> => {
    const damage = wall && (await watchIndex(place, wall.dir));
    if (damage) found.push({ ...damage, when });
  };
  await look('before');
  return {
    look: () => look('while'),
    with: (notice, asked, redact) => {
      const untold = found
        .splice(0)
        .filter(({ what }) => !asked.some((one) => one.what === what) && !notice?.includes(what));
      const texts = untold.map(({ when, ...damage }) => redact(`${when} ${idea} ran, ${damageText(damage)}`));
      // Whole sentences only: a command that is cut is of no use.
      return [...texts, notice].reduce<string | undefined>((all, text) => {
        if (all === undefined || text === undefined) return all ?? text;
        return all.length + text.length + 2 <= LONGEST_WARNING ? `${all}; ${text}` : all;
      }, undefined);
    },
  };
}

/** As a clause: nobody is named. */
export const damageText = ({ what, fix }: IndexDamage): string =>
  `an agent, another program or a person ${what}${fix ? `. What was staged there and not committed is lost; rebuild it: ${fix}` : ''}`;

/** Of a look beside a landing: a sentence about damage. */
export async function indexDamage(deps: WorkDeps, run: LoadedRun): Promise<string | undefined> {
  const place = await inspectRepository(run.file.repo).catch(() => undefined);
  // The landing itself says what is wrong with the repository.
  const damage = place && (await watchIndex(place, (await wallOf(deps, run)).dir));
  return damage && `Before it landed, ${damageText(damage)}.`;
}
