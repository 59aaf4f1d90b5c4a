/** Which forge has the pull requests of a configuration. Pure. */
import type { Config } from '../../config/schema/config.js';
import { placeOf, placeOfRemote } from '../../trackers/place.js';

export type ForgeKind = 'github' | 'gitlab';

/** `gitlab.com`, or a host such as `gitlab.example.com`. */
const isGitLab = (host: string): boolean => host.toLowerCase().split('.').includes('gitlab');

const isGitHub = (host: string): boolean => host.toLowerCase().split('.').includes('github');

/** `address`: of the remote. */
export function forgeKind(
  { forge, repo }: Partial<Pick<Config['landing']['pr'], 'forge' | 'repo'>>,
  address: string | undefined,
): ForgeKind {
  if (forge !== undefined) return forge;
  const remote = address === undefined ? undefined : placeOfRemote(address);
  const host = repo === undefined ? remote?.host : placeOf(repo, remote?.host ?? '').host;
  return host !== undefined && isGitLab(host) ? 'gitlab' : 'github';
}

/** Something says so: a plain remote, such as a folder or a server with ssh only, has no forge. */
export function hasForge(
  { forge, repo }: Partial<Pick<Config['landing']['pr'], 'forge' | 'repo'>>,
  address: string | undefined,
): boolean {
  const host = address === undefined ? undefined : placeOfRemote(address)?.host;
  return forge !== undefined || repo !== undefined || (host !== undefined && (isGitHub(host) || isGitLab(host)));
}
