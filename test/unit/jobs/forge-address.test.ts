/** Which repository of which forge an address names: the same for issues and for pull requests. Features: D2 F3. */
import { describe, expect, it } from 'vitest';
import { forgeKind } from '../../../src/jobs/review/forge-kind.js';
import { repoOfAddress, repoOfName } from '../../../src/jobs/review/gh.js';
import { placeOfRemote } from '../../../src/trackers/place.js';

describe('the repository of a remote', () => {
  it.each([
    ['https://github.com/me/shop.git', 'github.com'],
    ['https://token@github.com/me/shop', 'github.com'],
    ['git@github.com:me/shop.git', 'github.com'],
    ['ssh://git@ssh.github.com:443/me/shop.git', 'github.com'],
    ['ssh://git@git.example.com:2222/me/shop.git', 'git.example.com'],
  ])('of %s', (address, host) => {
    expect(repoOfAddress(address)).toEqual({ host, owner: 'me', name: 'shop' });
    expect(placeOfRemote(address)).toEqual({ host, path: 'me/shop' });
  });

  it.each(['../shop.git', 'git@host:group/sub/shop.git', 'https://github.com/shop'])('is none of %s', (address) => {
    expect(repoOfAddress(address)).toBeUndefined();
  });

  it('a name alone leaves the host to gh', () => {
    expect(repoOfName('me/shop')).toEqual({ owner: 'me', name: 'shop' });
    expect(repoOfName('git.example.com/me/shop')).toEqual({ host: 'git.example.com', owner: 'me', name: 'shop' });
  });
});

describe('the forge', () => {
  it.each([
    { address: 'https://gitlab.com/group/sub/shop.git', pr: {}, kind: 'gitlab' },
    { address: 'ssh://git@altssh.gitlab.com:443/me/shop.git', pr: {}, kind: 'gitlab' },
    { address: 'git@gitlab.example.com:me/shop.git', pr: {}, kind: 'gitlab' },
    { address: 'git@github.com:gitlab/shop.git', pr: {}, kind: 'github' },
    { address: 'git@code.example.com:me/shop.git', pr: {}, kind: 'github' },
    { address: 'git@code.example.com:me/shop.git', pr: { forge: 'gitlab' }, kind: 'gitlab' },
    { address: '/srv/git/shop.git', pr: { repo: 'gitlab.com/me/shop' }, kind: 'gitlab' },
    { address: '/srv/git/shop.git', pr: { repo: 'me/shop' }, kind: 'github' },
    { address: undefined, pr: {}, kind: 'github' },
  ] as const)('of $address with $pr is $kind', ({ address, pr, kind }) => {
    expect(forgeKind(pr, address)).toBe(kind);
  });

  it('the other address of gitlab.com is the same project', () => {
    expect(placeOfRemote('ssh://git@altssh.gitlab.com:443/group/sub/shop.git')).toEqual({
      host: 'gitlab.com',
      path: 'group/sub/shop',
    });
  });
});
