/** Opens the tracker that a configuration names. May import this folder and config only. */
import type { TrackerConfig } from '../config/schema/tracker.js';
import { CommandTracker } from './command.js';
import { GitHubIssues } from './github.js';
import { GitLabIssues } from './gitlab.js';
import { IssueTracker } from './issues.js';
import { JsonlTracker } from './jsonl.js';
import { type Place, placeOf, placeOfRemote } from './place.js';
import type { ToolPlace } from './tool.js';
import { type Tracker, TrackerError } from './tracker.js';

export interface TrackerPlace extends ToolPlace {
  /** Address of the repository's remote, for trackers whose configuration names no repository. */
  remote?: string | undefined;
}

/** @throws TrackerError where neither configuration nor remote names a repository */
export function openTracker(config: TrackerConfig, place: TrackerPlace): Tracker {
  const { tracker, claimLabel, write } = config;
  const rules = { claimLabel, ...write };
  switch (tracker) {
    case 'github':
      return new IssueTracker(new GitHubIssues(place, repositoryOf(config, place), config), rules);
    case 'gitlab':
      return new IssueTracker(new GitLabIssues(place, repositoryOf(config, place), config), rules);
    case 'jsonl':
      return new JsonlTracker(place, config);
    case 'command':
      return new CommandTracker(place, config);
  }
}

const USUAL_HOST = { github: ['GH_HOST', 'github.com'], gitlab: ['GITLAB_HOST', 'gitlab.com'] } as const;

export function repositoryOf({ tracker, repository }: TrackerConfig, { env, remote }: TrackerPlace): Place {
  const [variable, usual] = tracker === 'gitlab' ? USUAL_HOST.gitlab : USUAL_HOST.github;
  if (repository !== undefined) return placeOf(repository, env[variable] || usual);
  const found = remote === undefined ? undefined : placeOfRemote(remote);
  if (found) return found;
  const why = remote === undefined ? 'there is no remote origin' : 'the remote origin is no address of a forge';
  throw new TrackerError(`${why}. Name the repository in ralphctl.yaml: backlog: { repository: owner/name }`, false);
}
