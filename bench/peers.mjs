/**
 * ralphctl beside a pool of bash loops with the same agent, alternating in one sitting: `npm run bench -- peers`. The pool
 * is what people write by hand: as many loops as slots, a worktree for each idea, a gate for the idea and one for the merged
 * tree, and a lock around merging. Both are measured from the first agent's start, by the agents' own clock.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aim, call, config, eventsOf, git, lab, median, ms, roadmap, table } from './lib.mjs';

const CASES = [
  { name: '12 ideas of 2 s, gate 2 s, 3 slots', ideas: 12, slots: 3, gate: 'sleep 2', until: 'landed', bound: 10_000 },
  { name: '16 ideas of 2 s, gate `true`, 4 slots', ideas: 16, slots: 4, gate: 'true', until: 'ended', bound: 8000 },
  {
    name: '4 of 5 s among 12 of 1 s, 4 slots',
    ideas: 16,
    slots: 4,
    gate: 'true',
    until: 'ended',
    bound: 8000,
    uneven: true,
  },
];
/** At most this part of the pool's time. */
const AIMS = [1 / 3, 1.04, 1.03];

const now = '$(date +%s%3N)';
const agentText = (log, uneven) => `#!/bin/sh
echo "b ${now}" >> '${log}'
${uneven ? 'case $RALPHCTL_IDEA in t-1|t-5|t-9|t-13) sleep 5;; *) sleep 1;; esac' : 'sleep 2'}
echo done > "$RALPHCTL_IDEA.txt"
echo "<ralph nonce=\\"$RALPHCTL_NONCE\\">COMPLETE</ralph>"
echo "e ${now}" >> '${log}'
`;

const poolText = ({ ideas, slots, gate }, agent, log) => `set -e
idea() {
  n=$1; tree="../wt-$n"
  flock merge.lock git worktree add -q -b "work/t-$n" "$tree" main
  ( cd "$tree"
    RALPHCTL_IDEA="t-$n" '${agent}' > /dev/null
    git add -A; git commit -qm "task $n"; ${gate} )
  exec 9> merge.lock; flock 9
  ( cd "$tree"; git rebase -q main; ${gate} )
  git merge -q --ff-only "work/t-$n"
  echo "l ${now}" >> '${log}'
  git worktree remove --force "$tree"; git branch -qD "work/t-$n"
}
export -f idea
seq 1 ${ideas} | xargs -P ${slots} -I{} bash -ec 'idea {}'
`;

async function clock(log) {
  const lines = (await readFile(log, 'utf8')).trim().split('\n');
  const at = (kind) => lines.filter((line) => line.startsWith(`${kind} `)).map((line) => Number(line.slice(2)));
  return {
    begin: Math.min(...at('b')),
    ended: Math.max(...at('e')),
    landed: Math.max(...at('l')),
    agents: at('e').length,
  };
}

/** One run of each side; the order changes with the round, so that neither always runs on the warmer machine. */
async function once(here, one, n, round) {
  const got = {};
  const sides = round % 2 === 0 ? ['pool', 'ours'] : ['ours', 'pool'];
  for (const side of sides) {
    const dir = await here.repo(`peers-${n}-${round}-${side}/repo`, { 'roadmap.md': roadmap(one.ideas) });
    const [log, agent] = [join(dir, '..', 'clock'), join(dir, '..', 'agent')];
    await writeFile(log, '');
    await writeFile(agent, agentText(log, one.uneven), { mode: 0o755 });
    if (side === 'pool') {
      const pool = await call('bash', ['-c', poolText(one, agent, log)], { cwd: dir, env: here.env });
      if (pool.code !== 0) throw new Error(`pool: exit ${pool.code}\n${pool.stderr}`);
    } else {
      const settings = config(agent, `slots: ${one.slots}\n`).replace('- "true"', `- "${one.gate}"`);
      await writeFile(join(dir, 'ralphctl.yaml'), settings);
      await git(dir, 'add', '-A');
      await git(dir, 'commit', '-qm', 'settings');
      const run = await here.ralphctl(dir, 'start', '--json');
      const events = eventsOf(run.stdout);
      const landed = events.filter(({ kind, status }) => kind === 'idea' && status === 'landed');
      if (run.code !== 0 || landed.length !== one.ideas)
        throw new Error(`${one.name}: exit ${run.code}\n${run.stderr}`);
      await writeFile(log, `${await readFile(log, 'utf8')}l ${Date.parse(landed.at(-1).at)}\n`);
      got.gates = events.filter(({ kind }) => kind === 'gate-start').length;
      await here.stopWorker(dir);
    }
    const times = await clock(log);
    const files = (await git(dir, 'ls-tree', '--name-only', 'main'))
      .split('\n')
      .filter((name) => /^t-\d+\.txt$/.test(name));
    if (times.agents !== one.ideas || files.length !== one.ideas)
      throw new Error(`${side}, ${one.name}: ${times.agents} agents, ${files.length} of ${one.ideas} on main`);
    got[side] = times[one.until] - times.begin;
  }
  return got;
}

export async function peers(here, rounds) {
  const rows = [];
  for (const [n, one] of CASES.entries()) {
    const all = [];
    for (let round = 0; round < rounds; round++) all.push(await once(here, one, n, round));
    const ratio = median(all.map(({ ours, pool }) => ours / pool));
    const of = (side) => median(all.map((got) => got[side]));
    const until = one.until === 'landed' ? 'all have landed' : 'the last agent ends';
    rows.push([one.name, until, ms(one.bound), ms(of('pool')), ms(of('ours')), ratio.toFixed(2), of('gates')]);
    aim(`${one.name}: of the pool's time`, AIMS[n], ratio, 'times');
  }
  table(
    `Beside a pool of bash loops, ${rounds} runs each, medians; the ratio is of runs side by side`,
    ['case', 'until', 'ideal', 'pool', 'ralphctl', 'of the pool', 'gate commands'],
    rows,
  );
}

if (process.argv[1]?.endsWith('peers.mjs')) {
  const here = await lab();
  try {
    await peers(here, Number(process.argv[2] ?? 5));
  } finally {
    await here.close();
  }
}
