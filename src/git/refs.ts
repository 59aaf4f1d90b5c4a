/** Names of branches, refs and folders of an idea. Invariant: nothing unsafe becomes part of a path or a ref. Pure. */
import { IDEA_ID } from '../protocol/idea.js';
import { git } from './runner.js';

const AGENT_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

function checked(pattern: RegExp, text: string, what: string): string {
  if (!pattern.test(text)) throw new RangeError(`Not a usable ${what}: ${JSON.stringify(text)}.`);
  return text;
}

export const ideaBranch = (idea: string): string => `ralph/${checked(IDEA_ID, idea, 'idea id')}`;
export const worktreeName = (agentName: string, idea: string): string =>
  `${checked(AGENT_NAME, agentName, 'agent name')}-${checked(IDEA_ID, idea, 'idea id')}`;

/** Marks a branch as made by ralphctl; value: its first commit. */
export const branchRef = (idea: string): string => `refs/ralphctl/branch/${idea}`;
/** Candidate of a landing whose swap has begun or finished. */
export const claimRef = (idea: string): string => `refs/ralphctl/landing/${idea}`;
/** The idea's own tip behind the claim. */
export const claimedHeadRef = (idea: string): string => `refs/ralphctl/landing-head/${idea}`;
/** Commit on the target that undoes the idea, or the candidate for it. */
export const undoRef = (idea: string): string => `refs/ralphctl/undo/${idea}`;
/** Candidate that the gate refused. */
export const candidateRef = (idea: string): string => `refs/ralphctl/candidate/${idea}`;
/** The commit of the target's branch on a remote, as ralphctl saw it last. */
export const remoteRef = (remote: string, target: string): string => `refs/ralphctl/remote/${remote}/${target}`;
export const REVIEWS = 'refs/ralphctl/review/';
/** Below it: every commit that ralphctl has pushed as the idea's branch. */
export const reviewRef = (idea: string): string => `${REVIEWS}${idea}`;
/** Former tips of the target whose commits landed again on top of the remote's. */
export const REPLACED = 'refs/ralphctl/replaced/';
export const replacedRef = (target: string, tip: string): string => `${REPLACED}${target}/${tip.slice(0, 12)}`;
export const CHECKOUT_BASES = 'refs/ralphctl/checkout-base/';
/** The commit of the files of a checkout that was left behind. */
export const checkoutBaseRef = (target: string): string => `${CHECKOUT_BASES}${target}`;
/** The same for linked worktrees, by the names of their registrations, which outlast a move of the folder. */
export const WORKTREE_BASES = 'refs/ralphctl/worktree-base/';
export const worktreeBaseRef = (worktree: string, target: string): string =>
  `${WORKTREE_BASES}${worktree.replace(/[^\w-]/g, (one) => `%${one.codePointAt(0)?.toString(16)}`)}/${target}`;
export const CHECKOUT_SYNCS = 'refs/ralphctl/checkout-sync/';
/** What a `ralphctl sync` is writing into the checkout of a base, by that ref; gone once it has ended. */
export const checkoutSyncRef = (base: string): string => `${CHECKOUT_SYNCS}${base.slice('refs/ralphctl/'.length)}`;

/* Commits of refs, by exact ref name. Reads only. */

/** Only refs that exist; one process. A pattern alone would also match everything below a name. */
export async function readTips(repo: string, names: readonly string[]): Promise<Map<string, string>> {
  const text = await git(repo).run(['for-each-ref', '--format=%(refname) %(objectname)', ...names], { read: true });
  const tips = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [name = '', commit = ''] = line.split(' ');
    if (names.includes(name)) tips.set(name, commit);
  }
  return tips;
}

/** Undefined: there is no such ref. */
export const readTip = async (repo: string, name: string): Promise<string | undefined> =>
  (await readTips(repo, [name])).get(name);

/** Tips of the target that ralphctl itself replaced by landing their commits again on top of the remote's. */
export async function replacedTips(repo: string, target: string): Promise<string[]> {
  const args = ['for-each-ref', '--format=%(objectname)', `${REPLACED}${target}/`];
  return (await git(repo).run(args, { read: true })).split('\n').filter(Boolean);
}
