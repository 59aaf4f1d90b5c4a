/** The command that begins a run like one that is over. Features: E1 F1. */
import { expect, it } from 'vitest';
import { againCommand, startCommand } from '../../../src/model/start-again.js';
import type { RunFile } from '../../../src/run-files/shapes.js';
import { startAgainOf } from '../../../src/run-files/start-again.js';

type About = Pick<RunFile, 'flags' | 'waves' | 'named'>;
const waves = { maxWaves: 5, batchSize: 5 };

it.each<[string, About, string, string | undefined]>([
  ['a plain start', {}, 'ralphctl start', 'ralphctl start --again a-1'],
  [
    'a named backlog and target',
    { named: { source: 'other.md', target: 'release' }, flags: { slots: 3, tick: false } },
    'ralphctl start other.md --target release --slots 3 --no-tick',
    'ralphctl start other.md --target release --slots 3 --no-tick --again a-1',
  ],
  ['waves of the configured source', { waves }, 'ralphctl run', 'ralphctl start --again a-1'],
  [
    'waves of a file of reports',
    { waves, named: { source: 'reports.jsonl', tracker: true, maxWaves: 2, confirm: false } },
    'ralphctl run reports.jsonl --max-waves 2 --no-confirm',
    undefined,
  ],
  [
    'waves of an older version, which recorded the tracker only',
    { waves, flags: { source: { tracker: 'github' } as never } },
    'ralphctl run github',
    undefined,
  ],
  [
    'a gate with words that a shell reads',
    { flags: { gate: ["test 'a b'"], agent: 'codex', maxIterations: 9 } },
    `ralphctl start --agent codex --gate 'test '\\''a b'\\''' --max-iterations 9`,
    `ralphctl start --agent codex --gate 'test '\\''a b'\\''' --max-iterations 9 --again a-1`,
  ],
])('of %s', (_, file, command, again) => {
  expect(startCommand(startAgainOf(file))).toBe(command);
  expect(againCommand('a-1', startAgainOf(file))).toBe(again);
});
