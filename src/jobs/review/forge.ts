/**
 * What pull requests need of a forge. `github.ts` asks GitHub and `gitlab.ts` GitLab; `open-forge.ts` chooses.
 * Invariant: each call may be repeated. Texts that come back are data. Must import types and pure texts only.
 */
import type { Remark, SaidKind } from './said.js';

export class ForgeError extends Error {
  override name = 'ForgeError';
  constructor(
    message: string,
    readonly status?: number,
    /** The same request can work later; `at`, epoch ms: where the forge says when. */
    readonly later?: { at?: number },
  ) {
    super(message);
  }
}

/** Words for people. */
export interface ForgeWords {
  /** `Pull request` or `Merge request`. */
  one: string;
  /** Before its number, in texts there. */
  sign: string;
  /** The command that shows the login. */
  login: string;
}

/** As a list has it. */
export interface Listed {
  number: number;
  url: string;
  state: 'open' | 'closed' | 'merged';
  /** Tip of its branch. */
  head: string;
  /** The branch that it would be merged into. */
  base: string;
  body: string;
  labels: string[];
  /** Who is asked for a review. */
  reviewers: string[];
  /** Somebody has asked for an automatic merge. */
  armed: boolean;
  /** Its name for other requests. */
  node?: string;
}

/** As one look has it. */
export interface Seen {
  number: number;
  state: 'open' | 'closed' | 'merged';
  head: string;
  /** The branch that it is merged into. */
  base: string;
  /** Of a merged one: the commit that the base has. */
  commit?: string;
  /** Who merged it. */
  by?: string;
  /** It cannot be merged until it stands on another base. */
  apart: boolean;
  /** Somebody has asked for an automatic merge. */
  armed?: boolean;
  /** The pipeline of its newest commit, on GitLab. */
  pipeline?: Pipeline;
}

export interface Pipeline {
  id: number;
  /** Its commit: that of the branch, or one that merges it with the base. */
  sha: string;
  status: string;
  url?: string;
}

export interface Wanted {
  title: string;
  body: string;
  branch: string;
  base: string;
  draft: boolean;
}

export interface RedCheck {
  key: string;
  name: string;
  url?: string;
  /** The end of its log. Undefined: the forge does not have it yet. */
  log(): Promise<string | undefined>;
}

export interface Thread {
  id: string;
  first: Remark;
  all: Remark[];
}

export type MergeHow = 'merge' | 'squash' | 'rebase';

/** What `doctor` says. */
export interface ForgeFinding {
  state: 'ok' | 'warn' | 'fail';
  found: string;
  fix: string;
}

/** How ralphctl pushes to a branch. */
export interface Pushes {
  /** It makes and overwrites branches of this kind: that of an idea. */
  own: boolean;
  /** With merge commits. */
  merges: boolean;
}

export interface Closing {
  by?: string;
  at?: number;
}

export interface Forge {
  readonly words: ForgeWords;
  /** Of whom ralphctl's own words are, as `Remark` names authors. Undefined: the login may not say it. */
  me(): Promise<string | undefined>;
  /** Those of the branch, onto whatever base, newest first. */
  listOf(branch: string): Promise<Listed[]>;
  /** Null: the forge does not show it. */
  read(number: number): Promise<Seen | null>;
  /** Who closed it, and when, epoch ms. */
  closing(number: number): Promise<Closing>;
  /** A text as the forge keeps it, where `open` and `change` do not send it as it is. */
  asKept(text: string): string;
  open(wanted: Wanted): Promise<Listed>;
  change(number: number, to: { base?: string; body?: string }): Promise<void>;
  /** It no longer merges by itself. */
  disarm(pull: Listed): Promise<void>;
  /** The forge itself closed it, because somebody deleted its base. */
  closedWithBase(number: number): Promise<boolean>;
  addLabels(number: number, labels: readonly string[]): Promise<void>;
  /** Who has given a review and is no longer among those who are asked. */
  reviewed(number: number): Promise<string[]>;
  askReviewers(number: number, logins: readonly string[]): Promise<void>;
  /** Red checks of its newest commit that are not in `known`. */
  redChecks(pull: Seen, known: readonly string[]): Promise<RedCheck[]>;
  /** What people say, kind by kind. */
  remarks(number: number, kinds: readonly SaidKind[]): Promise<Remark[]>;
  /** Its author may write to the repository. */
  trusts(remark: Remark): Promise<boolean>;
  reply(number: number, thread: Thread, body: string): Promise<void>;
  resolve(number: number, threads: readonly Thread[]): Promise<void>;
  comment(number: number, body: string): Promise<void>;
  /** Merges the commit once checks and reviews allow it. */
  mergeWhenReady(pull: Listed, head: string, how: MergeHow): Promise<void>;
  /** The same for an open one that could not be asked for at its opening. Absent: it always can. */
  mergeLater?(number: number, head: string, how: MergeHow): Promise<void>;
  /** Changes nothing. */
  check(target: string, remote: string, autoMerge: MergeHow | 'off'): Promise<ForgeFinding>;
  /** What the rules of a branch say of pushes. Undefined: nothing stands against them. Changes nothing. */
  againstPush(branch: string, how: Pushes): Promise<ForgeFinding | undefined>;
}
