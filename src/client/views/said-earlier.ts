/** What people said to an idea in earlier runs of its project, oldest first. Invariant: reads only. */
import { ideaDir } from '../../config/paths.js';
import { answersInRun } from '../../jobs/agent-run/answers.js';
import type { Answered } from '../../protocol/command.js';
import type { ShownRun } from '../../report/show.js';

export interface SaidEarlier {
  runId: string;
  answers: Answered[];
  told: { verb: string; text?: string }[];
}

export async function saidEarlier(
  idea: string,
  { root, project, runId, runs = [] }: { root: string; project: string; runId?: string; runs?: readonly ShownRun[] },
): Promise<SaidEarlier[]> {
  const before = runs.filter((one) => runId !== undefined && one.runId < runId).reverse();
  const found = before.map(async ({ runId: run, idea: then }) => {
    const answers = await answersInRun(ideaDir(root, project, run, idea));
    // An answer stands under its question.
    const under = new Set(answers.map(({ answer }) => answer));
    const told = then.said.flatMap(({ verb, text, done }) =>
      done === undefined || (verb === 'answer' && under.has(text ?? '')) ? [] : [{ verb, ...(text ? { text } : {}) }],
    );
    return { runId: run, answers, told };
  });
  return (await Promise.all(found)).filter(({ answers, told }) => answers.length + told.length > 0);
}
