/**
 * `node bench/git-runners.mjs [ROUNDS]`: what a git command costs through the persistent shells, through simple-git and
 * through execa. The three ways take turns in every round, in a repository of 2,000 files, from a process as large as a
 * worker. Only the ratios count: the times depend on the machine.
 */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { execa } from 'execa';
import { lab, median, table } from './lib.mjs';

const FILES = 2_000;
/** Starting a process costs more the more memory its parent has. */
const WORKER_BYTES = 100 << 20;
const rounds = Number(process.argv[2] ?? 40);

const root = fileURLToPath(new URL('..', import.meta.url));
const bundle = join(root, 'dist', `bench-git-${process.pid}.mjs`);
await build({
  stdin: {
    contents: "export { git } from './src/git/runner.ts'; export { gitEnvironment } from './src/git/environment.ts';",
    resolveDir: root,
  },
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  outfile: bundle,
  logLevel: 'error',
});
const { git, gitEnvironment } = await import(pathToFileURL(bundle)).finally(() => rm(bundle));

const here = await lab();
const files = Object.fromEntries(
  Array.from({ length: FILES }, (_, n) => [`d${n % 40}/f${n}.txt`, `line ${n}\n`.repeat(20)]),
);
const dir = await here.repo('two-thousand', files);
const weight = Buffer.alloc(WORKER_BYTES, 1);

const env = gitEnvironment(process.env);
const { signal } = new AbortController();
const WAYS = {
  shells: (args) => git(dir).run(args),
  // A command that may be aborted goes through simple-git.
  'simple-git': (args) => git(dir).run(args, { signal }),
  execa: async (args) =>
    (
      await execa('git', args, {
        cwd: dir,
        env,
        extendEnv: false,
        stdin: 'ignore',
        detached: true,
        cancelSignal: signal,
      })
    ).stdout,
};
const COMMANDS = {
  'rev-parse': ['rev-parse', 'HEAD'],
  status: ['status', '--porcelain=v2', '-z'],
  diff: ['diff', '--name-status', '-z', 'HEAD'],
  commit: ['commit', '-q', '--allow-empty', '-m', 'a commit'],
  'update-ref': ['update-ref', 'refs/bench/tip', 'HEAD'],
};

const cost = Object.fromEntries(
  Object.keys(COMMANDS).map((name) => [name, Object.fromEntries(Object.keys(WAYS).map((way) => [way, []]))]),
);
const ways = Object.keys(WAYS);
for (let round = -3; round < rounds; round++) {
  await writeFile(join(dir, 'd1/f1.txt'), `round ${round}\n`);
  for (const [name, args] of Object.entries(COMMANDS)) {
    for (let turn = 0; turn < ways.length; turn++) {
      const way = ways[(turn + Math.abs(round)) % ways.length];
      const [from, before] = [performance.now(), process.cpuUsage()];
      await WAYS[way](args);
      const { user, system } = process.cpuUsage(before);
      // The first rounds load modules and start the shells.
      if (round >= 0) cost[name][way].push({ ms: performance.now() - from, cpu: (user + system) / 1000 });
    }
  }
}
const times = (part, whole) => `${(part / whole).toFixed(2)} x`;
const rows = Object.entries(cost).map(([name, by]) => {
  const of = (way, what) => median(by[way].map((one) => one[what]));
  const both = (way) => [times(of(way, 'ms'), of('shells', 'ms')), times(of(way, 'cpu'), of('shells', 'cpu'))];
  return [
    name,
    `${of('shells', 'ms').toFixed(1)} ms`,
    `${of('shells', 'cpu').toFixed(1)} ms`,
    ...both('simple-git'),
    ...both('execa'),
  ];
});
table(
  'A git command, as multiples of the persistent shells (medians)',
  ['command', 'shells', 'own CPU', 'simple-git: time', 'own CPU', 'execa: time', 'own CPU'],
  rows,
);
if (weight.length !== WORKER_BYTES) throw new Error('unreachable');
await rm(here.base, { recursive: true, force: true });
