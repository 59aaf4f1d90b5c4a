/** One check for each problem of a file that a person wrote. */
import { ProblemsError } from '../../config/problems.js';
import { many } from '../../protocol/many.js';
import { type Check, fail, problem } from './check.js';

const SHOWN = 10;

/** `fix`: where a problem has none of its own. */
export function problemsOf(what: string, error: unknown, fix: string): Check[] {
  if (!(error instanceof ProblemsError)) return [problem(what, error, fix)];
  const { problems } = error;
  const checks = problems
    .slice(0, SHOWN)
    .map((one) => fail(what, `${one.file}${one.line > 0 ? `:${one.line}` : ''}: ${one.message}`, one.fix ?? fix));
  const more = problems.length - SHOWN;
  return more > 0 ? [...checks, fail(what, `and ${many(more, 'more problem')}`, fix)] : checks;
}
