import { describe, expect, test } from 'vitest';
import { WorkError } from '../../../src/jobs/job.js';
import { machineFault } from '../../../src/jobs/machine.js';
import { FAILURE } from '../../../src/protocol/failures.js';

const coded = (code: string, message = `${code}: something`): Error => Object.assign(new Error(message), { code });

describe('C2 a machine that has run out of something', () => {
  test.each([
    ['a write', coded('ENOSPC', 'ENOSPC: no space left on device, write')],
    ['a quota', coded('EDQUOT')],
    ['handles', coded('EMFILE')],
    ['a read-only disk', coded('EROFS', 'EROFS: read-only file system, open x')],
    ['git on one', new Error("git update-ref failed (128):\nfatal: cannot lock ref 'x': Read-only file system")],
    ['a cause', new Error('could not save', { cause: coded('ENOSPC') })],
    ['git, in words', new Error('git add failed (128):\nerror: unable to write file x: No space left on device')],
    ['git, as a repository failure', new WorkError('fatal: cannot fork: Cannot allocate memory', FAILURE.repository)],
  ])('is told from bad work, and may be tried again: %s', (_name, error) => {
    expect(machineFault(error)).toMatchObject({ type: FAILURE.machine, retryable: true });
  });

  test('is named in one line', () => {
    const fault = machineFault(
      new Error('git failed:\nerror: unable to write file x: No space left on device\nfatal: y'),
    );
    expect((fault as Error).message).toBe(
      'the machine cannot do the work: error: unable to write file x: No space left on device',
    );
  });

  test.each([coded('ENOENT'), new Error('the gate is red'), new WorkError('gone', FAILURE.workerLost, true), 'text'])(
    'leaves everything else as it is: %s',
    (error) => {
      expect(machineFault(error)).toBe(error);
    },
  );
});
