import { describe, expect, test } from 'vitest';
import { RepositoryError } from '../../../src/git/errors.js';
import { GitError } from '../../../src/git/runner.js';
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

  // As git 2.39 said them on a full disk.
  test.each([
    ['the index', "fatal: sha1 file '/r/.git/index.lock' write error. Out of diskspace"],
    ['the index, over quota', "fatal: sha1 file '/r/.git/index.lock' write error: Disk quota exceeded"],
    ['a ref', "fatal: cannot update ref 'refs/heads/main': couldn't write '/r/.git/refs/heads/main.lock'"],
    ['a file', 'error: unable to write file new1\nerror: unable to write file new2'],
    ['settings', 'error: failed to write new configuration file /r/.git/config.lock'],
    ['packed refs', 'fatal: unable to write new packed-refs: error closing file x.new: No space left on device'],
    ['an object', 'fatal: unable to write loose object file: No space left on device'],
    ['memory', 'fatal: Out of memory, malloc failed (tried to allocate 30000001 bytes)'],
    ['memory that grows', 'fatal: Out of memory, realloc failed'],
    ['memory for a file', 'fatal: mmap failed, check sys.vm.max_map_count and/or RLIMIT_DATA: Cannot allocate memory'],
    ['memory for a file, of older versions', 'fatal: Out of memory? mmap failed: Cannot allocate memory'],
    ['memory to unpack', 'error: inflate: out of memory (no message)\nfatal: loose object x is corrupt'],
  ])('git says it in words of its own: %s', (_name, words) => {
    const [first] = words.split('\n');
    const fault = machineFault(new GitError('/r', ['commit'], 128, words)) as Error;
    expect(fault).toMatchObject({ type: FAILURE.machine, retryable: true });
    expect(fault.message).toContain(first);
  });

  test('also behind a save that failed', () => {
    const cause = new GitError('/r', ['update-ref'], 128, "fatal: cannot update ref 'x': couldn't write '/r/x.lock'");
    const error = new RepositoryError('The work of a-1 could not be saved.', 'Check it.', { cause });
    expect(machineFault(error)).toMatchObject({ type: FAILURE.machine, retryable: true });
  });

  test.each([
    ['a lock', "fatal: Unable to create '/r/.git/index.lock': File exists."],
    ['a permission', 'error: unable to write file a.txt: Permission denied'],
    ['a permission, of a patch', "fatal: unable to write file 'a.txt' mode 100644: Permission denied"],
    ['an index that could not be replaced', 'fatal: unable to write new index file'],
    ['advice', 'error: new_index file. Check that disk is not full and quota is not exceeded'],
    ['a tool', 'tool: unable to write file a.txt'],
    ['the memory of a tool', 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory'],
    ['the memory of another machine', 'remote: fatal: Out of memory, malloc failed (tried to allocate 9 bytes)'],
    ['a name', "error: pathspec 'Out of memory, malloc failed' did not match any file(s) known to git"],
    ['a reflog', "fatal: cannot update the ref 'refs/heads/main': unable to append to 'x': Is a directory"],
  ])('words of git that may mean another trouble are not taken for it: %s', (_name, words) => {
    const error = new GitError('/r', ['commit'], 128, words);
    expect(machineFault(error)).toBe(error);
  });

  test('is named in one line', () => {
    const fault = machineFault(
      new Error('git failed:\nerror: unable to write file x: No space left on device\nfatal: y'),
    );
    expect((fault as Error).message).toBe(
      'the machine cannot do the work: error: unable to write file x: No space left on device',
    );
  });

  test('is named once, however often it passes here, and with what its own message says to do', () => {
    const once = machineFault(coded('EROFS', 'EROFS: read-only file system, open x'));
    expect(machineFault(once)).toBe(once);
    expect(machineFault(new Error('the set-up failed', { cause: once }))).toBe(once);
    const inText = machineFault(new Error(`the set-up failed: ${(once as Error).message}`)) as Error;
    expect(inText.message).toBe(
      'the machine cannot do the work: the set-up failed: EROFS: read-only file system, open x',
    );
    const told = new WorkError('the ledger cannot be written: ENOSPC. Fix that', FAILURE.machine, true);
    expect(machineFault(told)).toBe(told);
  });

  test.each([coded('ENOENT'), new Error('the gate is red'), new WorkError('gone', FAILURE.workerLost, true), 'text'])(
    'leaves everything else as it is: %s',
    (error) => {
      expect(machineFault(error)).toBe(error);
    },
  );
});
