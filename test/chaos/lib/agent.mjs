/**
 * The agent of the chaos suite. It keeps a diary outside the repository: when it began and ended, in which worktree, and
 * whether another one was still alive there. Its work depends on idea and iteration only, so doing it again is harmless.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const [diary, workMs] = [process.argv[2], Number(process.argv[3])];
const { RALPHCTL_IDEA: idea, RALPHCTL_NONCE: nonce } = process.env;
const iteration = Number(process.env.RALPHCTL_ITERATION);
const cwd = process.cwd();

function startOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
const note = (what, more = {}) =>
  appendFileSync(diary, `${JSON.stringify({ what, idea, iteration, cwd, pid: process.pid, ...more })}\n`);

note('begin', { start: startOf(process.pid) });
const earlier = readFileSync(diary, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
for (const other of earlier) {
  if (other.what !== 'begin' || other.cwd !== cwd || other.pid === process.pid) continue;
  const ended = earlier.some((one) => one.what === 'end' && one.pid === other.pid && one.start === other.start);
  if (!ended && startOf(other.pid) === other.start) note('overlap', { with: other });
}
await sleep(workMs / 2);
writeFileSync(`${idea}-${iteration}.txt`, `${idea} ${iteration}\n`);
if (idea.startsWith('s-')) {
  // Everybody adds a line; what a conflict left is put together again.
  const lines = existsSync('shared.txt') ? readFileSync('shared.txt', 'utf8').split('\n') : [];
  const all = new Set([...lines.filter((line) => line.startsWith('line ')), `line ${idea}`]);
  writeFileSync('shared.txt', `${[...all].sort().join('\n')}\n`);
}
await sleep(workMs / 2);
// While somebody speaks, this one stays at work, so that the words come in the middle of it; a minute at most.
const end = performance.now() + 60_000;
while (existsSync(join(dirname(diary), 'hold')) && performance.now() < end) await sleep(50);
note('end', { start: startOf(process.pid) });
const says = iteration >= 2 ? 'COMPLETE' : 'PROGRESS:50';
process.stdout.write(`<ralph nonce="${nonce}">${says}</ralph>\n`);
