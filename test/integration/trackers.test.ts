/** Runs whose ideas come from a tracker (F3): the real program against the real `gh` and a forge on this machine. */
import { mkdir, readFile, rename, rmdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { readMark } from '../../src/trackers/marker.js';
import { FORGE_HOST, type Forge, startForge } from '../support/forge/forge.js';
import { ghProgram, leftOut } from '../support/forge/programs.js';
import type { Issue, Repo } from '../support/forge/world.js';
import { pidsWith } from '../support/processes.js';
import { events, type Sandbox, sandbox, until, yaml } from '../support/program.js';
import { whenOver } from '../support/told.js';

const gh = await ghProgram();
const EXAMPLE = fileURLToPath(new URL('../../examples/trackers/notes/tracker.mjs', import.meta.url));

const LANDS = [{ do: [{ append: { path: 'work', text: 'x\n' } }], signal: 'COMPLETE' }];
const config = (backlog: Record<string, unknown>, more: Record<string, unknown> = {}): string =>
  yaml({
    ...{ version: 1, agent: 'scripted', slots: 1, stepDelayMs: 0, gate: ['test -e work'] },
    backlog: { tracker: 'github', ...backlog },
    ...more,
  });
const script = (ideas: Record<string, unknown> = {}): string => yaml({ ideas, default: LANDS });

const over = (box: Sandbox): Promise<unknown> => whenOver(box, 150_000);
const eventsOf = async (box: Sandbox, kind: string) =>
  events(await box.run('logs', '--json')).filter((event) => event.kind === kind);

describe.skipIf(gh.path === undefined)(`a run on GitHub issues (F3)${leftOut(gh)}`, () => {
  let forge: Forge;
  let repo: Repo;
  let box: Sandbox;

  beforeEach(async () => {
    forge = await startForge();
    repo = forge.world.repo('acme', 'shop', { acme: 'OWNER', bot: 'COLLABORATOR', zoe: 'MEMBER' });
  });
  afterEach(async () => {
    forge.calm();
    await box.dispose();
    await forge.close();
  });

  /** A repository whose remote is the one on the forge, with `gh` logged in. */
  async function withIssues(files: Record<string, string>, login = 'bot'): Promise<void> {
    box = await sandbox(inject('stateRoot'), files);
    await box.git('remote', 'add', 'origin', `https://${FORGE_HOST}/acme/shop.git`);
    const home = join(box.scratch, 'gh');
    await mkdir(home, { recursive: true });
    Object.assign(box.env, forge.env(login, home), { PATH: `${dirname(gh.path ?? '')}:${process.env.PATH}` });
  }

  const issue = (title: string, more: Partial<Issue> = {}): Issue => forge.world.issue(repo, { title, ...more });
  const states = (one: Issue): (string | undefined)[] => one.comments.map(({ body }) => readMark(body)?.state);

  it('lands an issue, with one comment that is edited, and closes it', async () => {
    const login = issue('Fix #99 for @everyone', { labels: ['ready'], body: 'Users log in with a name.' });
    issue('Not ready');
    await withIssues({
      'ralphctl.yaml': config({ labels: ['ready'], write: true }),
      '.ralph-script.yaml': script(),
    });
    const shown = await box.run('backlog');
    expect(shown.stdout).toContain(
      'GitHub issues of acme/shop: ralphctl assigns each issue to you before it starts, keeps one comment on it, closes it when it lands',
    );
    expect(forge.writes()).toEqual([]);
    expect((await box.run('start', '--dry-run')).stdout).toContain('ralphctl assigns each issue to you');
    const { json } = await box.run('start', '--detach', '--json');
    await over(box);
    await until('the issue to be closed', async () => login.state === 'closed', 120_000);
    expect([login.comments.map(({ login: by }) => by), states(login)]).toEqual([['bot'], ['done']]);
    const head = (await box.git('rev-parse', 'main')).trim();
    expect(login.comments[0]?.body).toContain(`landed this on \`main\` as ${head}`);
    expect(login.assignees).toEqual(['bot']);
    const elsewhere = forge.writes().filter(({ path }) => !/\/issues\/(1|comments)\b/.test(path));
    expect(elsewhere).toEqual([]);
    // The title must not link or mention anything in a commit.
    expect(await box.git('log', '--format=%B')).not.toMatch(/#\d|\bgh-\d|(^|\s)@\w/im);
    const runs = join(inject('stateRoot'), 'projects', String(json[0]?.project), 'runs', String(json[0]?.runId));
    const prompt = await readFile(join(runs, 'ideas', 'issue-1', '001', 'prompt.md'), 'utf8');
    expect(prompt).toMatch(/^# issue-1: the task of a GitHub issue$/m);
    expect(prompt).toMatch(
      /^----- (\w{12}): the text begins -----\n[\s\S]*Users log in[\s\S]*\n----- \1: the text ends -----$/m,
    );
  });

  it('gives back what is blocked, asks in the comment, and skips what someone else has', async () => {
    const [asks, blocked, taken] = [issue('Asks'), issue('Blocked'), issue('Taken', { assignees: ['zoe'] })];
    await withIssues({
      'ralphctl.yaml': config({ write: { claim: 'assign', progress: true, done: 'link' } }, { slots: 2 }),
      '.ralph-script.yaml': script({
        'issue-1': [{ do: [], signal: 'NEEDS_HUMAN: Which colour, @zoe? Closes #2' }, ...LANDS],
        'issue-2': [{ do: [], signal: 'BLOCKED: there is no key' }],
      }),
    });
    await box.run('start', '--detach');
    await until('the question', async () => asks.comments[0]?.body.includes('Which colour'), 150_000);
    expect(asks.comments[0]?.body).toMatch(/```text\nWhich colour, @zoe\? Closes #2\n```/);
    await until('issue 2 to be given back', async () => states(blocked)[0] === 'released', 120_000);
    expect([blocked.assignees, blocked.state]).toEqual([[], 'open']);
    expect(blocked.comments[0]?.body).toContain('there is no key');
    expect([taken.comments, taken.assignees]).toEqual([[], ['zoe']]);
    await box.run('answer', 'issue-1', 'green');
    await over(box);
    await until('the landing in the comment', async () => states(asks)[0] === 'done', 120_000);
    // `link` leaves it open.
    expect([asks.state, asks.comments.length]).toEqual(['open', 1]);
    const told = await eventsOf(box, 'tracker');
    expect(told).toContainEqual(
      expect.objectContaining({ idea: 'issue-3', state: 'taken', why: 'zoe, who is assigned has it in the tracker' }),
    );
  });

  it('gives each issue to one of two clones that start at the same time with the same login', async () => {
    const all = ['One', 'Two', 'Three', 'Four'].map((title) => issue(title));
    const clones: Sandbox[] = [];
    try {
      for (const _ of ['one', 'the other']) {
        await withIssues({
          'ralphctl.yaml': config({ write: true }, { slots: 2 }),
          '.ralph-script.yaml': script(),
        });
        clones.push(box);
      }
      await Promise.all(clones.map((one) => one.run('start', '--detach')));
      await Promise.all(clones.map(over));
      const worked = (await Promise.all(clones.map((one) => eventsOf(one, 'iteration')))).flat();
      expect(worked.map((event) => ('idea' in event ? event.idea : '')).sort()).toEqual(
        all.map(({ number }) => `issue-${number}`),
      );
      await until('all to be closed', async () => all.every(({ state }) => state === 'closed'), 120_000);
      expect(all.map(states)).toEqual(all.map(() => ['done']));
    } finally {
      for (const one of clones) if (one !== box) await one.dispose();
    }
  });

  it('waits at a limit until its reset, says so, and lands then', async () => {
    const one = issue('Limited');
    await withIssues({ 'ralphctl.yaml': config({ write: true }), '.ralph-script.yaml': script() });
    // The listing has come through; the claim meets the limit.
    let isListed = false;
    forge.trouble.before = ({ path }) => {
      if (isListed || !path.includes('/issues?')) return;
      isListed = true;
      forge.trouble.limitedForMs = 12_000;
    };
    await box.run('start', '--detach');
    await until(
      'the wait to be told',
      async () =>
        (await eventsOf(box, 'waiting')).some(
          (event) => 'why' in event && /limits requests until \d{4}-\d\d-\d\d \d\d:\d\d UTC/.test(event.why ?? ''),
        ),
      60_000,
    );
    await over(box);
    await until('the issue to be closed', async () => one.state === 'closed', 120_000);
    expect(forge.requests.filter(({ status }) => status === 403).length).toBeGreaterThan(0);
    expect(Date.now()).toBeGreaterThan(forge.trouble.limitedUntil ?? Number.POSITIVE_INFINITY);
    expect(states(one)).toEqual(['done']);
  });

  it('ends the run while the forge is down, and tells it afterwards', async () => {
    const one = issue('Down at the end');
    await withIssues({ 'ralphctl.yaml': config({ write: true }) });
    await box.write({
      '.ralph-script.yaml': script({
        'issue-1': [
          {
            do: [{ waitFor: { path: join(box.scratch, 'go') } }, { append: { path: 'work', text: 'x\n' } }],
            signal: 'COMPLETE',
          },
        ],
      }),
    });
    await box.commit('script');
    await box.run('start', '--detach');
    await until('the agent to work', async () => (await eventsOf(box, 'iteration')).length > 0, 120_000);
    forge.trouble.status = 502;
    await mkdir(join(box.scratch, 'go'));
    await over(box);
    expect(one.state).toBe('open');
    delete forge.trouble.status;
    await until('the issue to be closed', async () => one.state === 'closed', 90_000);
    expect(states(one)).toEqual(['done']);
  });

  it.each([
    ['claim', (path: string, body: Record<string, unknown>) => path.endsWith('/comments') && 'body' in body],
    ['close', (_: string, body: Record<string, unknown>) => body.state === 'closed'],
  ])('leaves one comment and one close where the worker is killed at the %s', async (_, isIt) => {
    const one = issue('Killed');
    await withIssues({ 'ralphctl.yaml': config({ write: true }), '.ralph-script.yaml': script() });
    let killed = false;
    let project = '';
    // The forge has carried the request out, and the worker dies before it hears of it.
    forge.trouble.before = async ({ method, path, body }) => {
      if (killed || method === 'GET' || !isIt(path, body)) return;
      killed = true;
      await until('the start to have answered', async () => project !== '', 120_000);
      const workers = await pidsWith('worker', '--child', '--project', project);
      for (const pid of workers) process.kill(pid, 'SIGKILL');
      await until('the worker to be gone', async () => !workers.some(alive), 120_000);
    };
    project = String((await box.run('start', '--detach', '--json')).json[0]?.project);
    await until('the issue to be closed', async () => one.state === 'closed', 150_000);
    await over(box);
    expect(killed).toBe(true);
    expect(states(one)).toEqual(['done']);
    expect(forge.writes().filter(({ body }) => body.state === 'closed')).toHaveLength(1);
  });

  it('opens the issue again when its landing is rolled back', async () => {
    const [one, two] = [issue('Rolled back'), issue('Asks')];
    await withIssues({
      'ralphctl.yaml': config({ write: true }, { gate: ['true'], slots: 2 }),
      '.ralph-script.yaml': script({ 'issue-2': [{ do: [], signal: 'NEEDS_HUMAN: what?' }] }),
    });
    await box.run('start', '--detach');
    await until('the issue to be closed', async () => one.state === 'closed', 120_000);
    expect((await box.run('rollback', 'issue-1')).code).toBe(0);
    await until('the issue to be open', async () => one.state === 'open' && states(one)[0] === 'released', 120_000);
    expect([one.comments.length, one.assignees]).toEqual([1, []]);
    await box.run('stop');
    await over(box);
    await until(
      'issue 2 to be given back',
      async () => states(two)[0] === 'released' && two.assignees.length === 0,
      60_000,
    );
  });

  it('takes new issues into the open run, and keeps off the tracker in a run of a file', async () => {
    issue('Asks');
    await withIssues({
      'ralphctl.yaml': config({ write: true }, { gate: ['true'] }),
      'roadmap.md': '- [ ] **own-1**: Not from the tracker\n  - ralph: true\n',
      '.ralph-script.yaml': script({ 'issue-1': [{ do: [], signal: 'NEEDS_HUMAN: what?' }] }),
    });
    await box.run('start', '--detach');
    await until('the question', async () => (await eventsOf(box, 'asks')).length > 0, 120_000);
    const late = issue('Late');
    expect((await box.run('enqueue')).stdout).toContain('taken into the run: issue-2');
    // The repository that the start filled in is no change of the configuration.
    expect((await box.run('start', '--detach')).stderr).not.toMatch(/repository|config reload/);
    await until('the late issue to be closed', async () => late.state === 'closed', 120_000);
    await box.run('stop');
    await over(box);
    await until('issue 1 to be given back', async () => states(repo.issues.get(1) as Issue)[0] === 'released', 120_000);
    const before = forge.writes().length;
    await box.run('start', 'roadmap.md', '--detach');
    await over(box);
    expect(await box.git('log', '--format=%B')).toContain('Ralph-Idea: own-1');
    expect(forge.writes().length).toBe(before);
  });

  it('writes nothing where write is off, and doctor names what is missing', async () => {
    issue('Read only');
    await withIssues({ 'ralphctl.yaml': config({}), '.ralph-script.yaml': script() });
    expect((await box.run('doctor', '--quick')).stdout).toContain(
      'GitHub issues of acme/shop: only read; nothing is written there, as bot',
    );
    forge.trouble.limitedForMs = 6000;
    const shown = await box.run('backlog');
    expect(shown.stderr).toMatch(/the tracker limits requests until \d\d:\d\d; waiting/);
    expect(shown.stdout).toContain('issue-1  Read only');
    await box.run('start', '--detach');
    await over(box);
    expect(forge.writes()).toEqual([]);
    repo.hasIssues = false;
    expect((await box.run('doctor', '--quick')).stdout).toContain(
      'acme/shop has no issues. Turn them on in its settings',
    );
    expect((await box.run('start', '--detach')).stderr).toMatch(
      /the tracker cannot be read: .*Check it with: ralphctl doctor/,
    );
    // A PATH without `gh`.
    const bin = join(box.scratch, 'bin');
    await mkdir(bin);
    for (const name of ['git', 'sh']) {
      const { stdout } = await execa('sh', ['-c', `command -v ${name}`]);
      await symlink(stdout, join(bin, name));
    }
    box.env.PATH = bin;
    const missing = await box.run('start', '--detach');
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('gh cannot be started')]);
    box.env.PATH = `${dirname(gh.path ?? '')}:${process.env.PATH}`;
    forge.trouble.status = 401;
    expect((await box.run('doctor', '--quick')).stdout).toContain(`gh auth login --hostname ${FORGE_HOST}`);
  });
});

describe('a run on the items of a program (F4)', () => {
  let box: Sandbox;
  afterEach(() => box.dispose());

  it('lands the items of the example, and closes them', async () => {
    box = await sandbox(inject('stateRoot'), {
      'ralphctl.yaml': config({ tracker: 'command', run: [process.execPath, EXAMPLE, 'items'], write: true }),
      '.ralph-script.yaml': script(),
      'items/first.md': '# Add a table\n\nWith two columns.\n',
      'items/second.md': 'after: first\n\n# Add a row\n',
    });
    await box.run('start', '--detach');
    await over(box);
    const state = async (name: string) =>
      JSON.parse(await readFile(join(box.repo, 'items', `${name}.json`), 'utf8')) as Record<string, unknown>;
    for (const name of ['first', 'second']) {
      await until(`${name} to be closed`, async () => (await state(name)).open === false, 120_000);
      expect(await state(name)).toMatchObject({ holders: [], comments: [{ text: expect.stringContaining('landed') }] });
    }
  });
});

describe('a run on a file of reports (F4)', () => {
  let box: Sandbox;
  afterEach(() => box.dispose());

  const REPORTS = [1, 2].map((id) => JSON.stringify({ id: String(id), title: `Report ${id}`, body: 'It fails.' }));

  it('blames nobody for its own file, and a rollback after the run gives the report back', async () => {
    box = await sandbox(inject('stateRoot'), {
      'ralphctl.yaml': config({ tracker: 'jsonl', file: 'reports.jsonl', write: true }, { gate: ['true'], slots: 2 }),
      'reports.jsonl': `${REPORTS.join('\n')}\n`,
    });
    const go = join(box.scratch, 'go');
    const waits = { do: [{ waitFor: { path: go } }, { append: { path: 'other', text: 'x\n' } }], signal: 'COMPLETE' };
    await box.write({ '.ralph-script.yaml': script({ 'report-1': [waits] }) });
    await box.commit('script');
    await box.run('start', '--detach');
    const journal = join(box.repo, 'reports.ralphctl.jsonl');
    const last = async (ref: string) =>
      (await readFile(journal, 'utf8').catch(() => ''))
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as { ref: string; state: string }]))
        .findLast((line) => line.ref === ref)?.state;
    // The end of report 2 is written while the agent of report 1 runs.
    await until('report 2 to be done', async () => (await last('2')) === 'done', 150_000);
    await mkdir(go);
    await over(box);
    await until('report 1 to be done', async () => (await last('1')) === 'done', 120_000);
    expect((await box.run('logs', '--json')).stdout).not.toMatch(/in your checkout/);

    const nothing = await box.run('start');
    expect([nothing.code, nothing.stdout]).toEqual([
      0,
      expect.stringContaining('nothing to start: nothing that is open in the reports of reports.jsonl fits'),
    ]);

    // The journal cannot be read: the rollback holds, and the same command tells the tracker later.
    await rename(journal, `${journal}.away`);
    await mkdir(journal);
    const untold = await box.run('rollback', 'report-2');
    expect([untold.code, untold.stdout]).toEqual([
      0,
      expect.stringMatching(/report-2 was taken off main .*The tracker was not told.*: ralphctl rollback report-2/s),
    ]);
    await rmdir(journal);
    await rename(`${journal}.away`, journal);
    expect(await last('2')).toBe('done');
    const told = await box.run('rollback', 'report-2');
    expect([told.code, told.stdout]).toEqual([0, expect.not.stringContaining('not told')]);
    expect(await last('2')).toBe('released');
    expect((await box.run('rollback', 'report-1')).stdout).not.toContain('not told');
    expect(await last('1')).toBe('released');
    // Recorded before the tracker is asked, which may take long.
    const said = events(await box.run('events', '--json')).filter((one) => 'idea' in one && one.idea === 'report-1');
    const recorded = said.findIndex((one) => one.kind === 'command' && one.verb === 'rollback');
    expect(recorded).toBeGreaterThan(0);
    expect(said.findIndex((one) => one.kind === 'tracker' && one.state === 'released')).toBeGreaterThan(recorded);
    expect((await box.run('retry', 'report-2')).code).toBe(0);
    expect((await box.run('start', '--detach')).code).toBe(0);
    await over(box);
    await until('report 2 to be done again', async () => (await last('2')) === 'done', 120_000);
  });
});

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
