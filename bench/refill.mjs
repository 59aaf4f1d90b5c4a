/**
 * How long a slot stands empty: from the end of an agent to the beginning of the next one, by the agents' own clock. Run it
 * after a build: `node bench/refill.mjs [rounds]`.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { config, eventsOf, lab, median, ms, noopAgent, roadmap, table } from './lib.mjs';

const rounds = Number(process.argv[2] ?? 1);
const CASES = [
  { name: '16 ideas of 2 s, 4 slots, gate `true`', ideas: 16, slots: 4, gate: 'true' },
  { name: '12 ideas of 2 s, 3 slots, gate 2 s', ideas: 12, slots: 3, gate: 'sleep 2' },
];

const here = await lab();
const got = new Map(CASES.map(({ name }) => [name, { refill: [], agents: [], landed: [] }]));
try {
  for (let round = 0; round < rounds; round++)
    for (const [n, { name, ideas, slots, gate }] of CASES.entries()) {
      const log = join(here.base, `clock-${round}-${n}`);
      await writeFile(log, '');
      const agent = `sh -c 'echo b $(date +%s%3N) >> ${log}; sleep 2; ${noopAgent.slice(7, -1)}; echo e $(date +%s%3N) >> ${log}'`;
      const settings = config(agent, `slots: ${slots}\n`).replace('- "true"', `- "${gate}"`);
      const dir = await here.repo(`refill-${round}-${n}`, { 'roadmap.md': roadmap(ideas), 'ralphctl.yaml': settings });
      const run = await here.ralphctl(dir, 'start', '--json');
      const landed = eventsOf(run.stdout).filter(({ kind, status }) => kind === 'idea' && status === 'landed');
      if (run.code !== 0 || landed.length !== ideas) throw new Error(`${name}: exit ${run.code}\n${run.stderr}`);
      const times = (await readFile(log, 'utf8'))
        .trim()
        .split('\n')
        .map((line) => line.split(' '));
      const at = (what) => times.flatMap(([kind, time]) => (kind === what ? [Number(time)] : [])).sort((a, b) => a - b);
      const [begins, ends] = [at('b'), at('e')];
      // The first agents fill the slots; each later one follows an end.
      const refills = begins.slice(slots).map((begin, index) => begin - ends[index]);
      const all = got.get(name);
      all.refill.push(...refills);
      all.agents.push(ends.at(-1) - begins[0]);
      all.landed.push(Date.parse(landed.at(-1).at) - begins[0]);
      console.log(name, median(refills), all.agents.at(-1), all.landed.at(-1));
      await here.stopWorker(dir);
    }
} finally {
  await here.close();
}
table(
  'How fast a slot is filled again',
  ['case', 'empty slot', 'until the last agent ends', 'until all have landed'],
  CASES.map(({ name }) => {
    const { refill, agents, landed } = got.get(name);
    return [name, ms(median(refill)), ms(median(agents)), ms(median(landed))];
  }),
);
