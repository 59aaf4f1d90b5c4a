/** What a run is planned with. Features: F1, B1. */
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { planRun, reportOf } from '../../../src/client/plan/run-plan.js';
import { IDEA_TRAILER } from '../../../src/git/landing/message.js';
import type { Idea } from '../../../src/protocol/idea.js';
import { amend } from '../../../src/run-files/amendments.js';
import { noteAbandoned } from '../../../src/run-files/carried.js';
import { commitFiles, makeRepo, put, sh, type TestRepo } from '../git/repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': 'a\n' });
  await commitFiles(
    repo.root,
    {
      '.ralph-script.yaml': 'default: []\n',
      'roadmap.md':
        '# R\n\n- [ ] **a-1**: Do it\n  - ralph: true\n- [ ] **a-2**: Do it too\n  - ralph: true\n  - max_iterations: 7\n',
    },
    'plan',
  );
});
afterEach(() => repo.remove());

const contextOf = (env: NodeJS.ProcessEnv = process.env) => ({
  cwd: repo.root,
  root: join(repo.scratch, 'state'),
  cacheRoot: repo.scratch,
  env,
  json: false,
});

it.each([
  ['nothing said: 30', '', {}, [30, 7]],
  ['said in the configuration', 'maxIterations: 12\n', {}, [12, 7]],
  ['said in the configuration, and the same as the default', 'maxIterations: 50\n', {}, [50, 7]],
  ['said on the command line', 'maxIterations: 50\n', { maxIterations: 3 }, [3, 7]],
])('iterations of roadmap tasks: %s', async (_, config, flags, expected) => {
  await put(repo.root, { 'ralphctl.yaml': `version: 1\nagent: scripted\n${config}` });
  const { ideas, config: planned } = await planRun(contextOf(), flags);
  expect(ideas.map(({ maxIterations }) => maxIterations ?? planned.maxIterations)).toEqual(expected);
});

it('B10 names the ideas that get a single attempt, up to five', async () => {
  const tasks = (count: number) => Array.from({ length: count }, (_, at) => `- [ ] **b-${at + 1}**: Do it\n`).join('');
  const warned = async (count: number) => {
    await put(repo.root, { 'ralphctl.yaml': 'version: 1\nagent: scripted\n', 'roadmap.md': `# R\n\n${tasks(count)}` });
    return (await planRun(contextOf(), {})).warnings;
  };
  const said = 'ideas get a single attempt, because they lack "ralph: true"';
  const fix = 'For more attempts, add the line "- ralph: true" below each';
  expect(await warned(2)).toContain(`2 of 2 ${said}: b-1, b-2. ${fix}`);
  expect(await warned(7)).toContain(`7 of 7 ${said}: b-1, b-2, b-3, b-4, b-5 and 2 more. ${fix}`);
});

it.each([
  [2, 'ideas gets a single attempt, because it has "ralph: false": c-2. For more attempts, set "ralph" to true'],
  [3, 'ideas get a single attempt, because they have "ralph: false": c-2, c-3. For more attempts, set "ralph" to true'],
])('B10: an idea of ideas.yaml has a single attempt only where it asks for one (%d ideas)', async (count, said) => {
  const idea = (at: number) => `  - id: c-${at}\n    title: Do it\n${at === 1 ? '' : '    ralph: false\n'}`;
  const ideas = Array.from({ length: count }, (_, at) => idea(at + 1)).join('');
  await put(repo.root, { 'ralphctl.yaml': 'version: 1\nagent: scripted\n', 'ideas.yaml': `ideas:\n${ideas}` });
  const { warnings } = await planRun(contextOf(), { backlog: 'ideas.yaml' });
  expect(warnings).toContain(`${count - 1} of ${count} ${said}`);
});

