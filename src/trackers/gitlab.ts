/**
 * GitLab issues, through `glab api`, which has the login.
 * Invariant: REST requests with their headers, so that a limit is known with its end. No text of an issue is an
 * argument: bodies go through stdin.
 */
import type { TrackerConfig } from '../config/schema/tracker.js';
import type { BugReport } from '../protocol/triage.js';
import { GLAB_SET, GLAB_VARIABLES, MEMBER_LEVEL } from './glab-variables.js';
import { type ApiAnswer, failureOf, readAnswer } from './http-answer.js';
import type { IssueNow, IssueRequests, Note } from './issues.js';
import { MARK } from './marker.js';
import { cutBody, listPages, MAX_BODY, MOST_CLOSED, type Page } from './pages.js';
import type { Place } from './place.js';
import { callTool, type ToolPlace } from './tool.js';
import { type Item, TrackerError } from './tracker.js';

const MOST_NOTES = 20_000;
const MOST_MEMBERS = 20_000;

interface Person {
  id: number;
  username: string;
}

interface RawIssue {
  iid: number;
  title: string;
  description: string | null;
  state: string;
  author: Person | null;
  labels: string[];
  assignees: Person[];
  web_url: string;
  created_at: string;
  closed_at?: string | null;
}

interface RawNote {
  id: number;
  body: string;
  author: Person;
  system: boolean;
}

