/**
 * A job process gets SIGKILL at every point of an attempt: before and after each file that it puts in place, and in the
 * middle of the agent's work. Afterwards the activity is tried again. Never two agents in one worktree, never a finished
 * iteration twice. Features: B1 C6.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { iterationDir } from '../../src/config/paths.js';
import { findByToken, killByToken } from '../../src/process/tokens.js';
import { leftAttempts } from '../../src/run-files/attempts.js';
import { type Bench, bench, say } from '../activities/bench.js';
import { pushing } from '../activities/pushing.js';
import { pidsWith } from '../support/processes.js';
import { roadmap, until } from '../support/program.js';
import { findGit, type HeldGit, Points } from './lib/points.js';

const LAUNCHER = fileURLToPath(new URL('../../dist/launcher.js', import.meta.url));

/** Counts every file that is put in place or taken away, and ends the process at one of these points. */
const HOOK = (count: string, at: number): string => `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
let points = 0;
const point = async () => {
  points++;
  fs.writeFileSync(${JSON.stringify(count)}, String(points));
  if (points !== ${at}) return;
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => undefined);
};
for (const name of ['rename', 'rm']) {
  const real = fs.promises[name];
  fs.promises[name] = async (...args) => {
    const counts = String(args[0]).includes('/state/');
    if (counts) await point();
    const result = await real(...args);
    if (counts) await point();
    return result;
  };
}
syncBuiltinESMExports();
`;

/** Works, and tells when it is not alone. */
const AGENT = `cat > /dev/null
for other in "$MARKS"/live.*; do
  # One that is dead and not yet reaped works no more.
  case "$(ps -o stat= -p "\${other##*.}" 2> /dev/null)" in '' | Z*) ;; *) echo "$other" >> "$MARKS/overlap" ;; esac
done
touch "$MARKS/live.$$"
echo begun >> "$MARKS/runs"
echo work >> work.txt
[ ! -e "$MARKS/stay" ] || exec sleep 600
${say('COMPLETE')}`;

