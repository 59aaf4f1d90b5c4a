/**
 * What a person says to a run in the middle of it all. Invariant: said again until it is taken or refused for good, as a
 * person does who gets no answer; whatever is said, everything can land in the end.
 */
import { rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Saying } from './plan.js';
import type { Place } from './sandbox.js';

const REFUSED = 7;
const NO_RUN = 6;
/** A refusal may only mean that the one before is still being carried out. */
const REFUSALS_MS = 8000;
const UNANSWERED_MS = 60_000;

interface About {
  /** The idea that something just happened to. */
  idea: string;
  /** The one that landed last, where one has. */
  landed: string | undefined;
}

/** Commands one after the other. */
function words(what: Saying, { idea, landed }: About): string[][] {
  switch (what) {
    case 'pause-now':
      return [['pause', '--now'], ['resume']];
    case 'pause-now-idea':
      return [
        ['pause', idea, '--now'],
        ['resume', idea],
      ];
    case 'rollback':
      return [['rollback', idea]];
    case 'undo':
      return landed === undefined
        ? []
        : [
            ['rollback', landed],
            ['retry', landed],
          ];
    case 'stop-idea':
      return [
        ['stop', idea],
        ['resume', idea],
      ];
    case 'skip-fresh':
      return [
        ['skip', idea],
        ['retry', idea, '--fresh'],
      ];
    case 'skip-cleanup':
      return [
        ['skip', idea],
        ['cleanup', idea],
        ['retry', idea],
      ];
    case 'abandon':
      return [
        ['abandon', idea],
        ['retry', idea],
      ];
    case 'abort':
      return [['abort']];
    case 'stop':
      return [['stop']];
    case 'split':
      return [['split', idea, '--into', 'one half', '--into', 'the other half']];
  }
}

/** Returns what came of each. */
export async function say(what: Saying, about: About, place: Place, over: () => boolean): Promise<string> {
  const codes: string[] = [];
  // The first word comes while agents work; what follows may need them to end.
  await writeFile(place.hold, '');
  for (const command of words(what, about)) {
    const end = performance.now() + UNANSWERED_MS;
    let refusedUntil: number | undefined;
    const before = new Set<string>();
    for (;;) {
      const { code, stderr } = await place.call(...command);
      if (code === REFUSED) refusedUntil ??= performance.now() + REFUSALS_MS;
      const givenUp = performance.now() > Math.min(end, refusedUntil ?? Number.POSITIVE_INFINITY);
      // A refusal may be for want of an end.
      if (code === REFUSED) await rm(place.hold, { force: true });
      if (code === 0 || code === NO_RUN || givenUp || over()) {
        const last = `${code}${code === 0 ? '' : ` ${stderr.trim().slice(0, 150)}`}`;
        codes.push(`${command.join(' ')}: ${[...before, last].join(', then ')}`);
        await rm(place.hold, { force: true });
        break;
      }
      before.add(`${code} ${stderr.trim().slice(0, 150)}`);
      await sleep(300);
    }
  }
  return codes.join('; ');
}
