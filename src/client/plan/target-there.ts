/** The target of a new run exists; of one that was renamed after the last run, `start` says the same as `status`. */
import { RepositoryError } from '../../git/errors.js';
import { targetTip } from '../../git/repository.js';
import { readModel } from '../../run-files/read-model.js';
import { listRuns } from '../../run-files/run.js';
import { takeNow } from '../model/take-target.js';

/** @throws RepositoryError with the way to go on */
export async function checkTarget(root: string, project: string, repo: string, target: string): Promise<void> {
  await targetTip(repo, target).catch(async (problem: unknown) => {
    const [runId] = await listRuns(root, project).catch(() => []);
    const found = runId && (await readModel(root, { project, runId }).catch(() => undefined));
    if (!found || found.run.file.target !== target) throw problem;
    await takeNow(root, found.model, found.run.file);
    const { renamed } = found.model;
    throw renamed ? new RepositoryError(`${renamed.text}.`, renamed.fix) : problem;
  });
}
