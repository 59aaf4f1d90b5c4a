/** The state of the forge: people, repositories, issues. Tests read and change it directly. */

export type Association = 'OWNER' | 'MEMBER' | 'COLLABORATOR' | 'CONTRIBUTOR' | 'NONE';

export interface Comment {
  id: number;
  login: string;
  body: string;
  createdAt: string;
  updatedAt: string;
  /** How often its text was changed. */
  edits: number;
}

export interface Issue {
  number: number;
  title: string;
  body: string | null;
  login: string;
  state: 'open' | 'closed';
  stateReason?: string;
  labels: string[];
  assignees: string[];
  milestone?: number;
  createdAt: string;
  closedAt?: string;
  comments: Comment[];
  closedBy?: string;
  /** The listing of issues has pull requests, too. */
  pull?: true;
}

export interface ProtectedName {
  name: string;
  push_access_levels: Record<string, unknown>[];
  allow_force_push: boolean;
}

export interface Repo {
  owner: string;
  name: string;
  hasIssues: boolean;
  /** Who may write; everybody else is a stranger. */
  members: Map<string, Association>;
  issues: Map<number, Issue>;
  milestones: { number: number; title: string; state: 'open' | 'closed' }[];
  labels: Set<string>;
  /** Its branches have rules for merges. */
  protected?: boolean;
  /** The default branch, where it is not that of every test. */
  head?: string;
  /** Rules of GitHub that apply to a branch of that name. */
  rules?: (branch: string) => string[];
  /** False: GitLab takes no push to the branch from this login. */
  pushes?: boolean;
  /** Names of protected branches on GitLab, also with wildcards. */
  protectedNames?: ProtectedName[] | 'forbidden';
  /** What GitHub says of a pull request without rules. Default: clean. */
  mergeState?: 'clean' | 'unstable' | 'has_hooks';
  /** False: its settings do not allow auto-merge. */
  autoMerge?: boolean;
  /** False: the forge resolves no threads for these people. */
  resolves?: boolean;
  /** Settings of a GitLab project. */
  project?: Record<string, unknown>;
  /** The time of the forge. */
  now(): string;
}

export class World {
  readonly repos = new Map<string, Repo>();
  #serial = 0;
  #clock = Date.parse('2026-01-01T00:00:00Z');

  /** Ids rise, also across repositories. */
  nextId(): number {
    this.#serial += 1;
    return this.#serial;
  }

  /** A second later with every call. */
  now(): string {
    this.#clock += 1000;
    return new Date(this.#clock).toISOString().replace('.000Z', 'Z');
  }

  /** Time goes by. */
  later(ms: number): void {
    this.#clock += ms;
  }

  repo(owner: string, name: string, members: Record<string, Association> = { [owner]: 'OWNER' }): Repo {
    const repo: Repo = {
      ...{ owner, name, hasIssues: true, members: new Map(Object.entries(members)), issues: new Map() },
      ...{ milestones: [], labels: new Set<string>(), now: () => this.now() },
    };
    this.repos.set(`${owner}/${name}`, repo);
    return repo;
  }

  issue(repo: Repo, given: Partial<Issue> & { title: string }): Issue {
    const number = given.number ?? Math.max(0, ...repo.issues.keys()) + 1;
    const issue: Issue = {
      ...{ number, body: 'Text.', login: repo.owner, state: 'open', labels: [], assignees: [], comments: [] },
      ...{ createdAt: this.now() },
      ...given,
    };
    repo.issues.set(number, issue);
    for (const label of issue.labels) repo.labels.add(label);
    return issue;
  }

  comment(issue: Issue, login: string, body: string): Comment {
    const at = this.now();
    const comment = { id: this.nextId(), login, body, createdAt: at, updatedAt: at, edits: 0 };
    issue.comments.push(comment);
    return comment;
  }
}

export const associationOf = ({ members }: Repo, login: string): Association => members.get(login) ?? 'NONE';
export const mayWrite = (repo: Repo, login: string): boolean =>
  ['OWNER', 'MEMBER', 'COLLABORATOR'].includes(associationOf(repo, login));

export interface Call {
  world: World;
  login: string;
  body: Record<string, unknown>;
  query: URLSearchParams;
  /** Groups of the route's path. */
  args: string[];
  address: URL;
}

export interface Answer {
  status: number;
  body?: unknown;
  /** Instead of a body. */
  text?: string;
  headers?: Record<string, string>;
}

export interface Route {
  method: string;
  path: RegExp;
  answer(call: Call): Answer | Promise<Answer>;
}

/** A route whose path is a pattern; its groups are the call's parameters. */
export const route = (method: string, path: string, answer: Route['answer']): Route => ({
  method,
  path: new RegExp(`^${path}$`),
  answer,
});

export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export function protectedNames({ protectedNames: names = [] }: Repo): ProtectedName[] {
  if (names === 'forbidden') throw new Refusal(403, '403 Forbidden');
  return names;
}

export function repoOf({ world, args: [owner, name] }: Call): Repo {
  const repo = world.repos.get(`${owner}/${name}`);
  if (!repo) throw new Refusal(404, 'Not Found');
  return repo;
}

export const ok = (body: unknown, headers: Record<string, string> = {}): Answer => ({ status: 200, body, headers });

/** One page of a list, with the header that leads to the next one. */
export function paged(all: readonly unknown[], { query, address }: Call): Answer {
  const size = Math.min(100, Number(query.get('per_page') ?? 30));
  const page = Number(query.get('page') ?? 1);
  const last = Math.max(1, Math.ceil(all.length / size));
  const link = (to: number, rel: string): string => {
    const there = new URL(address);
    there.searchParams.set('page', String(to));
    return `<${there.href}>; rel="${rel}"`;
  };
  const headers = page < last ? { link: `${link(page + 1, 'next')}, ${link(last, 'last')}` } : undefined;
  return ok(all.slice((page - 1) * size, page * size), headers);
}