it('B10: counts only what the run would work on: nothing that landed, is ticked or is left out', async () => {
  const map =
    '# R\n\n- [x] **b-1**: Ticked\n- [ ] **b-2**: Landed\n- [ ] **b-3**: Given up\n- [ ] **b-4**: Once\n- [ ] **b-5**: More\n  - ralph: true\n';
  await put(repo.root, { 'ralphctl.yaml': 'version: 1\nagent: scripted\n', 'roadmap.md': map });
  await sh(repo.root, 'commit', '-q', '--allow-empty', '-m', `Landed\n\n${IDEA_TRAILER}: b-2`);
  const { project } = await planRun(contextOf(), {});
  await noteAbandoned(contextOf().root, project.id, 'b-3');
  const said = 'a single attempt, because';
  const fix = 'For more attempts, add the line "- ralph: true" below';
  expect((await planRun(contextOf(), {})).warnings).toContain(
    `1 of 2 ideas gets ${said} it lacks "ralph: true": b-4. ${fix} it`,
  );
  const again = (await planRun(contextOf(), { again: ['b-2'] })).warnings;
  expect(again).toContain(`2 of 3 ideas get ${said} they lack "ralph: true": b-2, b-4. ${fix} each`);
});

it('F1: warns of programs in the repository that git runs in the agent’s version', async () => {
  await put(repo.root, {
    'ralphctl.yaml': 'version: 1\nagent: scripted\ncommit: { hooks: true }\n',
    '.husky/pre-commit': '',
  });
  expect((await planRun(contextOf(), {})).warnings.join()).not.toContain("agent's version");
  await sh(repo.root, 'config', 'core.hooksPath', '.husky');
  await sh(repo.root, 'config', 'filter.x.clean', 'sh ./a.txt');
  const said = (await planRun(contextOf(), {})).warnings.join('\n');
  expect(said).toMatch(/commit\.hooks runs the hooks in \.husky,.* the agent's version\. Fix: let the gate run/);
  expect(said).toMatch(/git's setting filter\.x\.clean runs a\.txt,.* the agent's version\. Fix: name a copy/);
});

it('A4: names a ticked epic with an open idea in it, also one that --again opens; not once all of them have landed', async () => {
  const task = (at: number, tick: string, id: string) => `${'  '.repeat(at)}- [${tick}] **${id}**: Do it\n`;
  const said = async (ticks: string, flags = {}) => {
    const [p = '', a = '', b = ''] = ticks;
    const text = `# R\n\n${task(0, p, 'epic')}${task(1, a, 'a-1')}${task(1, b, 'b-1')}${task(0, ' ', 'z-1')}`;
    await put(repo.root, { 'ralphctl.yaml': 'version: 1\nagent: scripted\n', 'roadmap.md': text });
    return (await planRun(contextOf(), flags)).warnings.filter((one) => one.startsWith('the epic '));
  };
  const [warned] = await said('xx ');
  expect(warned).toMatch(
    /^the epic epic is ticked, but b-1 in it is open: epic has not landed, and what depends on it waits\./,
  );
  expect(await said('x  ')).toEqual([expect.stringContaining('a-1, b-1 in it are open')]);
  expect(await said('xxx')).toEqual([]);
  expect(await said(' x ')).toEqual([]);
  expect(await said('xxx', { again: ['a-1'] })).toEqual([expect.stringContaining('a-1 in it is open')]);
  // Not ticked, but on the target.
  await sh(repo.root, 'commit', '-q', '--allow-empty', '-m', 'work', '-m', 'Ralph-Idea: b-1');
  expect(await said('xx ')).toEqual([]);
});

it('refuses agent scripted without its script, by name and with the fix; a plan that only looks does not need it', async () => {
  const refused =
    /agent scripted plays a script, and \.ralph-script\.yaml does not exist on main\..*--agent NAME.*ralphctl demo/;
  await put(repo.root, { 'ralphctl.yaml': 'version: 1\nagent: scripted\n' });
  await expect(planRun(contextOf(), {})).resolves.toBeDefined();
  await sh(repo.root, 'rm', '-q', '.ralph-script.yaml');
  await sh(repo.root, 'commit', '-q', '-m', 'gone');
  await expect(planRun(contextOf(), {})).rejects.toThrow(refused);
  await expect(planRun(contextOf(), {}, { agents: false })).resolves.toBeDefined();
  // Worktrees have what is committed only.
  await put(repo.root, { '.ralph-script.yaml': 'default: []\n' });
  await expect(planRun(contextOf(), {})).rejects.toThrow(refused);
  const script = join(repo.scratch, 'script.yaml');
  await expect(planRun(contextOf({ ...process.env, RALPHCTL_SCRIPT: script }), {})).rejects.toThrow(
    `${script} does not exist`,
  );
  await put(repo.scratch, { 'script.yaml': 'default: []\n' });
  await expect(planRun(contextOf({ ...process.env, RALPHCTL_SCRIPT: script }), {})).resolves.toBeDefined();
  await put(repo.root, {
    'ralphctl.yaml': `version: 1\nagent: scripted\nagents: {scripted: {args: [--script, ${script}]}}\n`,
  });
  await expect(planRun(contextOf(), {})).resolves.toBeDefined();
});

it('refuses a script that agent scripted would refuse in its first iteration, with the place of the mistake', async () => {
  await put(repo.root, { 'ralphctl.yaml': 'version: 1\nagent: scripted\n' });
  const commit = async (text: string): Promise<void> => {
    await put(repo.root, { '.ralph-script.yaml': text });
    await sh(repo.root, 'add', '-A');
    await sh(repo.root, 'commit', '-q', '-m', 'script');
  };
  await commit('default: [{does: []}]\n');
  await expect(planRun(contextOf(), {})).rejects.toThrow(
    /^agent scripted cannot play its script \.ralph-script\.yaml on main: default\[0\] has the unknown key "does"\. .* Fix it and commit it/,
  );
  await expect(planRun(contextOf(), {}, { agents: false })).resolves.toBeDefined();
  await commit('default: [\n');
  await expect(planRun(contextOf(), {})).rejects.toThrow(/cannot play its script .* not valid YAML/);
  // What a worktree gets of a link is not known before.
  await sh(repo.root, 'rm', '-q', '.ralph-script.yaml');
  await symlink('elsewhere.yaml', join(repo.root, '.ralph-script.yaml'));
  await sh(repo.root, 'add', '-A');
  await sh(repo.root, 'commit', '-q', '-m', 'link');
  await expect(planRun(contextOf(), {})).resolves.toBeDefined();
  const play = (script: string): Promise<unknown> =>
    planRun(contextOf({ ...process.env, RALPHCTL_SCRIPT: script }), {});
  await expect(play(repo.scratch)).rejects.toThrow(/cannot play its script .*: it is a folder, not a file\. Fix it \(/);
  await put(repo.scratch, { 'odd.yaml': 'nothing: 1\n' });
  await expect(play(join(repo.scratch, 'odd.yaml'))).rejects.toThrow(/The script has the unknown key "nothing"/);
});

it('C3 D3: a landed part of a split can run again, and no missing tick is told of it', async () => {
  await put(repo.root, { 'ralphctl.yaml': 'version: 1\nagent: scripted\n' });
  const context = contextOf();
  const { project, ideas } = await planRun(context, {});
  const whole = ideas.find(({ id }) => id === 'a-2') as Idea;
  const parts = ['a-2-1', 'a-2-2'].map((id) => ({ ...whole, id, parent: 'a-2', dependsOn: [] }));
  await amend(context.root, project.id, whole, { parts });
  await commitFiles(repo.root, { 'part.txt': '1\n' }, `feat: part\n\n${IDEA_TRAILER}: a-2-1`);
  const plan = await planRun(context, {});
  expect(plan.ideas.map(({ id }) => id)).toEqual(['a-1', 'a-2', 'a-2-1', 'a-2-2']);
  expect((await reportOf(plan)).unticked).toEqual([]);
  expect((await planRun(context, { again: ['a-2-1'] })).again).toEqual(['a-2-1']);
  await expect(planRun(context, { again: ['a-2-9'] })).rejects.toThrow('the backlog has no such idea');
  await expect(planRun(context, { again: ['a-2'] })).rejects.toThrow(
    /^--again a-2: it is an epic, or was split\. Name its ideas: --again a-2-1\b/,
  );
});
