/**
 * The remote of a run: what the start records of it, and one line about what the run does there.
 * Invariant: asks no remote, so a start also works without a network.
 */

import type { Config } from '../../config/schema/config.js';
import { lastKnown } from '../../git/delivery/look.js';
import { type RemoteRecord, recordRemote } from '../../git/delivery/remote.js';
import { notPushed, type Unpushed, unpushedSince } from '../../git/delivery/unpushed.js';
import { forgeKind } from '../../jobs/review/forge-kind.js';
import { many } from '../../protocol/many.js';
import { workText } from './unpushed-text.js';

/** Undefined: the run pushes nothing. */
export async function recordedRemote(
  root: string,
  target: string,
  { landing }: Pick<Config, 'landing'>,
): Promise<RemoteRecord | undefined> {
  // Configurations of older runs have no mode.
  return landing.mode === 'push' || landing.mode === 'pr'
    ? recordRemote(root, { name: landing.remote, branch: target, mode: landing.mode })
    : undefined;
}

export async function remoteLine(
  root: string,
  target: string,
  remote: Pick<RemoteRecord, 'name' | 'branch' | 'shown'> | undefined,
  mode: Config['landing']['mode'] = 'push',
  pr: Partial<Config['landing']['pr'] & Pick<Config['landing'], 'stack'>> = {},
): Promise<string | undefined> {
  if (!remote) return undefined;
  if (mode === 'pr') {
    const gitLab = forgeKind(pr, remote.shown) === 'gitlab';
    const request = gitLab ? 'merge request' : 'pull request';
    const { autoMerge = 'off', answer, stack } = pr;
    const onto = stack ? ', or onto the branch of an idea in review that it depends on (landing.stack)' : '';
    const merges = `, which ${gitLab ? 'GitLab' : 'GitHub'} merges (${autoMerge}) once its checks and reviews allow it`;
    return `for each finished idea it pushes the branch ralph/IDEA to ${remote.name} (${remote.shown}) and opens a ${request} onto ${remote.branch}${onto}${autoMerge === 'off' ? '' : merges}; it pushes nothing else${answerText(answer)}`;
  }
  const to = `${remote.name}/${remote.branch} (${remote.shown})`;
  return `after each landing it pushes ${target} to ${to}, and never overwrites commits there${await alsoText(root, target, remote)}`;
}

/** What it writes in the name of the login. */
function answerText(answer: Config['landing']['pr']['answer'] | undefined): string {
  if (answer !== 'reply' && answer !== 'resolve') return '';
  const also = answer === 'resolve' ? ' and resolves their threads' : '';
  return `; after a push it answers the comments that the agent had${also} (landing.pr.answer: off if you do not want that)`;
}

/** Commits that the first push takes along. */
async function alsoText(root: string, target: string, remote: Pick<RemoteRecord, 'name' | 'branch'>): Promise<string> {
  const seen = await lastKnown(root, remote, target);
  const { commits, ideas, foreigners } = await unpushedSince(root, seen, `refs/heads/${target}`);
  const landed = ideas.length > 0 ? `; ${many(commits, 'commit')} with landed work (${some(ideas)}) go first` : '';
  // Nobody has looked there yet: the remote may have them all.
  if (seen === undefined || foreigners === 0) return landed;
  const yours = foreigners === 1 ? '1 commit of yours goes with them' : `${foreigners} commits of yours go with them`;
  return landed === '' ? `; ${yours.replace('them', 'the first')}` : `${landed}; ${yours}`;
}

const some = (ideas: readonly string[]): string => ideas.slice(0, 3).join(', ') + (ideas.length > 3 ? ', …' : '');

export const openText = (
  open: Unpushed,
  target: string,
  { name, branch }: Pick<RemoteRecord, 'name' | 'branch'>,
): string =>
  `${many(open.commits, 'commit')} of ${target} with ${workText(open)} ${open.commits === 1 ? 'is' : 'are'} not on ${name}/${branch}`;

/** Landed work, and rollbacks of it, that the remote lacks, as far as this machine knows. */
export async function notPushedText(
  root: string,
  target: string,
  remote: Pick<RemoteRecord, 'name' | 'branch'>,
): Promise<string | undefined> {
  const open = await notPushed(root, target, remote);
  if (!open) return undefined;
  return openText(open, target, remote);
}
