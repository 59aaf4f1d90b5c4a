/** The question about an agent that left its worktree, and the report in the iteration's folder. */
import { join } from 'node:path';
import type { OutOfBoundsChange } from '../../git/confinement/out-of-bounds.js';
import type { Outside } from '../../git/confinement/outside.js';
import { git } from '../../git/runner.js';
import type { Redact } from '../../process/redact.js';
import { writeAtomically } from '../../run-files/run.js';
import { PUT_BACK } from './walls.js';
import type { OutOfBoundsRun } from '../../protocol/agent-run.js';

const IF_YOURS = 'If you changed the settings or hooks yourself: pause the run, change them again, resume.';
const LONGEST_QUESTION = 1500;
/** Most of a diff that is kept, bytes. */
const LONGEST_DIFF = 1 << 20;
export async function describe(
  { dir }: { dir: string },
  root: string,
  before: Outside,
  strays: readonly OutOfBoundsChange[],
  redact: Redact,
): Promise<OutOfBoundsRun> {
  const report = join(dir, 'strayed.diff');
  await writeAtomically(join(dir, 'config.before'), before.config, 0o600);
  await writeAtomically(report, redact(await diffs(root, strays)));
  const shown = strays.slice(0, 5).map(({ what }) => redact(what));
  const commands = strays.flatMap(({ look, undo }) => [look && `look: ${look}`, undo && `take back: ${undo}`]);
  const lines = [
    ...headings(strays, redact),
    `What changed: less '${report}'`,
    ...commands.filter((line) => line !== undefined),
    ...(strays.some(({ what }) => what.includes(PUT_BACK)) ? [IF_YOURS] : []),
    'Its own work has not landed. It resumes once you answer.',
  ];
  return { what: shown, question: redact(lines.join('\n')).slice(0, LONGEST_QUESTION), report };
}

function headings(strays: readonly OutOfBoundsChange[], redact: Redact): string[] {
  const own = strays.filter(({ byOthers }) => !byOthers).map(({ what }) => redact(what));
  const others = strays.filter(({ byOthers }) => byOthers).map(({ what }) => redact(what));
  const more = own.length > 5 ? [`did ${own.length - 5} more things, all in the report`] : [];
  return [
    ...(own.length > 0 ? [`The agent left its worktree: it ${[...own.slice(0, 5), ...more].join('; it ')}.`] : []),
    ...(others.length > 0 ? [`Somebody else changed the work of this idea: ${others.join('; ')}.`] : []),
  ];
}

/** Commits as diffs, and what is uncommitted in the checkout; bounded. */
async function diffs(root: string, strays: readonly OutOfBoundsChange[]): Promise<string> {
  const parts: string[] = [];
  for (const { what, look, undo, diff } of strays) {
    parts.push(`# it ${what}`, ...(look ? [`# look: ${look}`] : []), ...(undo ? [`# take back: ${undo}`] : []));
    if (diff) parts.push(await shown(root, ['diff', '--no-ext-diff', '--no-textconv', ...diff, '--']));
  }
  parts.push(
    '# uncommitted in your checkout',
    await shown(root, ['diff', '--no-ext-diff', '--no-textconv', 'HEAD', '--']),
  );
  return `${parts.join('\n')}\n`.slice(0, LONGEST_DIFF);
}

const shown = (root: string, args: readonly string[]): Promise<string> =>
  git(root)
    .run(args, { read: true })
    .catch(() => '(cannot be shown)');
