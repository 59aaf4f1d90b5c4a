import { git } from './runner.js';

export interface ChangedFile {
  path: string;
  added: number;
  deleted: number;
}

/** The files that differ between two commits; a binary file counts no lines. */
export async function changedFiles(repo: string, base: string, tip: string): Promise<ChangedFile[]> {
  const args = ['diff', '--numstat', '-z', '--no-renames', base, tip, '--'];
  const { stdout } = await git(repo).result(args, { read: true });
  return stdout.split('\0').flatMap((row): ChangedFile[] => {
    const [added, deleted, path] = row.split('\t');
    return path ? [{ path, added: Number(added) || 0, deleted: Number(deleted) || 0 }] : [];
  });
}
