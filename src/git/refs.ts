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

/** Says that ralphctl made the idea's branch; the commit that it began at. */
export const branchRef = (idea: string): string => `refs/ralphctl/branch/${idea}`;
/** Candidate of a landing that is being swapped in, or was. */
export const claimRef = (idea: string): string => `refs/ralphctl/landing/${idea}`;
/** The idea's own tip that the claim stands for. */
export const claimedHeadRef = (idea: string): string => `refs/ralphctl/landing-head/${idea}`;
/** Commit on the target that took the idea back, or was about to. */
export const undoRef = (idea: string): string => `refs/ralphctl/undo/${idea}`;
/** Candidate that the gate refused. */
export const candidateRef = (idea: string): string => `refs/ralphctl/candidate/${idea}`;
export const CHECKOUT_BASES = 'refs/ralphctl/checkout-base/';
/** Commit that the files of a left-behind checkout of a branch correspond to. */
export const checkoutBaseRef = (target: string): string => `${CHECKOUT_BASES}${target}`;

/* Commits that refs name, by their exact names. Reads only. */

/** Only refs that exist; one process. A pattern alone would also find everything below a name. */
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
