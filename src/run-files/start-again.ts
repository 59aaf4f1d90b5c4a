/** The command that starts a run like this one again, from its file. Pure. */
import { isAbsolute, relative } from 'node:path';
import type { StartAgain } from '../model/start-again.js';
import type { ConfigFlags, Named, RunFile } from './shapes.js';

type About = Pick<RunFile, 'flags' | 'waves' | 'named'>;

export function startAgainOf(file: About): StartAgain {
  const { flags = {}, waves } = file;
  const named = namedOf(file);
  const { source, tracker } = named;
  const from = source === undefined ? [] : [source];
  const work = [...option('--format', named.format), ...option('--target', named.target), ...workFlags(flags)];
  if (!waves) return { args: ['start', ...from, ...work], again: ['start', ...from, ...work] };
  const args = ['run', ...from, ...work, ...waveFlags(named)];
  // No start takes the name of a tracker.
  return source !== undefined && tracker ? { args } : { args, again: ['start', ...from, ...work] };
}

/** What the run's command named. */
export const namedOf = ({ named, flags = {} }: About): Named => named ?? namedBefore(flags);

/** Inside the repository it is relative, as commands in its root take it. */
export function sourceName(root: string, file: string): string {
  const inside = relative(root, file);
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? file : inside;
}

/** Runs of older versions recorded only the tracker. */
function namedBefore({ source }: ConfigFlags): Named {
  if (source?.tracker === 'jsonl') return { source: source.file, tracker: true };
  return source?.tracker === 'github' || source?.tracker === 'gitlab' ? { source: source.tracker, tracker: true } : {};
}

const workFlags = ({ agent, slots, gate = [], maxIterations, tick }: ConfigFlags): string[] => [
  ...option('--agent', agent),
  ...option('--slots', slots),
  ...gate.flatMap((command) => option('--gate', command)),
  ...option('--max-iterations', maxIterations),
  ...(tick === false ? ['--no-tick'] : []),
];

const waveFlags = ({ maxWaves, batchSize, confirm }: Named): string[] => [
  ...option('--max-waves', maxWaves),
  ...option('--batch-size', batchSize),
  ...(confirm === undefined ? [] : [confirm ? '--confirm' : '--no-confirm']),
];

const option = (name: string, value: string | number | undefined): string[] =>
  value === undefined ? [] : [name, String(value)];
