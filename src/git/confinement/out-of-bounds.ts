/**
 * The changes of an agent run outside its worktree. A change counts only where the run's own git trace, or the
 * worktree's own record of its HEAD, proves that this agent made it.
 * Invariant: pure. A change that somebody else may have made (the user, another idea, ralphctl) is never the agent's.
 */

import { literal } from '../../protocol/pattern.js';
import { shellQuoted } from '../../protocol/shell-words.js';
import type { Outside, RefMove } from './outside.js';
import type { TracedCommand } from './trace.js';

export interface OutOfBoundsChange {
  /** The change, as a clause that follows "it". */
  what: string;
  /** Someone else made this change to the idea's own work. */
  byOthers?: true;
  /** Who ran, as phrases: nothing tells which of them made it. */
  among?: readonly string[];
  /** Shell command that shows the change. */
  look?: string;
  /** Shell command that undoes the change. */
  undo?: string;
  /** The two commits whose difference is the change. */
  diff?: readonly [from: string, to: string];
}

export interface Evidence {
  /** The idea's worktree, its branch, and how its HEAD moved. */
  worktree: string;
  branch: string;
  headMoves: readonly RefMove[];
  /** Commits made there during the run. */
  made: ReadonlySet<string>;
  /** Root of the user's checkout. */
  root: string;
  /** Roots of all linked worktrees. */
  linked: readonly string[];
  commands: readonly TracedCommand[];
  /** Reflogs of refs that changed. */
  moves: ReadonlyMap<string, readonly RefMove[]>;
  /** File with the earlier configuration, and the file it is restored to. */
  config: { before: string; file: string };
}

/** Commands that write a ref given by name: always, as the target of a refspec, or only with a flag. */
const EXPLICIT: ReadonlyMap<string, 'name' | 'refspec' | 'flag'> = new Map([
  ...['branch', 'update-ref', 'tag', 'symbolic-ref', 'filter-branch', 'replace'].map((one) => [one, 'name'] as const),
  ...['push', 'fetch', 'pull'].map((one) => [one, 'refspec'] as const),
  ...['checkout', 'switch', 'worktree'].map((one) => [one, 'flag'] as const),
]);
export const MOVES_HEAD = new Set(
  'commit merge reset rebase pull cherry-pick revert am update-ref checkout switch stash fast-import'.split(' '),
);
const SWITCHES = new Set('checkout switch symbolic-ref rebase bisect stash'.split(' '));
const WRITES_INDEX = new Set(
  'add rm mv reset restore checkout switch apply read-tree update-index stash merge cherry-pick revert am commit'.split(
    ' ',
  ),
);
const WRITES_CONFIG = new Set('remote branch push submodule sparse-checkout maintenance checkout switch'.split(' '));

export function findOutOfBounds(before: Outside, after: Outside, evidence: Evidence): OutOfBoundsChange[] {
  const refs = Object.keys(before.refs)
    .filter((name) => before.refs[name] !== after.refs[name])
    .flatMap((name) => refChange(name, before, after, evidence) ?? []);
  const head = headChange(before, after, evidence);
  const index = refs.length + head.length > 0 ? [] : indexChange(before, after, evidence);
  return [
    ...refs,
    ...head,
    ...index,
    ...stashChanges(before, after, evidence),
    ...configChanges(before, after, evidence),
  ];
}

