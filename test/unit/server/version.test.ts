import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareVersions, isAcceptable, parseVersion } from '../../../src/server/install/version.js';

const triple = fc.tuple(fc.nat(300), fc.nat(300), fc.nat(300));

describe('parseVersion', () => {
  it('reads releases, unstamped builds and pre-releases', () => {
    const one = parseVersion('temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)\n');
    expect(one).toEqual({ cli: '1.5.1', server: '1.29.1' });
    const unstamped = parseVersion('temporal version 0.0.0-DEV (Server 1.29.1, UI 2.42.1)');
    expect(unstamped).toEqual({ cli: '0.0.0-DEV', server: '1.29.1' });
    expect(parseVersion('warning: x\ntemporal version v1.6.0 (Server 1.30.0-148.4, UI 2)')).toEqual({
      cli: '1.6.0',
      server: '1.30.0-148.4',
    });
  });

  it('reads back any version and understands nothing else', () => {
    fc.assert(
      fc.property(triple, triple, (cli, server) => {
        const printed = `temporal version ${cli.join('.')} (Server ${server.join('.')}, UI 2.1.0)`;
        expect(parseVersion(printed)).toEqual({ cli: cli.join('.'), server: server.join('.') });
        expect(parseVersion(printed.replace('temporal', 'tctl'))).toBeUndefined();
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => parseVersion(text) === undefined));
  });
});

describe('compareVersions', () => {
  it('orders like the numbers', () => {
    fc.assert(
      fc.property(triple, triple, (a, b) => {
        const difference = a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
        expect(Math.sign(compareVersions(a.join('.'), b.join('.')))).toBe(Math.sign(difference));
      }),
    );
  });
  it('puts a pre-release before its release', () => {
    expect(compareVersions('1.30.0-148.4', '1.30.0')).toBeLessThan(0);
    expect(compareVersions('1.30.0-148.4', '1.29.9')).toBeGreaterThan(0);
  });
});

describe('isAcceptable', () => {
  it.each([
    ['1.2.9', '1.26.0', false],
    ['1.3.0', '1.27.1', true],
    ['1.5.1', '1.29.1', true],
    ['0.0.0-DEV', '1.26.2', false],
    ['0.0.0-DEV', '1.29.1', true],
  ])('%s with server %s: %s', (cli, server, expected) => {
    expect(isAcceptable({ cli, server })).toBe(expected);
  });
});
