/**
 * What a sandboxed program sees of the file system: rules about paths, and the bubblewrap arguments that carry them out.
 * Invariant: of all rules about a path or a folder above it, that of the longest path counts. Of two about one path, the
 * stricter one counts. Pure.
 */

/** hidden: the program sees an empty folder, or a file that it cannot open. */
export type Access = 'write' | 'read' | 'hidden';

export interface Rule {
  /** Absolute and real: no part of it is a link. */
  path: string;
  access: Access;
  kind: 'file' | 'folder';
  /** Another folder or file is shown there. */
  from?: string;
}

const STRICTNESS: Readonly<Record<Access, number>> = { write: 0, read: 1, hidden: 2 };

const clean = (path: string): string => path.replace(/\/+$/, '') || '/';

export const isWithin = (path: string, folder: string): boolean =>
  folder === '/' || path === folder || path.startsWith(`${folder}/`);

/** One rule for each path, parents first. */
export function ordered(rules: readonly Rule[]): Rule[] {
  const byPath = new Map<string, Rule>();
  for (const rule of rules) {
    const path = clean(rule.path);
    const other = byPath.get(path);
    if (other && STRICTNESS[other.access] >= STRICTNESS[rule.access]) continue;
    byPath.set(path, { ...rule, path });
  }
  return [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The rule that counts for a path. */
export function ruleFor(path: string, rules: readonly Rule[]): Rule | undefined {
  return ordered(rules)
    .filter((rule) => isWithin(path, rule.path))
    .pop();
}

/** Bubblewrap makes these anew: a rule below them always needs a mount. */
const MADE_ANEW: readonly Rule[] = ['/dev', '/proc'].map((path) => ({
  path,
  access: 'hidden',
  kind: 'folder',
  from: path,
}));

/**
 * The arguments. A rule that changes nothing makes none. Empty folders are closed last, because the places of other rules
 * are made in them.
 */
export function mountArguments(rules: readonly Rule[]): string[] {
  const made: string[] = [];
  const closed: string[] = [];
  const done: Rule[] = [...MADE_ANEW];
  for (const rule of ordered(rules)) {
    const above = done
      .filter((one) => isWithin(rule.path, one.path))
      .reduce<Rule | undefined>((a, b) => (a && a.path.length > b.path.length ? a : b), undefined);
    if (above?.access === rule.access && rule.from === undefined && above.from === undefined) continue;
    done.push(rule);
    // What bubblewrap makes anew lies over it: it comes first, from the caller.
    if (rule.path === '/' && rule.access === 'read') continue;
    const from = rule.from ?? rule.path;
    if (rule.access === 'write') made.push('--bind', from, rule.path);
    else if (rule.access === 'read') made.push('--ro-bind', from, rule.path);
    else if (rule.kind === 'file') made.push('--ro-bind', '/dev/null', rule.path);
    else {
      // The root of a sandbox is an empty folder from the start.
      if (rule.path !== '/') made.push('--tmpfs', rule.path);
      closed.push('--remount-ro', rule.path);
    }
  }
  return [...made, ...closed];
}
