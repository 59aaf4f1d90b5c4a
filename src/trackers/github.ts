/**
 * GitHub issues, through `gh api`, which has the login.
 * Invariant: REST requests with their headers, so that a limit is known with its end. No text of an issue is an
 * argument: bodies go through stdin.
 */
import type { TrackerConfig } from '../config/schema/tracker.js';
import type { BugReport } from '../protocol/triage.js';
import { GH_SET, GH_VARIABLES } from './gh-variables.js';
import { type ApiAnswer, failureOf, readAnswer } from './http-answer.js';
import type { IssueNow, IssueRequests, Note } from './issues.js';
import { MARK } from './marker.js';
import { cutBody, listPages, MAX_BODY, MOST_CLOSED, type Page } from './pages.js';
import type { Place } from './place.js';
import { callTool, type ToolPlace } from './tool.js';
import { type Item, TrackerError } from './tracker.js';

const MEMBERS = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);
/** GitHub's search gives no more. */
const MOST_FOUND = 1000;
const MOST_NOTES = 20_000;
const MOST_MILESTONES = 10_000;
const MOST_NAMED = 20;

const ITEM = `{number, title, body: ((.body // "") | .[0:${MAX_BODY}]), cut: ((.body // "") | length > ${MAX_BODY}), user: .user.login, association: .author_association, labels: [.labels[].name], assignees: [.assignees[].login], url: .html_url, created: .created_at, open: (.state == "open"), repository: (.repository_url // ""), pull: (.pull_request != null)}`;

interface RawItem {
  number: number;
  title: string;
  body: string;
  cut: boolean;
  user: string | null;
  association: string;
  labels: string[];
  assignees: string[];
  url: string;
  created: string;
  open: boolean;
  /** Its address in the API. */
  repository: string;
  pull: boolean;
}

const CLOSED = `{number, title, body: ((.body // "") | .[0:${MAX_BODY}]), labels: [.labels[].name], url: .html_url, created: .created_at, closed: .closed_at, pull: (.pull_request != null)}`;

interface RawClosed extends Pick<RawItem, 'number' | 'title' | 'body' | 'labels' | 'url' | 'created' | 'pull'> {
  closed: string | null;
}

type RawNote = Omit<Note, 'member'> & { association: string };

interface Call {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  body?: unknown;
  jq?: string;
}

export class GitHubIssues implements IssueRequests {
  readonly where: string;
  readonly #base: string;
  #login: string | undefined;

  constructor(
    private readonly tool: ToolPlace,
    private readonly place: Place,
    private readonly config: TrackerConfig,
  ) {
    this.where = `GitHub issues of ${place.path}`;
    this.#base = `repos/${place.path}`;
  }

