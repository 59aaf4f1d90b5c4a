/** The forge of a run: from its configuration, or from the address of its remote. */
import { RepositoryError } from '../../git/errors.js';
import type { RunRef } from '../../protocol/run-ref.js';
import type { LoadedRun } from '../../run-files/run.js';
import { type Place, placeOf, placeOfRemote } from '../../trackers/place.js';
import type { WorkDeps } from '../job.js';
import type { ApiPlace } from './api.js';
import type { Forge } from './forge.js';
import { forgeKind } from './forge-kind.js';
import { type Repo, repoOfAddress, repoOfName } from './gh.js';
import { gitHub } from './github.js';
import { gitLab } from './gitlab.js';

export function forgeOf(
  deps: WorkDeps,
  {
    file,
  }: { file: Pick<LoadedRun['file'], 'config' | 'remote' | 'repo'> & Partial<Pick<RunRef, 'project' | 'runId'>> },
  { signal, answers }: Pick<ApiPlace, 'signal' | 'answers'> = {},
): Forge {
  const { config, remote, repo, project, runId } = file;
  const { pr, passEnv } = config.landing;
  const mark = project && runId ? { mark: `${project}/${runId}/review` } : {};
  const at = { env: deps.env, cwd: repo, passEnv, ...mark, ...(signal ? { signal } : {}) };
  const address = remote?.shown;
  const none = () =>
    new RepositoryError(
      `The address of the remote ${remote?.name ?? ''} does not name a repository of a forge (${address ?? 'none'}).`,
      'Set landing.pr.repo, e.g. owner/name',
    );
  if (forgeKind(pr, address) === 'gitlab') {
    const place = projectOf(pr.repo, address, deps.env);
    if (!place) throw none();
    return gitLab(at, place);
  }
  const found: Repo | undefined = pr.repo === undefined ? repoOfAddress(address ?? '') : repoOfName(pr.repo);
  if (!found) throw none();
  // GitLab counts every request, so it gets no tags.
  return gitHub({ ...at, ...(answers ? { answers } : {}) }, found);
}

/** A name without a host is on the host of the remote. */
function projectOf(name: string | undefined, address: string | undefined, env: NodeJS.ProcessEnv): Place | undefined {
  const remote = address === undefined ? undefined : placeOfRemote(address);
  return name === undefined ? remote : placeOf(name, remote?.host ?? (env.GITLAB_HOST || 'gitlab.com'));
}
