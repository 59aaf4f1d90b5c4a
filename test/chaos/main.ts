/**
 * `npm run chaos -- --seed N --minutes M [--step S] [--steps K]`: episode after episode until the time is over. A violation
 * prints seed, step and story, keeps the sandbox, and makes the exit code 1.
 */
import { fileURLToPath } from 'node:url';
import { runEpisode } from './lib/episode.js';
import { describeShock, planEpisode } from './lib/plan.js';
import { canMount } from './lib/sandbox.js';

function number(name: string): number | undefined {
  const at = process.argv.indexOf(`--${name}`);
  if (at < 0) return undefined;
  const value = Number(process.argv[at + 1]);
  if (!Number.isInteger(value) || value < 0) throw new Error(`--${name} takes a whole number`);
  return value;
}

const root = process.env.RALPHCTL_CHAOS_ROOT ?? process.cwd();
const program = {
  cli: `${root}/dist/cli.js`,
  agent: fileURLToPath(new URL(`file://${root}/test/chaos/lib/agent.mjs`)),
};
const seed = number('seed') ?? Math.floor(Math.random() * 1e6);
const only = number('step');
const minutes = number('minutes') ?? 10;
const steps = only === undefined ? (number('steps') ?? Number.POSITIVE_INFINITY) : only + 1;
const end = Date.now() + minutes * 60_000;
const mountable = await canMount();
console.log(`seed ${seed}, ${minutes} minutes${mountable ? '' : '; no small disks: mounting one needs root'}`);
let bad = 0;
let done = 0;
for (let step = only ?? 0; step < steps && Date.now() < end; step++) {
  const episode = planEpisode(seed, step, { canMount: mountable });
  const { wrong, story, seconds, base } = await runEpisode(episode, program);
  done += 1;
  const what = `${episode.ideas} ideas, ${episode.slots} slots, ${episode.checkout}${episode.smallDisk ? ', small disk' : ''}`;
  console.log(
    `${wrong.length === 0 ? 'ok  ' : 'BAD '} step ${step} (${seconds.toFixed(0)} s; ${what}): ${episode.shocks.map(describeShock).join('; ')}`,
  );
  if (wrong.length === 0) continue;
  bad += 1;
  console.log(`${story.join('\n')}\nsandbox kept: ${base}\nagain: npm run chaos -- --seed ${seed} --step ${step}`);
}
console.log(`${done} episodes, ${bad} with violations (seed ${seed})`);
process.exit(bad === 0 ? 0 : 1);
