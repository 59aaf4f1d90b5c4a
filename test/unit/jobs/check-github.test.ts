/** D2: what `doctor` says of a repository of GitHub with `landing.mode: pr`. */
import { describe, expect, it } from 'vitest';
import { checkGitHub } from '../../../src/jobs/review/check-github.js';
import { ForgeError, type MergeHow } from '../../../src/jobs/review/forge.js';
import type { Gh } from '../../../src/jobs/review/gh.js';

const said = (branch: object | null, autoMerge: MergeHow | 'off' = 'off') => {
  const gh = {
    repo: { owner: 'me', name: 'shop' },
    get: (path: string) => Promise.resolve(path === '' ? { permissions: { push: true } } : branch),
  };
  return checkGitHub(gh as unknown as Gh, 'main', 'origin', autoMerge);
};

describe('the branch that pull requests are onto', () => {
  it('is protected: its rules decide, also about an automatic merge', async () => {
    const found = 'me/shop, onto main (protected: its rules decide about merges)';
    expect(await said({ protected: true })).toMatchObject({ state: 'ok', found });
    expect(await said({ protected: true }, 'squash')).toMatchObject({ state: 'ok', found });
  });

  it('is not protected: an automatic merge waits for nothing, and the fix says so', async () => {
    expect(await said({ protected: false })).toMatchObject({
      state: 'ok',
      found: 'me/shop, onto main (not protected)',
    });
    expect(await said({ protected: false }, 'squash')).toMatchObject({
      state: 'warn',
      found: expect.stringContaining('is not protected, so landing.pr.autoMerge merges without a check or review'),
      fix: 'protect it, or set landing.pr.autoMerge: off',
    });
  });

  it('was renamed or deleted there: it says which one is missing, and both ways out', async () => {
    expect(await said(null)).toEqual({
      ...{ state: 'fail', found: 'me/shop has no branch main' },
      fix: 'If it was renamed, end the run and start another one with --target. To make it there: git push origin main',
    });
  });
});

describe('the commit statuses of other systems', () => {
  const answered = (error: ForgeError) => {
    const get = (path: string) =>
      path === 'commits/main/status'
        ? Promise.reject(error)
        : Promise.resolve(path === '' ? { permissions: { push: true } } : { protected: true });
    return checkGitHub({ repo: { owner: 'me', name: 'shop' }, get } as unknown as Gh, 'main', 'origin', 'off');
  };

  it('warns where the login may not read them', async () => {
    expect(await answered(new ForgeError('no', 403))).toMatchObject({
      state: 'warn',
      found: expect.stringContaining('may not read the commit statuses of me/shop'),
      fix: 'give its token the permission "Commit statuses: read"',
    });
  });

  it('does not take another error for a missing right', async () => {
    await expect(answered(new ForgeError('broken', 500))).rejects.toThrow('broken');
  });
});