/** Only comments of ralphctl are read. */
const withoutText = (note: RawNote): RawNote => (note.body.startsWith(MARK) ? note : { ...note, body: '' });

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export class GitLabIssues implements IssueRequests {
  readonly where: string;
  readonly #base: string;
  #me: Promise<Person> | undefined;
  #members: Promise<Set<string>> | undefined;

  constructor(
    private readonly tool: ToolPlace,
    private readonly place: Place,
    private readonly config: TrackerConfig,
  ) {
    this.where = `GitLab issues of ${place.path}`;
    this.#base = `projects/${encodeURIComponent(place.path)}`;
  }

  async check(): Promise<{ login?: string }> {
    const { username } = await this.#person();
    const project = (await this.#call(this.#base)).json() as { issues_enabled?: boolean };
    if (project.issues_enabled === false)
      throw new TrackerError(`${this.place.path} has no issues. Turn them on in its settings, or name another`, false);
    const { claim, done } = this.config.write;
    if ((claim !== 'off' || done === 'close') && !(await this.#allMembers()).has(username))
      throw new TrackerError(
        `${username} may not assign or close issues of ${this.place.path}. Set write: false`,
        false,
      );
    return { login: username };
  }

  async login(): Promise<string> {
    return (await this.#person()).username;
  }

  #person(): Promise<Person> {
    this.#me ??= this.#call('user').then((answer) => answer.json() as Person);
    return this.#me;
  }

  #allMembers(): Promise<Set<string>> {
    this.#members ??= listPages(
      (page) => this.#page<Person & { access_level: number }>(`${this.#base}/members/all?per_page=100&page=${page}`),
      MOST_MEMBERS,
    ).then((all) => new Set(all.flatMap((one) => (one.access_level >= MEMBER_LEVEL ? [one.username] : []))));
    return this.#members;
  }

  async list(): Promise<Item[]> {
    const { labels, author, milestone, query, most } = this.config;
    const asked = new URLSearchParams({ state: 'opened', order_by: 'created_at', sort: 'asc', per_page: '100' });
    if (labels.length > 0) asked.set('labels', labels.join(','));
    if (author !== undefined) asked.set('author_username', author);
    if (milestone !== undefined) asked.set('milestone', milestone);
    if (query !== undefined) asked.set('search', query);
    const [all, members] = await Promise.all([
      listPages((page) => this.#page<RawIssue>(`${this.#base}/issues?${asked}&page=${page}`), most),
      this.#allMembers(),
    ]);
    return all.map(({ iid, title, description, author: by, labels: names, assignees, web_url, created_at }) => ({
      ...{
        ref: String(iid),
        title,
        body: cutBody(description ?? ''),
        labels: names,
        url: web_url,
        created: created_at,
      },
      ...(by ? { author: by.username } : {}),
      member: by !== null && members.has(by.username),
      assigned: assignees.map(({ username }) => username),
    }));
  }

  async closed(since: Date): Promise<BugReport[]> {
    const asked = new URLSearchParams({ state: 'closed', order_by: 'updated_at', sort: 'desc', per_page: '100' });
    asked.set('updated_after', since.toISOString());
    const path = `${this.#base}/issues?${asked}`;
    const all = await listPages((page) => this.#page<RawIssue>(`${path}&page=${page}`), MOST_CLOSED);
    return all.map(({ iid, title, description, labels, web_url: url, created_at: created, closed_at: closed }) => ({
      ...{ id: String(iid), title, body: cutBody(description ?? ''), labels, url, created, state: 'closed' },
      ...(closed ? { closed } : {}),
    }));
  }

  async read(ref: string): Promise<IssueNow> {
    const { state, assignees, labels } = await this.#issue(ref);
    return { open: state === 'opened', assignees: assignees.map(({ username }) => username), labels };
  }

  async #issue(ref: string): Promise<RawIssue> {
    return (await this.#call(`${this.#base}/issues/${ref}`)).json() as RawIssue;
  }

  async notes(ref: string): Promise<Note[]> {
    const path = `${this.#base}/issues/${ref}/notes?sort=asc&order_by=created_at&per_page=100`;
    const [all, members] = await Promise.all([
      listPages(async (page) => {
        const { answer, entries } = await this.#page<RawNote>(`${path}&page=${page}`);
        return { answer, entries: entries.map(withoutText) };
      }, MOST_NOTES),
      this.#allMembers(),
    ]);
    return all.flatMap(({ id, body, author: { username }, system }) =>
      system ? [] : [{ id, body: body.slice(0, MAX_BODY), author: username, member: members.has(username) }],
    );
  }

  async addNote(ref: string, body: string): Promise<void> {
    await this.#call(`${this.#base}/issues/${ref}/notes`, 'POST', { body });
  }

  async editNote(ref: string, id: number, body: string): Promise<void> {
    await this.#call(`${this.#base}/issues/${ref}/notes/${id}`, 'PUT', { body });
  }

  async dropNote(ref: string, id: number): Promise<void> {
    await this.#call(`${this.#base}/issues/${ref}/notes/${id}`, 'DELETE', undefined, [404]);
  }

  async assign(ref: string, login: string, on: boolean): Promise<void> {
    const [{ assignees }, me] = await Promise.all([this.#issue(ref), this.#person()]);
    const others = assignees.flatMap(({ id, username }) => (username === login ? [] : [id]));
    const all = on ? [...others, me.id] : others;
    // An empty list changes nothing.
    await this.#call(`${this.#base}/issues/${ref}`, 'PUT', { assignee_ids: all.length > 0 ? all : [0] });
  }

  async label(ref: string, name: string, on: boolean): Promise<void> {
    await this.#call(`${this.#base}/issues/${ref}`, 'PUT', on ? { add_labels: name } : { remove_labels: name });
  }

  async setOpen(ref: string, open: boolean): Promise<void> {
    await this.#call(`${this.#base}/issues/${ref}`, 'PUT', { state_event: open ? 'reopen' : 'close' });
  }

  async #page<T>(path: string): Promise<Page<T>> {
    const answer = await this.#call(path);
    return { answer, entries: answer.json() as T[] };
  }

  /** `fine`: status codes that are no failure here. @throws TrackerError */
  async #call(path: string, method: Method = 'GET', body?: unknown, fine: readonly number[] = []): Promise<ApiAnswer> {
    const argv = [
      ...['glab', 'api', '--include', '--hostname', this.place.host, '--method', method],
      ...(body === undefined ? [] : ['--header', 'Content-Type: application/json', '--input', '-']),
      path,
    ];
    const stdin = body === undefined ? {} : { stdin: JSON.stringify(body) };
    const result = await callTool(this.tool, { argv, ...stdin, passEnv: GLAB_VARIABLES, set: GLAB_SET, apart: true });
    const answer = readAnswer(result);
    if (answer && (answer.status < 400 || fine.includes(answer.status))) return answer;
    const login = `glab auth login --hostname ${this.place.host}`;
    throw failureOf('glab', login, { result, answer, timeoutMs: this.tool.timeoutMs });
  }
}