  async check(): Promise<{ login?: string }> {
    const login = await this.login();
    const repository = (await this.#call(this.#base)).json() as { has_issues?: boolean; permissions?: Rights };
    if (repository.has_issues === false)
      throw new TrackerError(`${this.place.path} has no issues. Turn them on in its settings, or name another`, false);
    const { claim, done } = this.config.write;
    const rights = repository.permissions;
    if ((claim !== 'off' || done === 'close') && rights && rights.triage !== true && rights.push !== true)
      throw new TrackerError(`${login} may not assign or close issues of ${this.place.path}. Set write: false`, false);
    return { login };
  }

  async login(): Promise<string> {
    this.#login ??= ((await this.#call('user')).json() as { login: string }).login;
    return this.#login;
  }

  async list(): Promise<Item[]> {
    const { query, most } = this.config;
    const [path, jq, limit] =
      query === undefined
        ? [await this.#listPath(), `.[] | ${ITEM}`, most]
        : [this.#searchPath(query), `.items[] | ${ITEM}`, Math.min(most, MOST_FOUND)];
    const has = (item: RawItem) => this.config.labels.every((label) => item.labels.some((one) => isSame(one, label)));
    // A query may have words that widen the search, such as OR. An issue of another repository is not meant: its number
    // is another issue here, and its author's rights are those there.
    const here = query === undefined ? undefined : await this.#name();
    const isMeant = ({ repository, open }: RawItem): boolean =>
      here === undefined || (open && isSame(repository.split('/').slice(-2).join('/'), here));
    // The list of a repository has pull requests among its issues.
    const keep = (item: RawItem): boolean => !item.pull && has(item) && isMeant(item);
    const all = await listPages((page) => this.#page<RawItem>(`${path}&per_page=100&page=${page}`, jq), limit, keep);
    return all.map(asItem);
  }

  /** Pull requests stand in the same list; they count towards the most, so that it stays a few requests. */
  async closed(since: Date): Promise<BugReport[]> {
    const asked = new URLSearchParams({
      state: 'closed',
      sort: 'updated',
      direction: 'desc',
      since: since.toISOString(),
    });
    const path = `${this.#base}/issues?${asked}&per_page=100`;
    const all = await listPages(
      (page) => this.#page<RawClosed>(`${path}&page=${page}`, `.[] | ${CLOSED}`),
      MOST_CLOSED,
    );
    return all
      .filter(({ pull }) => !pull)
      .map(({ number, title, body, labels, url, created, closed }) => ({
        ...{ id: String(number), title, body, labels, url, created, state: 'closed' },
        ...(closed === null ? {} : { closed }),
      }));
  }

  /** Its present name: a repository that was renamed has the old one in the configuration. */
  async #name(): Promise<string> {
    return ((await this.#call(this.#base)).json() as { full_name: string }).full_name;
  }

  async #listPath(): Promise<string> {
    const { labels, author, milestone } = this.config;
    const asked = new URLSearchParams({ state: 'open', sort: 'created', direction: 'asc' });
    // The list of labels in a request has commas between them; the rest is looked at here.
    const named = labels.filter((label) => !label.includes(','));
    if (named.length > 0) asked.set('labels', named.join(','));
    if (author !== undefined) asked.set('creator', author);
    if (milestone !== undefined) asked.set('milestone', String(await this.#milestone(milestone)));
    return `${this.#base}/issues?${asked}`;
  }

  #searchPath(query: string): string {
    const { labels, author, milestone } = this.config;
    const quoted = (text: string): string => `"${text.replaceAll('"', '')}"`;
    const terms = [
      ...[`repo:${this.place.path}`, 'is:issue', 'is:open', query],
      ...labels.map((label) => `label:${quoted(label)}`),
      ...(author === undefined ? [] : [`author:${author}`]),
      ...(milestone === undefined ? [] : [`milestone:${quoted(milestone)}`]),
    ];
    return `search/issues?${new URLSearchParams({ q: terms.join(' '), sort: 'created', order: 'asc' })}`;
  }

  async #milestone(title: string): Promise<number> {
    const jq = '.[] | {number, title}';
    const path = `${this.#base}/milestones?state=all&per_page=100`;
    const all = await listPages(
      (page) => this.#page<{ number: number; title: string }>(`${path}&page=${page}`, jq),
      MOST_MILESTONES,
    );
    const found = all.find((one) => one.title === title);
    if (found) return found.number;
    const named = all.slice(0, MOST_NAMED).map((one) => one.title);
    const known = named.concat(all.length > MOST_NAMED ? ['…'] : []).join(', ') || 'none';
    throw new TrackerError(`${this.place.path} has no milestone "${title}". It has: ${known}`, false);
  }

  async read(ref: string): Promise<IssueNow> {
    const jq = '{open: (.state == "open"), assignees: [.assignees[].login], labels: [.labels[].name]}';
    return (await this.#call(`${this.#base}/issues/${ref}`, { jq })).json() as IssueNow;
  }

  async notes(ref: string): Promise<Note[]> {
    const jq = `.[] | {id, author: (.user.login // ""), association: .author_association, body: ((.body // "") | if startswith("${MARK}") then .[0:${MAX_BODY}] else "" end)}`;
    const path = `${this.#base}/issues/${ref}/comments?per_page=100`;
    const all = await listPages((page) => this.#page<RawNote>(`${path}&page=${page}`, jq), MOST_NOTES);
    return all.map(({ association, ...note }) => ({ ...note, member: MEMBERS.has(association) }));
  }

  async addNote(ref: string, body: string): Promise<void> {
    await this.#call(`${this.#base}/issues/${ref}/comments`, { method: 'POST', body: { body } });
  }

  async editNote(_ref: string, id: number, body: string): Promise<void> {
    await this.#call(`${this.#base}/issues/comments/${id}`, { method: 'PATCH', body: { body } });
  }

  async dropNote(_ref: string, id: number): Promise<void> {
    await this.#call(`${this.#base}/issues/comments/${id}`, { method: 'DELETE' }, [404]);
  }

  async assign(ref: string, login: string, on: boolean): Promise<void> {
    const body = { assignees: [login] };
    await this.#call(`${this.#base}/issues/${ref}/assignees`, { method: on ? 'POST' : 'DELETE', body });
  }

  async label(ref: string, name: string, on: boolean): Promise<void> {
    const labels = `${this.#base}/issues/${ref}/labels`;
    if (on) await this.#call(labels, { method: 'POST', body: { labels: [name] } });
    else await this.#call(`${labels}/${encodeURIComponent(name)}`, { method: 'DELETE' }, [404]);
  }

  async setOpen(ref: string, open: boolean): Promise<void> {
    const body = open ? { state: 'open' } : { state: 'closed', state_reason: 'completed' };
    await this.#call(`${this.#base}/issues/${ref}`, { method: 'PATCH', body });
  }

  /** Of a list; the filter gives a line for each entry. */
  async #page<T>(path: string, jq: string): Promise<Page<T>> {
    const answer = await this.#call(path, { jq });
    return { answer, entries: answer.lines.map((line) => JSON.parse(line) as T) };
  }

  /** `fine`: status codes that are no failure here. @throws TrackerError */
  async #call(path: string, { method = 'GET', body, jq }: Call = {}, fine: readonly number[] = []): Promise<ApiAnswer> {
    const argv = [
      ...['gh', 'api', '--include', '--hostname', this.place.host, '--method', method],
      ...['--header', 'Accept: application/vnd.github+json'],
      ...(body === undefined ? [] : ['--input', '-']),
      ...(jq === undefined ? [] : ['--jq', jq]),
      path,
    ];
    const stdin = body === undefined ? {} : { stdin: JSON.stringify(body) };
    const result = await callTool(this.tool, { argv, ...stdin, passEnv: GH_VARIABLES, set: GH_SET });
    const answer = readAnswer(result);
    if (answer && (answer.status < 400 || fine.includes(answer.status))) return answer;
    throw failureOf('gh', `gh auth login --hostname ${this.place.host}`, {
      result,
      answer,
      timeoutMs: this.tool.timeoutMs,
    });
  }
}

/** GitHub's names of labels differ in more than case. */
const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

interface Rights {
  triage?: boolean;
  push?: boolean;
}

const asItem = ({ number, user, association, body, cut, pull: _, assignees, ...rest }: RawItem): Item => ({
  ...rest,
  ref: String(number),
  body: cutBody(body, cut),
  ...(user === null ? {} : { author: user }),
  member: MEMBERS.has(association),
  assigned: assignees,
});
