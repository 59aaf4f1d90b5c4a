/** What the message line of the screen says of a command that its parser refuses. Feature: G5. */
import { expect, it } from 'vitest';
import { saidOf, withoutParser } from '../../../src/client/screen/tell.js';

it.each([
  [
    ['limit', 'a-1', 'abc'],
    "error: command-argument value 'abc' is invalid for argument 'n'. Use a whole number from 1. · (see --help)",
    "'abc' does not fit n of limit: use a whole number from 1.",
  ],
  [
    ['edit', 'a-1', '--timeout', 'x'],
    "error: option '--timeout <minutes>' argument 'x' is invalid. Use a number of minutes above 0. · (see --help)",
    "'x' does not fit --timeout of edit: use a number of minutes above 0.",
  ],
  [
    ['retry', '--foo'],
    "error: unknown option '--foo' · (see --help)",
    "unknown option '--foo'. How retry is used: ralphctl retry --help",
  ],
  [
    ['bogus'],
    "error: unknown command 'bogus' · (see --help)",
    'there is no command bogus; : and Tab complete the commands',
  ],
  [
    ['answr'],
    "error: unknown command 'answr' · (Did you mean answer?) · (see --help)",
    'there is no command answr (Did you mean answer?); : and Tab complete the commands',
  ],
  [['retry', 'a-1'], 'ralphctl: a-1 has landed', 'a-1 has landed'],
  [['retry', 'a-1'], 'a-1 is queued again', 'a-1 is queued again'],
])('%j', (args, said, shown) => expect(withoutParser(said, args)).toBe(shown));

it('a warning about what was just enqueued is shown, and those about the run are not', () => {
  const stderr = 'warning: roadmap.md on main does not contain a-9: when it lands, nothing ticks its line.\n';
  const of = (verb: string, ok = true) => saidOf([verb, 'a-9'], { stdout: 'enqueued a-9\n', stderr, ok });
  expect(of('enqueue')).toBe(`enqueued a-9 · ${stderr.trim()}`);
  expect(of('retry')).toBe('enqueued a-9');
  expect(of('enqueue', false)).toBe('enqueued a-9');
});
