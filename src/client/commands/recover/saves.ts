/** `ralphctl saves [idea]` lists what ralphctl saved before it removed work; `saves restore` restores one. Needs only git. */
import { ideaBranch } from '../../../git/refs.js';
import { type SaveView, viewSaves } from '../../../git/saves/list.js';
import { restoreSave } from '../../../git/saves/restore.js';
import { IDEA_ID } from '../../../protocol/idea.js';
import { EXIT, UserError } from '../../../protocol/user-error.js';
import { hasMark } from '../../../run-files/attempts.js';
import { newestRun } from '../../../run-files/readable.js';
import { type Context, findProject, type Project, print, printJson, say } from '../../context.js';
import { warnOnce } from '../../report/summaries.js';
import { clean, many } from '../../views/live-lines.js';

export async function saves(context: Context, idea: string | undefined): Promise<number> {
  if (idea !== undefined) assertId(idea);
  const project = await findProject(context);
  const found = await viewSaves(project.repository.root, await targetOf(context, project), idea);
  if (context.json) {
    for (const save of found) printJson(toJson(save));
    return EXIT.ok;
  }
  if (found.length === 0) {
    say(idea ? `there are no saves of ${idea}` : 'there are no saves in this repository yet');
    return EXIT.ok;
  }
  let last: string | undefined;
  for (const save of found) {
    if (save.idea !== last) print(save.idea);
    last = save.idea;
    print(line(save));
  }
  const [first] = found;
  if (first) say(`\nrestore one as a branch: ralphctl saves restore ${idea ?? '<idea>'} ${idea ? first.n : '<n>'}`);
  return EXIT.ok;
}

export async function restore(context: Context, idea: string, n: number, to: string | undefined): Promise<number> {
  assertId(idea);
  const { id: project, repository } = await findProject(context);
  if (to === ideaBranch(idea) && (await hasMark(context.root, project, idea)))
    throw new UserError(
      `an agent is working on ${to}. Restore to another branch (leave out --to), or stop the idea first: ralphctl stop ${idea}`,
    );
  const { branch, commit, how } = await restoreSave({ repo: repository.root, idea, n, to: to || undefined });
  if (context.json) {
    printJson({ restored: branch, commit, how });
    return EXIT.ok;
  }
  const words = { created: 'is now on the new branch', moved: 'is now on', same: 'is already on' }[how];
  print(`save ${n} of ${idea} ${words} ${branch} (${commit.slice(0, 10)})`);
  return EXIT.ok;
}

/** Ref patterns contain the id. */
function assertId(idea: string): void {
  if (!IDEA_ID.test(idea)) throw new UserError(`${JSON.stringify(clean(idea))} is not an id of an idea`);
}

/** The commit to count differing files against: the last run's target, else the checked-out branch. */
async function targetOf(context: Context, { id: project, repository }: Project): Promise<string> {
  const run = await newestRun(context.root, project, warnOnce);
  const branch = run?.file.target ?? repository.branch;
  return branch ? `refs/heads/${branch}` : 'HEAD';
}

const toJson = ({ idea, n, at, why, files, subject, uncommitted, ref, commit }: SaveView) => ({
  idea,
  n,
  at: new Date(at).toISOString(),
  why: why ?? null,
  files,
  subject,
  uncommitted,
  ref,
  commit,
});

function line({ n, at, why = '', files, subject, uncommitted }: SaveView): string {
  const when = new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16).replace('T', ' ');
  const more = uncommitted ? ' + uncommitted' : '';
  return `  ${String(n).padStart(3)}  ${when}  ${many(files, 'file').padStart(9)}  ${clean(subject, 60) || 'no commit of its own'}${more}${why ? `  (${why})` : ''}`;
}
