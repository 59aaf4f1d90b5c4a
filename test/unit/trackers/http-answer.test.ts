/** What `gh api --include` and `glab api --include` print, read. Features: F3. */
import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../../src/trackers/http-answer.js';

const read = (...stdout: string[]) => readAnswer({ exitCode: 0, stdout, stderr: '' });
const ANSWER = ['HTTP/2.0 200 OK', 'Ratelimit-Remaining: 1999', '', '[{"id":1}]'];

describe('the answer of a forge', () => {
  it('has a status, headers and a body', () => {
    const answer = read(...ANSWER);
    expect([answer?.status, answer?.headers.get('ratelimit-remaining'), answer?.json()]).toEqual([
      200,
      '1999',
      [{ id: 1 }],
    ]);
  });

  it('may come after warnings of the program', () => {
    const warning =
      'DEPRECATION WARNING: The environment variable NO_PROMPT has been deprecated and will be removed in future releases. Use GLAB_NO_PROMPT instead.';
    const answer = read(warning, ...ANSWER);
    expect([answer?.status, answer?.json()]).toEqual([200, [{ id: 1 }]]);
  });

  it('is none where the program got none', () => {
    expect([read(), read('glab: not logged in'), read('', '')]).toEqual([undefined, undefined, undefined]);
  });
});
