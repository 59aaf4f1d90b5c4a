/** `glab api`, which has the user's login for GitLab, and the project that it asks about. */
import { GLAB_SET, GLAB_VARIABLES } from '../../trackers/glab-variables.js';
import type { Place } from '../../trackers/place.js';
import { type Api, type ApiPlace, apiOf } from './api.js';

export interface Glab extends Api {
  place: Place;
}

export const glabOf = (at: ApiPlace, place: Place): Glab => ({
  ...apiOf(at, {
    argv: ['glab', 'api', '--include', '--hostname', place.host],
    root: `projects/${encodeURIComponent(place.path)}`,
    login: `glab auth login --hostname ${place.host}`,
    passEnv: GLAB_VARIABLES,
    set: GLAB_SET,
    apart: true,
  }),
  place,
});
