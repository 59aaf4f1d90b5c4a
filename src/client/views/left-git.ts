/** Git commands of a killed worker, which the next worker waits for before it works. Reads only. */
import { findLeftGit, type LeftGit, type Place } from '../../process/left-git.js';
import { runningWorker } from '../../worker/record.js';

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

/** Longer than a worker takes to come up on a busy machine. */
const COMES_UP_MS = 2 * 60_000;

async function waits({ root, project }: Place): Promise<string> {
  const worker = await runningWorker(root, project).catch(() => undefined);
  const age = Date.now() - Date.parse(worker?.startedAt ?? '');
  if (!(age > COMES_UP_MS)) return 'it has just started, or the machine is busy. Ask again in a few seconds';
  return `the machine is busy, or it hangs. If this stays so, start it anew: ralphctl worker --stop, then: ralphctl start`;
}

/** Why a worker that runs does not answer, for `status`. */
export async function noAnswer(place: Place): Promise<string> {
  const left = await leftGit(place);
  return left
    ? `${NO_ANSWER} it waits for a git that a killed worker left: ${left.what}. It ends it where that is safe, else waits for at most five minutes; ${left.fix}`
    : `${NO_ANSWER} ${await waits(place)}`;
}
