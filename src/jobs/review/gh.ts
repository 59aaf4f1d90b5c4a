/** `gh api`, which has the user's login for GitHub, and the repository that it asks about. */
import { GH_SET, GH_VARIABLES } from '../../trackers/gh-variables.js';
import { placeOfRemote } from '../../trackers/place.js';
import { type Api, type ApiPlace, apiOf } from './api.js';
import { ForgeError } from './forge.js';

export interface Repo {
  /** Absent: the host that `gh` takes by itself. */
  host?: string;
  owner: string;
  name: string;
}

/** The repository of an address: https, ssh, or `host:owner/name`. */
export function repoOfAddress(url: string): Repo | undefined {
  const place = placeOfRemote(url);
  const [owner, name, ...more] = place?.path.split('/') ?? [];
  return place && more.length === 0 ? repoFrom(place.host, owner, name) : undefined;
}

/** `owner/name` or `host/owner/name`. */
export function repoOfName(text: string): Repo | undefined {
  const parts = text.split('/');
  const [name, owner, host] = parts.reverse();
  return parts.length <= 3 ? repoFrom(host, owner, name) : undefined;
}

function repoFrom(host: string | undefined, owner: string | undefined, name: string | undefined): Repo | undefined {
  if (!owner || !name) return undefined;
  return { owner, name, ...(host ? { host } : {}) };
}

export interface Gh extends Api {
  repo: Repo;
  graphql<T>(query: string, variables: Record<string, unknown>): Promise<T>;
}

export function ghOf(place: ApiPlace, repo: Repo): Gh {
  const { host } = repo;
  const api = apiOf(place, {
    argv: ['gh', 'api', '--include', ...(host ? ['--hostname', host] : [])],
    root: `repos/${repo.owner}/${repo.name}`,
    login: `gh auth login${host ? ` --hostname ${host}` : ''}`,
    passEnv: GH_VARIABLES,
    set: GH_SET,
  });
  return {
    ...api,
    repo,
    graphql: async <T>(query: string, variables: Record<string, unknown>) => {
      const { data, errors } = await api.send<{ data?: T; errors?: { message: string }[] }>('POST', '/graphql', {
        query,
        variables,
      });
      if (!data || errors?.[0]) throw new ForgeError(`the forge refuses it: ${errors?.[0]?.message ?? 'no data'}`);
      return data;
    },
  };
}
