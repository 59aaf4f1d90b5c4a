/**
 * Pushes the target: looks at the remote, lands again on top where it moved, looks for secrets, pushes.
 * Invariant: each step can be repeated. What the remote already has counts as pushed, so a killed push is recorded by
 * the next one. A push that does not work changes nothing here.
 */
import { isAncestor } from '../../git/ancestry.js';
import type { Again } from '../../git/delivery/again.js';
import { lastSeen, lookAtRemote, type Removed, removedText, Unreachable } from '../../git/delivery/look.js';
import { pushTarget as pushOnce } from '../../git/delivery/push.js';
import type { RemoteGit } from '../../git/delivery/remote.js';
import { type Unpushed, unpushedSince } from '../../git/delivery/unpushed.js';
import { targetTip } from '../../git/repository.js';
import type { FindSecret } from '../../process/redact.js';
import type { Delivered, KnownTips, NotDelivered, PushTargetResult } from '../../protocol/delivery.js';
import { findLeak, leakText } from './secrets.js';

export interface DeliverInput {
  remote: RemoteGit;
  target: string;
  find: FindSecret;
  /** Globs of files in which a text that looks like a secret is allowed. */
  secretsAllowed: readonly string[];
  known?: KnownTips | undefined;
  /** What the remote had before the push. Default: at the last look. */
  before?: string | undefined;
  /** Most ideas that the result names. Default: few, because a result is part of a workflow's history. */
  listed?: number;
  /** Lands the commits up to `from` again on `onto`. Absent: nobody can here. */
  again?: (move: { from: string; onto: string; ideas: readonly string[] }) => Promise<Again>;
}

/** How often the remote, or the target, may move meanwhile. */
const MOST_ROUNDS = 5;
const MOST_LISTED = 20;

type Extra = Pick<Delivered, 'replaced' | 'note'>;

export async function deliver(input: DeliverInput): Promise<PushTargetResult> {
  const { remote, target } = input;
  const { root, record } = remote;
  const before = 'before' in input ? input.before : await lastSeen(root, record, target);
  const { listed = MOST_LISTED } = input;
  const held = (more: Extra, why: NotDelivered): PushTargetResult => heldBack(more, why, listed);
  const extra: Extra = {};
  let last: { why: string; tip: string | undefined } | undefined;
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    const local = await targetTip(root, target);
    let there: string | undefined;
    let removed: Removed | undefined;
    try {
      ({ tip: there, removed } = await lookAtRemote(remote, target));
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      const { commits, ideas } = await unpushedSince(root, before, local);
      return held(extra, {
        cause: 'unreachable',
        why: `the remote cannot be reached: ${error.message}`,
        commits,
        ideas,
      });
    }
    if (there !== undefined && (await isAncestor(root, local, there)))
      return delivered(root, { before, listed }, local, extra);
    const open = await unpushedSince(root, there, local);
    const tips = { local, ...(there === undefined ? {} : { remote: there }) };
    const stays = (cause: NotDelivered['cause'], why: string): PushTargetResult =>
      held(extra, { cause, why, tips, commits: open.commits, ideas: open.ideas });
    // A person's decision on the remote stands until somebody says otherwise.
    if (removed) {
      const { what, fix } = removedText(record, target, removed);
      return stays('rewound', `${what}. ${fix}`);
    }
    // The remote did not move, so something else refuses the push.
    if (last && last.tip === there) return stays('rejected', last.why);
    if (there !== undefined && !(await isAncestor(root, there, local))) {
      const stuck = await joined(input, { local, there }, open, extra);
      if (stuck) return stays(stuck.cause, stuck.why);
      continue;
    }
    const leak = await findLeak({ dir: root, from: there, to: local, find: input.find, allowed: input.secretsAllowed });
    if (leak) return stays('secret', leakText(leak));
    const pushed = await pushOnce(remote, { target, commit: local, expected: there });
    switch (pushed.kind) {
      case 'pushed':
        return delivered(root, { before, listed }, local, extra);
      case 'moved':
        last = { why: pushed.why, tip: there };
        continue;
      case 'rejected':
        return stays('rejected', `the remote rejects the push: ${pushed.why}`);
      case 'unreachable':
        return stays('unreachable', `the push failed: ${pushed.why}`);
    }
  }
  const { commits, ideas } = await unpushedSince(root, before, await targetTip(root, target));
  const why = `the branch there moved ${MOST_ROUNDS} times meanwhile`;
  return held(extra, { cause: 'moved', why, commits, ideas });
}

const heldBack = (extra: Extra, why: NotDelivered, listed: number): PushTargetResult => ({
  kind: 'held',
  ...why,
  ...extra,
  ideas: why.ideas.slice(0, listed),
});

/** `before`: what the remote had when the push began, as far as known: another worker may have pushed the rest. */
async function delivered(
  root: string,
  { before, listed }: { before: string | undefined; listed: number },
  commit: string,
  extra: Extra,
): Promise<PushTargetResult> {
  const { commits, ideas } = await unpushedSince(root, before, commit);
  return { kind: 'pushed', commit, commits, ideas: ideas.slice(0, listed), ...extra };
}

/** Undefined: the commits are on top of the remote's now, or the target moved: look again. */
async function joined(
  { remote, known, again }: DeliverInput,
  { local, there }: { local: string; there: string },
  open: Unpushed,
  extra: Extra,
): Promise<Pick<NotDelivered, 'cause' | 'why'> | undefined> {
  const { name, branch } = remote.record;
  const moved = `${name}/${branch} moved to ${there.slice(0, 10)}`;
  const foreign = ({ commit, subject }: { commit: string; subject: string }) => ({
    cause: 'foreign' as const,
    why: `${moved}, and ${commit.slice(0, 10)} (${subject.slice(0, 60)}) here is not a landing, so ralphctl does not rewrite it`,
  });
  if (open.foreign) return foreign(open.foreign);
  if (!again) return { cause: 'conflict', why: `${moved}, so the landed work must land again on top of it` };
  // The same commits have the same cause, and the gate does not run again.
  if (known?.local === local && known.remote === there) {
    const { cause, why = '' } = known;
    if (cause === 'red' || cause === 'conflict') return { cause, why };
    if (cause === undefined)
      return { cause: 'conflict', why: `${moved}, and the landed work still does not fit on top of it` };
  }
  const got = await again({ from: local, onto: there, ideas: open.ideas });
  switch (got.kind) {
    case 'late':
      return undefined;
    case 'foreign':
      return foreign(got);
    case 'moved':
      extra.replaced = [
        ...(extra.replaced ?? []).filter(({ idea }) => !got.replaced.some((one) => one.idea === idea)),
        ...got.replaced,
      ].slice(-MOST_LISTED);
      if (got.note !== undefined) extra.note = got.note;
      return undefined;
    case 'conflict':
      return {
        cause: 'conflict',
        why: `${moved}, and landed work conflicts with it in ${got.files.slice(0, 5).join(', ')}`,
      };
    case 'red': {
      const command = got.gate.failure?.command ?? 'no command';
      return { cause: 'red', why: `${moved}, and on top of it the gate is red (${command})` };
    }
  }
}
