/** Reads, checks and compares versions of the `temporal` binary. Must not import anything. */

/** The version that ralphctl downloads or builds. Later ones do not build with `go install`. */
export const PINNED_CLI = '1.5.1';
/** Oldest accepted command line on PATH: the first whose server has every flag in flags.ts. */
export const MINIMUM_CLI = '1.3.0';
/** The server in {@link MINIMUM_CLI}. It decides for builds that do not know their own version. */
export const MINIMUM_SERVER = '1.27.0';

export interface TemporalVersion {
  /** Version of the command line; `0.0.0-DEV` in a build without a version. */
  cli: string;
  server: string;
}

const PRINTED = /^temporal version v?(\d+\.\d+\.\d+\S*) \(Server v?(\d+\.\d+\.\d+[^\s,)]*)/m;

/** Reads the output of `temporal --version`; undefined for anything else. */
export function parseVersion(printed: string): TemporalVersion | undefined {
  const match = PRINTED.exec(printed);
  if (!match?.[1] || !match[2]) return undefined;
  return { cli: match[1], server: match[2] };
}

const numbers = (version: string): number[] => (version.split(/[-+]/)[0] ?? '').split('.').map((part) => Number(part));

/** Negative when `a` is older than `b`, 0 when equal. A pre-release is older than its release. */
export function compareVersions(a: string, b: string): number {
  const left = numbers(a);
  const right = numbers(b);
  for (let i = 0; i < 3; i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return Number(b.includes('-')) - Number(a.includes('-'));
}

/** A build from source without a version: only its server tells how old it is. */
const hasNoVersion = (version: TemporalVersion): boolean => version.cli.startsWith('0.0.0');

/** Why {@link isAcceptable} refuses it. */
export const whyTooOld = (version: TemporalVersion): string =>
  hasNoVersion(version)
    ? `it is a build without a version, and its server ${version.server} is older than ${MINIMUM_SERVER}`
    : `version ${version.cli} is older than ${MINIMUM_CLI}`;

/** True when a binary found on PATH can be used. */
export function isAcceptable(version: TemporalVersion): boolean {
  return hasNoVersion(version)
    ? compareVersions(version.server, MINIMUM_SERVER) >= 0
    : compareVersions(version.cli, MINIMUM_CLI) >= 0;
}
