/**
 * `npm run chaos -- --seed N --minutes M [--step S] [--steps K]`: episode after episode until the time is over.
 * `-- --drills` or `-- --drill NAME`: a kill of every process at every boundary, or at one. A violation prints how to run
 * it again and its story, keeps the sandbox, and makes the exit code 1.
 */
import { fileURLToPath } from 'node:url';
import { DRILLS, planDrill } from './lib/drills.js';
import { runEpisode } from './lib/episode.js';
import { describeShock, type Episode, planEpisode } from './lib/plan.js';
import { canMount } from './lib/sandbox.js';

function word(name: string): string | undefined {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : process.argv[at + 1];
}

function number(name: string): number | undefined {
  const text = word(name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new Error(`--${name} takes a whole number`);
  return value;
}

const root = process.env.RALPHCTL_CHAOS_ROOT ?? process.cwd();
const lib = (name: string): string => fileURLToPath(new URL(`file://${root}/test/chaos/lib/${name}`));
const program = { cli: `${root}/dist/cli.js`, agent: lib('agent.mjs'), clock: lib('clock.mjs') };
const seed = number('seed') ?? Math.floor(Math.random() * 1e6);
const minutes = number('minutes') ?? 10;
const end = performance.now() + minutes * 60_000;

async function* episodes(): AsyncGenerator<{ name: string; again: string; episode: Episode }> {
  const drill = word('drill');
  if (drill !== undefined || process.argv.includes('--drills')) {
    for (const name of drill === undefined ? DRILLS : [drill])
      yield { name, again: `--drill "${name}"`, episode: planDrill(name) };
    return;
  }
  const mountable = await canMount();
  console.log(`seed ${seed}, ${minutes} minutes${mountable ? '' : '; no small disks: mounting one needs root'}`);
  const only = number('step');
  const steps = only === undefined ? (number('steps') ?? Number.POSITIVE_INFINITY) : only + 1;
  for (let step = only ?? 0; step < steps && performance.now() < end; step++) {
    const episode = planEpisode(seed, step, { canMount: mountable });
    yield { name: `step ${step}`, again: `--seed ${seed} --step ${step}`, episode };
  }
}

let bad = 0;
let done = 0;
for await (const { name, again, episode } of episodes()) {
  const { wrong, story, seconds, missed, base } = await runEpisode(episode, program);
  done += 1;
  const what = [
    `${episode.ideas} ideas, ${episode.slots} slots, ${episode.checkout}`,
    ...(episode.smallDisk ? ['small disk'] : []),
    ...(episode.rollAfter === undefined ? [] : [`rolling after ${episode.rollAfter} events`]),
    `${episode.shocks.length - missed} of ${episode.shocks.length} shocks`,
  ].join(', ');
  console.log(
    `${wrong.length === 0 ? 'ok  ' : 'BAD '} ${name} (${seconds.toFixed(0)} s; ${what}): ${episode.shocks.map(describeShock).join('; ')}`,
  );
  if (process.argv.includes('--story') && wrong.length === 0) console.log(story.join('\n'));
  if (wrong.length === 0) continue;
  bad += 1;
  console.log(`${story.join('\n')}\nsandbox kept: ${base}\nagain: npm run chaos -- ${again}`);
}
console.log(`${done} episodes, ${bad} with violations`);
process.exit(bad === 0 ? 0 : 1);
