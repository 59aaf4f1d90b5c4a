/**
 * A commit on the target that a person made out of landings of several ideas, such as by a squash.
 * Invariant: such a commit is never the landing of one idea. Of that idea it has what ralphctl landed, where all of that is
 * in it; otherwise a person must take it off. Moves no ref and touches no file.
 */
import { isAncestor } from '../ancestry.js';
import { isCommitId } from '../commit-id.js';
import { RepositoryError } from '../errors.js';
import { claimRef, readTip } from '../refs.js';
import { git } from '../runner.js';
import { isWithin } from '../within.js';
import type { Target } from './brought-back.js';
import { changedPaths } from './checkout.js';
import { type LineCommit, PINNED_LOG, readEach } from './first-parents.js';
import { type Landing, landedOnce } from './landed.js';
import { IDEA_TRAILER } from './message.js';
import { originalOf, workOf } from './original.js';
import { readClaims } from './rewritten.js';

/** Each takes processes of its own. */
const MOST_JUDGED = 20;
const MOST_NAMED = 3;

export interface Asked {
  idea: string;
  /** What names the idea on the target. */
  landing: Landing;
  /** Its landing by the record of a run. */
  recorded?: string | undefined;
}

/**
 * The idea's own landing, where the commits have the work of others, too; undefined: they have not.
 * @throws RepositoryError where they have, and the idea's own work is not there as it landed
 */
export async function outOfSquash(about: Target, { idea, landing, recorded }: Asked): Promise<Landing | undefined> {
  const { repo, target } = about;
  if ((await readTip(repo, claimRef(idea))) === landing.to) return undefined;
  const claims = await readClaims(repo, { notOn: target });
  const { others, before } = await othersIn(about, { idea, landing, claims });
  if (others.length === 0 && !before) return undefined;
  const own = await ownLanding(about, idea, claims.get(idea) ?? recorded);
  if (own && (await isWhole(about, own, landing.to))) return own;
  if (others.length === 0) return undefined;
  const short = landing.to.slice(0, 8);
  const more = others.length > MOST_NAMED ? ` and ${others.length - MOST_NAMED} more` : '';
  const why = own ? `has ${idea} otherwise than it landed` : `nothing here knows the landing of ${idea}`;
  throw new RepositoryError(
    `the commit ${short} on ${target} also has the work of ${others.slice(0, MOST_NAMED).join(', ')}${more}, and ${why}.`,
    `Take ${idea} off by hand: git show ${short}`,
  );
}

/** Undefined: nothing knows it, or the target has it as it is recorded. */
async function ownLanding({ repo, target }: Target, idea: string, known = ''): Promise<Landing | undefined> {
  const commit = isCommitId(known) ? (await readEach(repo, [known])).get(known) : undefined;
  if (!commit?.landed.includes(idea) || (await isAncestor(repo, known, `refs/heads/${target}`))) return undefined;
  return originalOf(repo, idea, commit);
}

interface Look {
  idea: string;
  landing: Landing;
  /** Those that the target does not contain. */
  claims: ReadonlyMap<string, string>;
}

interface Others {
  /** Ideas whose work these commits brought: by their messages, and by the contents of what landed. */
  others: string[];
  /** Perhaps they brought work that has been rolled back since. */
  before: boolean;
}

async function othersIn(about: Target, { idea, landing, claims }: Look): Promise<Others> {
  const { repo, target, backlogPath } = about;
  const { landed, within, rolledBack } = await landedOnce(repo, target, backlogPath)();
  const mayBeIn = (one: string): boolean => {
    const at = landed.get(one);
    if (one === idea || rolledBack.has(one)) return false;
    return at === undefined || within.has(one) || landing.commits.includes(at);
  };
  const before = [...rolledBack].some(
    ([one, { landed: at }]) => one !== idea && (at === undefined || landing.commits.includes(at)),
  );
  const said = (await ideasIn(repo, landing)).filter(mayBeIn);
  const open = [...claims].filter(([one]) => mayBeIn(one) && !said.includes(one));
  const changed = new Set(await changedPaths(repo, landing.from, landing.to));
  const read = await readEach(
    repo,
    open.map(([, commit]) => commit),
  );
  const touches = ({ files }: LineCommit): boolean =>
    [...files.keys()].some((path) => changed.has(path) && !isWithin(path, backlogPath));
  const found = [...said];
  const near = open.flatMap(([one, commit]) => {
    const at = read.get(commit);
    return at?.landed.includes(one) && touches(at) ? [{ one, at }] : [];
  });
  for (const { one, at } of near.slice(0, MOST_JUDGED)) {
    const original = await originalOf(repo, one, at);
    if (original && (await cameWith(about, original, { landing, changed }))) found.push(one);
  }
  return { others: found, before };
}

/** Also within a message: git puts those of all commits into that of a squash, and only the last block has trailers. */
async function ideasIn(repo: string, { commits }: Landing): Promise<string[]> {
  const args = ['log', '--no-walk=unsorted', '--stdin', '-z', '--format=%B'];
  const input = commits.map((one) => `${one}\n`).join('');
  const { stdout } = await git(repo).result(args, { read: true, config: PINNED_LOG, input });
  const prefix = `${IDEA_TRAILER}: `;
  const lines = stdout
    .replaceAll('\r', '')
    .split(/[\0\n]/)
    .filter((line) => line.startsWith(prefix));
  return [...new Set(lines.map((line) => line.slice(prefix.length).trim()))].filter(Boolean);
}

async function cameWith(
  about: Target,
  original: Landing,
  { landing, changed }: { landing: Landing; changed: ReadonlySet<string> },
): Promise<boolean> {
  const { paths, left } = await workOf(about, original);
  const [before, after] = await Promise.all([left(landing.from), left(landing.to)]);
  return paths.some(
    (path) => changed.has(path) && !before.kept.has(path) && (after.kept.has(path) || after.unsure.has(path)),
  );
}

async function isWhole(about: Target, own: Landing, commit: string): Promise<boolean> {
  const { paths, left } = await workOf(about, own);
  const { kept, unsure } = await left(commit);
  return paths.every((path) => kept.has(path) || unsure.has(path));
}
