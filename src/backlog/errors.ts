/** What is wrong with a backlog: every problem found, one line each. */
import { type Problem, renderProblems } from '../config/problems.js';

export class BacklogError extends Error {
  override readonly name = 'BacklogError';
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super(renderProblems(problems));
    this.problems = problems;
  }
}