/** Runs the activity's work in a job process that dies at the given point; gives how many points it passed. */
async function attempt(
  b: Bench,
  input: object,
  at: number,
  whileItRuns?: (pid: number) => Promise<void>,
  name: 'runAgent' | 'pushTarget' | 'landIdea' = 'runAgent',
): Promise<number> {
  const count = join(b.base, `points-${at}`);
  const hook = join(b.base, `hook-${at}.mjs`);
  await writeFile(hook, HOOK(count, at));
  await writeFile(count, '0');
  const child = fork(LAUNCHER, [], {
    execArgv: ['--import', hook],
    env: b.env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exit = once(child, 'exit');
  child.send({ do: 'init', root: b.root, host: 'testhost' });
  child.send({ do: 'work', id: 1, name, input, taskToken: 'dG9rZW4=' });
  // On a busy machine progress comes before the answer.
  child.on('message', (message) => 'ok' in Object(message) && child.disconnect());
  if (whileItRuns && child.pid) await whileItRuns(child.pid);
  await exit;
  return Number(await readFile(count, 'utf8'));
}

const runs = async (b: Bench): Promise<number> =>
  (await readFile(join(b.marks, 'runs'), 'utf8').catch(() => '')).split('\n').length - 1;

async function expectWhole(
  b: Bench,
  input: Parameters<Bench['activities']['runAgent']>[0],
  runsBefore: number,
): Promise<void> {
  const dir = iterationDir(b.root, b.project, b.ref.runId, 't-1', 1);
  const finished = await readFile(join(dir, 'result.json'), 'utf8').catch(() => undefined);
  const result = await b.call(b.activities.runAgent, input).done;
  expect(result).toMatchObject({ outcome: { kind: 'ok' }, signal: { kind: 'complete' } });
  expect(existsSync(join(b.marks, 'overlap')), 'two agents at once').toBe(false);
  // A finished iteration is returned; one that is not is run once more.
  expect(await runs(b)).toBe(finished === undefined ? runsBefore + 1 : runsBefore);
  if (finished !== undefined) expect(result).toEqual(JSON.parse(finished));
  expect(await findByToken(b.project)).toEqual([]);
  expect(readdirSync(dir).filter((name) => name === 'result.json')).toHaveLength(1);
}

describe('an attempt whose job process gets SIGKILL', () => {
  it('at every point: is tried again alone, and never repeats a finished iteration', { timeout: 240_000 }, async () => {
    const whole = await bench({ agent: AGENT });
    const points = await attempt(whole, whole.agentInput(await whole.prepare()), -1);
    expect(await runs(whole)).toBe(1);
    // Mark, prompt, last message, result, and the mark taken away: each has a before and an after.
    expect(points).toBeGreaterThanOrEqual(10);
    let finished = 0;
    for (let at = 1; at <= points; at++) {
      const b = await bench({ agent: AGENT });
      const input = b.agentInput(await b.prepare());
      await attempt(b, input, at);
      const isFinished = existsSync(join(iterationDir(b.root, b.project, b.ref.runId, 't-1', 1), 'result.json'));
      if (isFinished) finished++;
      await expectWhole(b, input, await runs(b));
      expect((await leftAttempts(b.root, b.project)).length, `marks after point ${at}`).toBeLessThanOrEqual(
        // The iteration was finished and only the mark is left: the next boot takes it away.
        isFinished ? 1 : 0,
      );
    }
    expect(finished).toBeGreaterThanOrEqual(2);
  });

  it('while the agent works: the orphan is ended before another one starts', { timeout: 240_000 }, async () => {
    const b = await bench({ agent: AGENT });
    const input = b.agentInput(await b.prepare());
    await b.write({ stay: '' }, b.marks);
    await attempt(b, input, -1, async (pid) => {
      await until('the agent at work', async () => (await runs(b)) === 1);
      process.kill(pid, 'SIGKILL');
    });
    const orphans = await findByToken(b.project);
    expect(orphans.length).toBeGreaterThan(0);
    await b.write({ stay: '' }, b.base);
    const { rm } = await import('node:fs/promises');
    await rm(join(b.marks, 'stay'));
    await expectWhole(b, input, 1);
    for (const orphan of orphans) expect(await findByToken(b.project)).not.toContainEqual(orphan);
  });

  it('between the green gate and the swap: the landing goes on without another gate', {
    timeout: 240_000,
  }, async () => {
    const b = await bench({
      files: { 'roadmap.md': roadmap([{ id: 't-1' }]) },
      config: { gate: { commands: ['echo ran >> "$COUNT"'], passEnv: ['COUNT'] } },
    });
    b.env.COUNT = join(b.marks, 'gates');
    const { worktree, branch, base } = await b.prepare();
    const { head } = await b.runAgent();
    const before = await b.git('rev-parse', 'main');
    const input = { ...b.ref, idea: 't-1', title: 'Do t-1', agentName: 'ed-001', worktree, branch, base, head };
    const points = await Points.install(b.base, await findGit(b.env.PATH ?? ''));
    const path = b.env.PATH;
    b.env.PATH = `${points.bin}:${path}`;
    await points.arm([{ point: 'landing: swap', side: 'before' }]);
    const held: HeldGit[] = [];
    const seen = new Set<string>();
    await attempt(
      b,
      input,
      -1,
      async (pid) => {
        await until('the swap', async () => held.push(...(await points.held(seen))) > 0);
        process.kill(pid, 'SIGKILL');
      },
      'landIdea',
    );
    await points.arm([]);
    for (const one of held) await one.release('die');
    await killByToken(b.project);
    expect(await b.git('rev-parse', 'main')).toBe(before);
    expect(await b.read(b.env.COUNT)).toBe('ran\n');
    const landed = await b.call(b.activities.landIdea, input).done;
    expect(landed).toMatchObject({ kind: 'landed', gate: { same: 'landing gate of t-1' } });
    expect(await b.read(b.env.COUNT)).toBe('ran\n');
    expect(await b.git('rev-list', '--count', `${before}..main`)).toBe('1');
    expect(await b.git('status', '--porcelain')).toBe('');
    b.env.PATH = path;
    expect(await b.call(b.activities.landIdea, input).done).toMatchObject({ kind: 'landed' });
  });

  it('while a push hangs: git and the hook of the remote are found by the project', { timeout: 240_000 }, async () => {
    const { b, lands, hook, inBare } = await pushing();
    await lands('t-1');
    const before = await inBare('rev-parse', 'main');
    const mark = join(b.base, 'in-hook');
    await hook('pre-receive', `touch '${mark}'; exec tail -f '${mark}'`);
    const hooks = () => pidsWith('tail', mark);
    const kill = async (pid: number): Promise<void> => {
      await until('the hook', async () => (await hooks()).length > 0);
      process.kill(pid, 'SIGKILL');
    };
    await attempt(b, b.ref, -1, kill, 'pushTarget');
    const [hanging = 0] = await hooks();
    expect((await findByToken(b.project)).map(({ pid }) => pid)).toContain(hanging);
    // As the next worker does when it begins.
    const ended = await killByToken(b.project);
    expect(ended.map(({ pid }) => pid)).toContain(hanging);
    expect([await hooks(), await findByToken(b.project)]).toEqual([[], []]);
    expect(await inBare('rev-parse', 'main')).toBe(before);
  });
});
