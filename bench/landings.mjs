/**
 * How fast finished ideas land: 12 ideas on 3 slots, agent 2 s, gate 2 s, with and without gates ahead of the landing, in
 * one sitting. Run it after a build: `node bench/landings.mjs [rounds]`.
 */
import { config, eventsOf, git, lab, median, ms, noopAgent, roadmap, table } from './lib.mjs';

const rounds = Number(process.argv[2] ?? 1);
const IDEAS = 12;
const agent = `sh -c 'sleep 2; ${noopAgent.slice(7, -1)}'`;
const CASES = [
  ['every tree is gated (`gate.reuse: false`)', '  reuse: false\n'],
  ['`landing.parallel: 1`', ''],
  ['`landing.parallel: 3`', 'landing:\n  parallel: 3\n'],
];

const here = await lab();
const times = new Map(CASES.map(([name]) => [name, { whole: [], gates: [] }]));
try {
  for (let round = 0; round < rounds; round++)
    for (const [n, [name, more]] of CASES.entries()) {
      const settings = config(agent, `${more}slots: 3\n`).replace('- "true"', '- "sleep 2"');
      const dir = await here.repo(`landings-${round}-${n}`, {
        'roadmap.md': roadmap(IDEAS),
        'ralphctl.yaml': settings,
      });
      const run = await here.ralphctl(dir, 'start', '--json');
      const events = eventsOf(run.stdout);
      const landed = events.filter(({ kind, status }) => kind === 'idea' && status === 'landed');
      if (run.code !== 0 || landed.length !== IDEAS)
        throw new Error(`${name}: exit ${run.code}, ${landed.length} landed\n${run.stderr}`);
      const trailers = await git(dir, 'log', '--format=%(trailers:key=Ralph-Idea,valueonly)', 'main');
      const ids = trailers.split('\n').filter(Boolean);
      if (new Set(ids).size !== IDEAS) throw new Error(`${name}: ${ids.join(' ')}`);
      const first = events.find(({ kind }) => kind === 'iteration');
      const got = times.get(name);
      got.whole.push(Date.parse(landed.at(-1).at) - Date.parse(first.at));
      got.gates.push(events.filter(({ kind }) => kind === 'gate-start').length);
      await here.stopWorker(dir);
      console.log(name, got.whole.at(-1), got.gates.at(-1));
    }
} finally {
  await here.close();
}
const [before] = [...times.values()];
table(
  `${IDEAS} ideas on 3 slots, agent 2 s, gate 2 s: from the first agent to the last landing`,
  ['case', 'time', 'of the first', 'gate commands'],
  CASES.map(([name]) => {
    const { whole, gates } = times.get(name);
    return [name, ms(median(whole)), (median(whole) / median(before.whole)).toFixed(2), median(gates)];
  }),
);
