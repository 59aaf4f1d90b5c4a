/** Numbers in arguments: a bad one is refused before anything is read, with the range. Features: C1 C2 F1. */
import { Command, CommanderError } from 'commander';
import { expect, it } from 'vitest';
import { refuseEmptyValues } from '../../../src/client/rows/options.js';
import { addRun } from '../../../src/client/rows/run.js';
import { addSteering } from '../../../src/client/rows/steer.js';

function refused(...args: string[]): string {
  const program = new Command();
  const asked: string[] = [];
  const run = () => (): Promise<void> => {
    asked.push('run');
    return Promise.resolve();
  };
  addRun(program, run);
  addSteering(program, run);
  for (const one of [program, ...program.commands]) one.exitOverride().configureOutput({ writeErr: () => undefined });
  try {
    program.parse(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.message;
    throw error;
  }
  return asked.join();
}

it.each([
  [['start', '--slots', '101'], '1 to 100.'],
  [['run', '--slots', '5000', '--dry-run'], '1 to 100.'],
  [['slots', '101'], '1 to 100.'],
  [['limit', 'b-1', '10001'], '1 to 10000.'],
  [['limit', 'b-1', '0'], '1 to 10000.'],
  [['limit', '--where', 'timeout', '--by', '10001'], '1 to 10000.'],
  [['score', 'b-1', '1000001'], '-1000000 to 1000000.'],
  [['score', 'b-1', '1.5'], '-1000000 to 1000000.'],
])('F1: %j names the range', (args, range) => {
  expect(refused(...args)).toContain(`whole number from ${range}`);
});

it.each([
  [['start', '--slots', '100']],
  [['run', '--slots', '1']],
  [['limit', 'b-1', '+10000']],
  [['score', 'b-1', '--', '-1000000']],
])('F1: %j is accepted', (args) => {
  expect(refused(...args)).toBe('run');
});

it.each([
  [['start', '--gate', ''], '--gate'],
  [['start', '--gate', 'npm test', '--gate', '  '], '--gate'],
  [['start', '--target', ''], '--target'],
  [['-C', '', 'start'], '--repo'],
])('F1: %j: an empty value is refused', (args, option) => {
  expect(() => parsed(...args)).toThrow(`${option} needs a value; it is empty`);
});

it('F1: an empty text is the business of its command', () => {
  expect(() => parsed('pause', '--reason', '')).not.toThrow();
});

/** As every command of the program is called. */
function parsed(...args: string[]): void {
  const program = new Command().option('-C, --repo <dir>');
  const run =
    () =>
    (...all: unknown[]): Promise<void> => {
      refuseEmptyValues(all.at(-1) as Command);
      return Promise.resolve();
    };
  addRun(program, run);
  addSteering(program, run);
  program.parse(args, { from: 'user' });
}
