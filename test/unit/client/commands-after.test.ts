/** The commands that `why` offers after a run: only those that work then. Features: C2 C5. */
import { expect, it } from 'vitest';
import { alsoAfter, commandsAfter, commandsNow } from '../../../src/client/views/commands-now.js';
import { verbsAfterRun } from '../../../src/decide/idea/after-run.js';

const names = (commands: readonly string[]): string[] => commands.map((one) => one.replace(/ \(.*$/, ''));

it.each(['abandoned', 'rolled back', 'skipped'] as const)(
  'C2: an idea that is %s is offered a retry, and no start',
  (out) => {
    expect(names(commandsAfter('a-1', 'pending', { out, worked: true }))).toEqual([
      'ralphctl retry a-1',
      'ralphctl logs a-1',
      'ralphctl saves a-1',
    ]);
  },
);

it('C5: the others are offered a start, and logs once an agent has worked', () => {
  expect(commandsAfter('a-1', 'pending')).toEqual(['ralphctl start (runs it)']);
  expect(commandsAfter('a-1', 'pending', { worked: true, putAway: { n: 2, back: false } })[0]).toBe(
    'ralphctl start (continues from its branch, without its save 2: ralphctl saves restore a-1 2)',
  );
  expect(commandsAfter('a-1', 'pending', { anew: true, worked: true })[0]).toBe(
    'ralphctl start (runs it from its beginning)',
  );
  expect(names(commandsAfter('a-1', 'timeout', { worked: true }))).toEqual([
    'ralphctl start',
    'ralphctl limit a-1 10',
    'ralphctl hint a-1 "…"',
    'ralphctl logs a-1',
    'ralphctl saves a-1',
  ]);
});

it('C5: an idea that waits for one that a start leaves out is first offered the retry of that one', () => {
  expect(commandsAfter('c-1', 'pending', { first: ['a-1'] })).toEqual([
    'ralphctl retry a-1 (c-1 waits for it, and a start leaves it out)',
    'ralphctl start (then runs it)',
  ]);
});

it('A5: an idea without working time is offered more time, and no iterations; without iterations, the limit', () => {
  const reason = '15s of working time used';
  expect(names(commandsAfter('a-1', 'timeout', { reason }))).toEqual([
    'ralphctl start',
    'ralphctl edit a-1 --timeout MINUTES',
    'ralphctl hint a-1 "…"',
  ]);
  const possible = ['limit', 'retry', 'edit'];
  expect(names(commandsNow('a-1', 'timeout', possible, reason))).toEqual([
    'ralphctl edit a-1 --timeout MINUTES',
    'ralphctl retry a-1',
    'ralphctl edit a-1',
  ]);
  // Its one agent run took too long.
  const tooLong = 'the agent timed out after 20s';
  expect(names(commandsNow('a-1', 'timeout', possible, tooLong))[0]).toBe(
    'ralphctl edit a-1 --iteration-timeout MINUTES',
  );
  expect(names(commandsAfter('a-1', 'timeout', { reason: tooLong }))[1]).toContain('--iteration-timeout');
  expect(commandsNow('a-1', 'timeout', possible, '3 of 3 iterations used')[0]).toMatch(/^ralphctl limit a-1 10/);
});

it('C2: landed work that has left the target is not rolled back again', () => {
  expect(names(commandsAfter('a-1', 'landed', { commit: 'abc' }))).toEqual([
    'ralphctl rollback a-1',
    'ralphctl start --again a-1',
  ]);
  const off = { text: 'a-1 landed as 1, and 2 (x) took it off main again', landed: '1', command: 'ralphctl retry a-1' };
  expect(names(commandsAfter('a-1', 'pending', { commit: 'abc', off }))).toEqual(['ralphctl retry a-1']);
  expect(names(commandsAfter('a-1', 'pending', { off, out: 'rolled back', worked: true, saved: false }))).toEqual([
    'ralphctl retry a-1',
    'ralphctl logs a-1',
  ]);
  expect(names(commandsAfter('a-1', 'pending', { off, queued: true }))).toEqual(['ralphctl start']);
});

it('E1: the start is that of the run: with its source and target, and as waves', () => {
  const start = { args: ['run', 'reports.jsonl'] };
  expect(commandsAfter('a-1', 'pending', { start })).toEqual(['ralphctl run reports.jsonl (runs it)']);
  // No start takes a file of reports.
  expect(names(commandsAfter('a-1', 'landed', { commit: 'abc', start }))).toEqual(['ralphctl rollback a-1']);
  const other = { args: ['start', 'my ideas.md'], again: ['start', 'my ideas.md'] };
  expect(names(commandsAfter('a-1', 'landed', { start: other }))).toEqual(["ralphctl start 'my ideas.md' --again a-1"]);
});

it('B10: more iterations are no offer for a single attempt', () => {
  const reason = '1 of 1 iterations used';
  expect(names(commandsAfter('a-1', 'timeout', { reason }))).toContain('ralphctl limit a-1 10');
  expect(names(commandsAfter('a-1', 'timeout', { reason, single: true })).join()).not.toContain('limit');
});

it('C2: names every further verb that an idea takes, and none twice', () => {
  const accepts = [...verbsAfterRun('failed')];
  const commands = commandsAfter('a-1', 'failed', { accepts, worked: true });
  const also = alsoAfter('a-1', { accepts }, commands);
  expect(also).toEqual(
    'abandon bump cleanup edit limit retry rollback score skip skip --step split'.match(/skip --step|\S+/g),
  );
  const named = commands.map((one) => one.split(' ')[1]);
  for (const verb of accepts) expect([...named, ...also], verb).toContain(verb.replace('-step', ' --step'));
  const landed = { accepts: [...verbsAfterRun('landed')], commit: 'abc' };
  expect(alsoAfter('a-1', landed, commandsAfter('a-1', 'landed', landed))).toEqual(['cleanup']);
  const refused = { ...landed, refused: true };
  expect(alsoAfter('a-1', refused, commandsAfter('a-1', 'landed', refused))).toEqual(['cleanup']);
});
