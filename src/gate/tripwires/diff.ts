/** Parses `git diff -U0` (prefixes a/ and b/). Invariant: never throws; linear in the text. Pure. */

export interface FileChange {
  /** Path after the change; the old one when it was deleted. */
  path: string;
  /** The old path of a renamed file. */
  from?: string;
  added: boolean;
  deleted: boolean;
  /** git shows no lines of it, because of its content or an attribute. */
  binary?: true;
  addedLines: string[];
  removed: string[];
}

export function parseDiff(text: string): FileChange[] {
  const changes: FileChange[] = [];
  let current: FileChange | undefined;
  let inHunk = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('diff --git ')) {
      current = { path: fallbackPath(line), added: false, deleted: false, addedLines: [], removed: [] };
      changes.push(current);
      inHunk = false;
    } else if (!current) continue;
    else if (line.startsWith('@@')) inHunk = true;
    else if (inHunk && line.startsWith('+')) current.addedLines.push(line.slice(1));
    else if (inHunk && line.startsWith('-')) current.removed.push(line.slice(1));
    else if (!inHunk) header(current, line);
  }
  return changes;
}

function header(change: FileChange, line: string): void {
  if (line.startsWith('new file mode')) change.added = true;
  else if (line.startsWith('deleted file mode')) change.deleted = true;
  else if (line.startsWith('Binary files ')) change.binary = true;
  else if (line.startsWith('rename from ')) change.from = unquote(line.slice(12));
  else if (line.startsWith('rename to ')) change.path = unquote(line.slice(10));
  else if (line.startsWith('--- ') && change.deleted) change.path = side(line.slice(4)) ?? change.path;
  else if (line.startsWith('+++ ')) change.path = side(line.slice(4)) ?? change.path;
}

function side(text: string): string | undefined {
  const path = unquote(text.replace(/\t$/, ''));
  return path === '/dev/null' ? undefined : path.slice(2);
}

/** Of a change without lines (mode, binary, empty file): both sides have the same name. */
function fallbackPath(line: string): string {
  const rest = line.slice('diff --git '.length);
  if (rest.startsWith('"')) return unquote(rest.slice(0, rest.indexOf('" ') + 1)).slice(2);
  return rest.slice(2, (rest.length - 1) / 2);
}

const unquote = (text: string): string =>
  text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1).replace(/\\(["\\])/g, '$1') : text;
