/**
 * An idea that its backlog does not have any more: what happened, and the last commit that still had its line.
 * Invariant: reads only, and looks at a bounded number of commits.
 */

import { git } from '../../git/runner.js';
import { inOneLine } from '../../protocol/escapes.js';
import { many } from '../../protocol/many.js';
import type { RunFile } from '../../run-files/shapes.js';
import { repositoryPath } from '../../run-files/ticks.js';
import { ideasAt } from '../open-run/not-committed.js';
import { type NextBacklog, nextBacklog } from '../plan/next-backlog.js';

export interface LastLine {
  /** A sentence without its end. */
  text: string;
  /** Shows the backlog as it was; absent: git does not know it. */
  command?: string;
}

/** Commits that changed the backlog, newest first. A folder of task files is read file by file. */
const MOST_COMMITS = 200;
const MOST_COMMITS_OF_FOLDER = 20;

/** Where the line was last. Undefined: the backlog has it, or nobody knows. */
export async function lastLine(root: string, run: RunFile, idea: string): Promise<LastLine | undefined> {
  const next = await nextBacklog(root, run);
  if (!next || next.ids.has(idea)) return undefined;
  return inGit(run, next, idea).catch(() => ({ text: `git does not tell which commit had it` }));
}

async function inGit(run: RunFile, { name, file, format }: NextBacklog, idea: string): Promise<LastLine> {
  const { repo, target } = run;
  const path = repositoryPath(repo, file);
  const commits = path === undefined ? [] : await commitsOf(repo, target, path);
  if (path === undefined || commits.length === 0)
    return { text: `git has no version of ${name}, because nobody committed it` };
  const looked = commits.slice(0, format === 'backlog-md' ? MOST_COMMITS_OF_FOLDER : MOST_COMMITS);
  for (const { commit, subject } of looked) {
    const ideas = await ideasAt(commit, { root: repo, file, format });
    if (ideas?.some(({ id }) => id === idea))
      return {
        text: `the last commit with its line is ${commit} (${inOneLine(subject)})`,
        command: `git show ${commit}:${path}`,
      };
  }
  const which = looked.length < commits.length ? `none of the last ${many(looked.length, 'commit')}` : 'no commit';
  return { text: `${which} of ${name} has its line` };
}

/** Of the checkout and of the target. */
async function commitsOf(repo: string, target: string, path: string): Promise<{ commit: string; subject: string }[]> {
  const args = ['log', `-${MOST_COMMITS + 1}`, '--format=%h %s', '--ignore-missing', 'HEAD', `refs/heads/${target}`];
  const { stdout, code } = await git(repo).result([...args, '--', `:(literal)${path}`], { ok: [0, 128], read: true });
  const lines = code === 0 ? stdout.split('\n').filter(Boolean) : [];
  return lines.map((line) => ({ commit: line.split(' ', 1)[0] ?? '', subject: line.slice(line.indexOf(' ') + 1) }));
}
