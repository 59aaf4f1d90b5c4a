/** Git commands of a killed worker, which the next worker waits for before it works. Reads only. */
import { findLeftGit, type LeftGit, type Place } from '../../process/left-git.js';

const named = ({ pid, command }: LeftGit): string => `${command} (pid ${pid})`;

/** Undefined where there is none. */
export async function leftGit(place: Place): Promise<{ what: string; fix: string } | undefined> {
  const left = await findLeftGit(place);
  const [first] = left;
  if (!first) return undefined;
  const pids = left.map(({ pid }) => pid).join(' ');
  return { what: left.map(named).join(', '), fix: `look at it: ps -fp ${first.pid}; end it: kill ${pids}` };
}

const NO_ANSWER = 'its worker runs but does not answer yet:';

/** Why a worker that runs does not answer, for `status`. */
export async function noAnswer(place: Place): Promise<string> {
  const left = await leftGit(place);
  return left
    ? `${NO_ANSWER} it waits for a git that a killed worker left: ${left.what}. It ends it where that is safe, else waits for at most five minutes; ${left.fix}`
    : `${NO_ANSWER} it has just started, or the machine is busy. Ask again in a few seconds`;
}