const short = (commit: string): string => commit.slice(0, 10);
const shortName = (ref: string): string => ref.replace(/^refs\/(?:heads|tags)\//, '');
const inWindow = (command: TracedCommand, seconds: number): boolean =>
  command.ok && seconds >= firstSecond(command.from) && seconds * 1000 <= command.to;

/**
 * The earliest second in a reflog of something that began at `ms`. git asks time(2), which reads the kernel's coarse
 * clock: it lags behind the precise one by up to a tick, 15 ms where many machines share a processor.
 */
const firstSecond = (ms: number): number => Math.floor((ms - 50) / 1000);

function refChange(name: string, before: Outside, after: Outside, evidence: Evidence): OutOfBoundsChange | undefined {
  const from = before.refs[name] ?? '';
  const to = after.refs[name];
  const recorded = evidence.moves.get(name) ?? [];
  const unrecorded = to !== undefined && recorded.at(-1)?.to !== to && !recorded.some((move) => move.to === to);
  // Someone wrote the file by hand: git would have recorded the change in the reflog, as it did before.
  if (unrecorded && recorded.some((move) => move.to === from)) return byHand(name, from, to, evidence);
  // ralphctl makes landings. Commits of this run cannot have landed yet, whatever the reflog says.
  const moves = since(recorded, from).filter(
    (move) => !move.text.startsWith('ralphctl:') || evidence.made.has(move.to),
  );
  const mine = moves.filter(
    (move) =>
      evidence.made.has(move.to) ||
      evidence.headMoves.some((own) => own.line === move.line) ||
      evidence.commands.some((command) => writes(command, name, evidence) && inWindow(command, move.at)),
  );
  const [first] = mine;
  const last = mine.at(-1);
  const label = shortName(name);
  const root = shellQuoted(evidence.root);
  if (!first || !last) {
    // Without a reflog (tags, deleted branches) only a command that names the ref is proof.
    const named =
      (evidence.moves.get(name) ?? []).length === 0 && evidence.commands.some((one) => names(one, name, evidence));
    if (!named) return undefined;
    const undo = `git -C ${root} update-ref ${name} ${from}`;
    return to
      ? { what: `moved ${label} from ${short(from)} to ${short(to)}`, undo, diff: [from, to] }
      : { what: `deleted ${label}, which was at ${short(from)}`, undo };
  }
  const said = last.text ? ` (${last.text.slice(0, 100)})` : '';
  const what = `moved the branch ${label} from ${short(first.from)} to ${short(last.to)}${said}`;
  const checkedOut = after.head === `ref: ${name}`;
  const undo = checkedOut
    ? `git -C ${root} reset --keep ${short(first.from)}`
    : `git -C ${root} update-ref ${name} ${short(first.from)} ${short(last.to)}`;
  const look = `git -C ${root} log --stat ${short(first.from)}..${short(last.to)}`;
  // Someone continued from there, or a landing lies in between: a reset would drop their work.
  const span = recorded.slice(recorded.indexOf(first), recorded.indexOf(last) + 1);
  const isAlone = to === last.to && span.every((move) => mine.includes(move));
  return { what, look, undo: isAlone ? undo : undefined, diff: [first.from, last.to] };
}

function byHand(name: string, from: string, to: string, { root }: Evidence): OutOfBoundsChange {
  return {
    what: `moved ${shortName(name)} from ${short(from)} to ${short(to)} by writing its file`,
    look: `git -C ${shellQuoted(root)} log --stat ${short(from)}..${short(to)}`,
    undo: `git -C ${shellQuoted(root)} update-ref ${name} ${from} ${to}`,
    diff: [from, to],
  };
}

/** Commits made in a worktree since then (epoch ms), by its own reflog, without those that it only checked out. */
export const madeSince = (headMoves: readonly RefMove[], since: number): ReadonlySet<string> =>
  new Set(
    headMoves
      .filter(
        ({ at, text }) =>
          at >= firstSecond(since) &&
          /^(?:commit|cherry-pick|revert|am|rebase)\b/.test(text) &&
          // A rebase begins at a commit of someone else, and may end at one.
          !/^rebase[^(:]*\((?:start|reset|finish|abort)\)/.test(text),
      )
      .map(({ to }) => to),
  );

/** The moves after `from`. */
function since(moves: readonly RefMove[], from: string): readonly RefMove[] {
  const at = moves.findLastIndex((move) => move.to === from);
  return moves.slice(at + 1);
}

function writes(command: TracedCommand, name: string, evidence: Evidence): boolean {
  if (names(command, name, evidence)) return true;
  const elsewhere =
    command.worktree !== undefined &&
    command.worktree !== evidence.worktree &&
    (command.worktree === evidence.root || evidence.linked.includes(command.worktree));
  return elsewhere && MOVES_HEAD.has(command.name);
}

/** Whether the command writes this ref because its arguments name it. */
function names(command: TracedCommand, ref: string, evidence: Evidence): boolean {
  const writes = EXPLICIT.get(command.name);
  if (!command.ok || !writes || !(command.worktree === undefined || inThisRepository(command, evidence))) return false;
  const label = shortName(ref);
  const { argv } = command;
  const target = argv.some((arg) => arg.endsWith(`:${label}`) || arg.endsWith(`:${ref}`));
  if (writes === 'refspec') return target && !(command.name === 'push' && !argv.includes('.'));
  const named = argv.some((arg) => arg === label || arg === ref || arg === '--stdin');
  return writes === 'name' ? named : named && argv.some((arg) => /^-(?:B|C|-orphan)/.test(arg));
}

function headChange(before: Outside, after: Outside, { commands, root }: Evidence): OutOfBoundsChange[] {
  if (before.head === after.head) return [];
  if (!commands.some((one) => one.ok && one.worktree === root && SWITCHES.has(one.name))) return [];
  const place = (head: string): string => (head.startsWith('ref: ') ? shortName(head.slice(5)) : short(head));
  const back = before.head.startsWith('ref: ') ? place(before.head) : `--detach ${before.head}`;
  return [
    {
      what: `switched your checkout from ${place(before.head)} to ${place(after.head)}`,
      look: `git -C ${shellQuoted(root)} status`,
      undo: `git -C ${shellQuoted(root)} switch ${back}`,
    },
  ];
}

function indexChange(before: Outside, after: Outside, { commands, root }: Evidence): OutOfBoundsChange[] {
  const there = commands.filter((one) => one.ok && one.worktree === root);
  const changed = before.index === after.index ? [] : there.filter((one) => WRITES_INDEX.has(one.name));
  const removed = there.filter((one) => one.name === 'clean' && !one.argv.some((arg) => /^-\w*n|--dry-run/.test(arg)));
  const ran = [...changed, ...removed].map((one) => one.argv.join(' ').slice(0, 120));
  if (ran.length === 0) return [];
  const list = [...new Set(ran)].slice(0, 3).join('; ');
  return [{ what: `ran git in your checkout: ${list}`, look: `git -C ${shellQuoted(root)} status` }];
}

function stashChanges(before: Outside, after: Outside, evidence: Evidence): OutOfBoundsChange[] {
  const root = shellQuoted(evidence.root);
  const had = new Set(before.stashes.map((one) => one.commit));
  const has = new Set(after.stashes.map((one) => one.commit));
  const stashing = evidence.commands.filter((one) => one.ok && one.name === 'stash');
  const inRoot = stashing.some((one) => one.worktree === evidence.root);
  const own = ` on ${evidence.branch}:`.toLowerCase();
  const made = after.stashes.filter(
    (one) => !had.has(one.commit) && (inRoot || ` ${one.text}`.toLowerCase().includes(own)),
  );
  const lost = tookAway(stashing.filter((one) => inThisRepository(one, evidence)))
    ? before.stashes.filter((one) => !has.has(one.commit))
    : [];
  return [
    ...made.map(({ commit, text }) => ({
      what: `left a stash in your repository (${text.slice(0, 80)})`,
      look: `git -C ${root} stash show -p ${short(commit)}`,
      // By its commit, because the number of a stash changes with every newer stash.
      undo: `git -C ${root} stash drop "$(git -C ${root} stash list --format='%gd %H' | sed -n 's/ ${commit}$//p')"`,
    })),
    ...lost.map(({ commit, text }) => ({
      what: `took a stash of yours away (${text.slice(0, 80)})`,
      look: `git -C ${root} show ${short(commit)}`,
      undo: `git -C ${root} stash store -m ${shellQuoted(text.slice(0, 80))} ${commit}`,
    })),
  ];
}

/** More entries removed from the list than added. A push with nothing to stash starts no process and adds nothing. */
function tookAway(stashing: readonly TracedCommand[]): boolean {
  let put = 0;
  let taken = 0;
  for (const { argv, children } of stashing) {
    const verb = argv.slice(argv.indexOf('stash') + 1).find((arg) => !arg.startsWith('-')) ?? 'push';
    if (verb === 'clear') return true;
    if (['drop', 'pop', 'branch'].includes(verb)) taken += 1;
    else if (['push', 'save'].includes(verb) && children > 0) put += 1;
  }
  return taken > put;
}

function configChanges(before: Outside, after: Outside, evidence: Evidence): OutOfBoundsChange[] {
  if (before.config === after.config) return [];
  const changed = changedLines(before.config, after.config).join('\n').toLowerCase();
  const by = evidence.commands.filter((one) => one.ok && inThisRepository(one, evidence) && sets(one, changed));
  const [first] = by;
  if (!first) return [];
  const list = [...new Set(by.map((one) => one.argv.join(' ').slice(0, 120)))].slice(0, 3).join('; ');
  const { before: old, file } = evidence.config;
  return [
    {
      what: `changed the configuration of your repository: ${list}`,
      look: `diff ${shellQuoted(old)} ${shellQuoted(file)}`,
      undo: `cp ${shellQuoted(old)} ${shellQuoted(file)}`,
    },
  ];
}

const inThisRepository = ({ worktree }: TracedCommand, evidence: Evidence): boolean =>
  worktree === evidence.worktree ||
  worktree === evidence.root ||
  (worktree !== undefined && evidence.linked.includes(worktree));

/** Whether the command writes the setting that changed. */
function sets(command: TracedCommand, changed: string): boolean {
  const words = command.argv.slice(1).filter((arg) => !arg.startsWith('-'));
  if (command.name === 'config') {
    if (command.argv.some((arg) => /^(?:--global|--system|-f|--file.*)$/.test(arg))) return false;
    return words.some((word) => word.includes('.') && changed.includes(lastPart(word)));
  }
  if (!WRITES_CONFIG.has(command.name) || isUpkeep(command)) return false;
  return words.some((word) => word !== command.name && word.length > 1 && hasWord(changed, word.toLowerCase()));
}

/** Commits and fetches run it by themselves, and it sets nothing. */
const isUpkeep = ({ name, argv }: TracedCommand): boolean => name === 'maintenance' && argv.includes('run');

/** Not a part of another word: the path of somebody's remote may hold anything. */
const hasWord = (text: string, word: string): boolean =>
  new RegExp(`(?:^|[^\\w-])${literal(word)}(?:$|[^\\w-])`, 'm').test(text);

const lastPart = (key: string): string => key.slice(key.lastIndexOf('.') + 1).toLowerCase();

function changedLines(before: string, after: string): string[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const [had, has] = [new Set(old), new Set(now)];
  return [...old.filter((line) => !has.has(line)), ...now.filter((line) => !had.has(line))];
}
