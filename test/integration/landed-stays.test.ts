/** What happens to landed work afterwards: edits beside it, commits that take it back, a target that is reset. Features: C1, D3. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, inject, it } from 'vitest';
import { DONE, Held } from '../support/held.js';
import { until } from '../support/program.js';

let held: Held;
afterEach(() => held?.box.dispose());

it('C1 D3: landed work arrives beside edits; what a commit takes back is named, and runs again when asked to', async () => {
  held = await Held.open(inject('stateRoot'), [
    { id: 'a-1', steps: [DONE] },
    { id: 'b-1', steps: [DONE] },
  ]);
  const { box } = held;
  await box.write({ 'notes.txt': 'notes\n' });
  await box.commit('notes');
  const base = await box.git('rev-parse', 'HEAD');
  await box.write({ 'notes.txt': 'my edit\n' });
  expect(await box.run('start')).toMatchObject({ code: 0 });
  expect(await box.git('status', '--porcelain')).toBe(' M notes.txt');
  expect(await readFile(join(box.repo, 'b-1.txt'), 'utf8')).toBe('1\n');
  await box.commit('my edit');
  expect(await box.git('ls-tree', '--name-only', 'main', 'a-1.txt')).toBe('a-1.txt');
  expect((await box.run('start', '--dry-run', '--json')).json[0]).toMatchObject({ takenBack: [], unticked: [] });

  await box.git('read-tree', '-u', '--reset', base);
  await box.write({ 'notes.txt': 'from old files\n' });
  await box.commit('from old files');
  const by = (await box.git('rev-parse', 'HEAD')).slice(0, 8);
  const words = (id: string) =>
    new RegExp(
      `${id} landed as \\w{8}, and ${by} \\(from old files\\) took it off main again.*Run it again with: ralphctl retry ${id}, then: ralphctl start`,
    );
  const planned = await box.run('start', '--dry-run');
  expect(planned.stdout).toMatch(words('a-1'));
  expect(planned.stdout).toMatch(words('b-1'));
  const checks = (await box.run('doctor', '--quick', '--json')).json[0]?.checks;
  expect(checks).toContainEqual(
    expect.objectContaining({ what: 'landed', state: 'warn', fix: 'ralphctl retry a-1, then: ralphctl start' }),
  );
  expect(await box.run('start', '--dry-run', '--again', 'a-2')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Did you mean a-1?'),
  });

  // The advice of every view, as it says.
  expect(await box.run('retry', 'a-1')).toMatchObject({ code: 0 });
  const again = await box.run('start');
  expect(again.stderr).toMatch(words('b-1'));
  expect(again.stderr).not.toMatch(words('a-1'));
  expect(again.code, again.stderr).toBe(0);
  expect(await box.git('ls-tree', '--name-only', 'main', 'a-1.txt', 'b-1.txt')).toBe('a-1.txt');
  expect(await box.git('log', '--format=%h', '--grep=^Ralph-Idea: a-1')).toMatch(/^\w+\n\w+$/);

  // The newest run did not touch b-1, and its views tell of it all the same.
  expect((await box.run('report')).stdout).toMatch(/TO DO \(1\)[\s\S]*b-1.*\n?.*took it off[\s\S]*ralphctl retry b-1/);
  const shown = (await box.run('show', 'b-1')).stdout;
  expect(shown).toMatch(/┌ ⊖ taken off/);
  expect(shown).not.toContain('✓ landed ─');
  expect((await box.run('show', 'b-1', '--json')).json[0]).not.toMatchObject({ status: 'landed' });
  expect((await box.run('start', '--dry-run')).stdout).toMatch(/^landed already: a-1$/m);

  // Its id given to other work: the start says why it does not run, and both ways out.
  const text = await readFile(join(box.repo, 'roadmap.md'), 'utf8');
  await box.write({ 'roadmap.md': text.replace(/- \[x\] \*\*a-1\*\*: .*/, '- [ ] **a-1**: Do another thing') });
  await box.commit('another idea of that id');
  const [commit = ''] = (await box.git('log', '--format=%h', '--abbrev=8', '--grep=^Ralph-Idea: a-1')).split('\n');
  const reused = (await box.run('start', '--dry-run')).stdout;
  expect(reused).toContain(
    `a-1 is not ticked, but landed before as ${commit}, so it does not run. Run it again with: `,
  );
  expect(reused).toMatch(/ralphctl start --again a-1; or give new work another id$/m);
});

it.each([
  ['its trailers', ['--no-edit']],
  ['a person’s own words', ['-m', 'my own words']],
])(
  'C1 D3: an amend in a checkout that lags, with %s, takes landed work off, and every view says so',
  async (_, text) => {
    held = await Held.open(inject('stateRoot'), [
      { id: 'a-1', steps: [DONE] },
      { id: 'a-2', steps: [DONE] },
    ]);
    const { box } = held;
    const old = await box.git('rev-parse', 'HEAD');
    expect(await box.run('start')).toMatchObject({ code: 0 });
    // The files of a checkout that lags, and an edit.
    await box.git('read-tree', '-u', '--reset', old);
    await box.write({ 'notes.txt': 'mine\n' });
    await box.git('add', '-A');
    await box.git('commit', '--quiet', '--amend', ...text);
    const by = (await box.git('rev-parse', 'HEAD')).slice(0, 8);
    const words = (id: string) => new RegExp(`${id} landed as \\w{8}, and ${by} \\(.*\\) took it off main again`);
    for (const id of ['a-1', 'a-2']) {
      expect((await box.run('status')).stdout).toMatch(words(id));
      expect((await box.run('why', id)).stdout).toMatch(/status taken off/);
      expect((await box.run('show', id)).stdout).toMatch(/┌ ⊖ taken off/);
      expect((await box.run('report')).stdout.replace(/\s+/g, ' ')).toMatch(words(id));
      expect((await box.run('start', '--dry-run')).stdout).toMatch(words(id));
    }
    const checks = (await box.run('doctor', '--quick', '--json')).json[0]?.checks;
    expect(checks).toContainEqual(
      expect.objectContaining({ what: 'landed', fix: expect.stringMatching(/^ralphctl retry a-/) }),
    );
    expect((await box.run('rollback', 'a-2')).stdout).not.toMatch(/was taken off main by/);
    expect((await box.git('rev-parse', 'HEAD')).slice(0, 8)).toBe(by);
  },
);

it.each([true, false])('C1 D3: a landed commit with other words stays landed; ticks: %s', async (tick) => {
  held = await Held.open(inject('stateRoot'), [{ id: 'a-1', steps: [DONE] }], { landing: { tick } });
  const { box } = held;
  expect(await box.run('start')).toMatchObject({ code: 0 });
  await box.git('commit', '--quiet', '--amend', '-m', 'my own words');
  const mine = await box.git('rev-parse', 'HEAD');
  expect((await box.run('status')).stdout).not.toMatch(/reset or rewritten|taken off/);
  expect((await box.run('show', 'a-1', '--json')).json[0]).toMatchObject({ status: 'landed' });
  const planned = await box.run('start', '--dry-run');
  expect(planned.stdout).not.toContain('It runs again');
  expect(await box.run('start')).toMatchObject({ code: 0 });
  expect(await box.git('rev-parse', 'HEAD')).toBe(mine);
});

it('C2 D1: of two landings that a person squashed, each is rolled back alone', async () => {
  held = await Held.open(inject('stateRoot'), [
    { id: 'a-1', steps: [DONE] },
    { id: 'a-2', steps: [DONE] },
  ]);
  const { box } = held;
  const base = await box.git('rev-parse', 'HEAD');
  expect(await box.run('start')).toMatchObject({ code: 0 });
  const editors = ['-c', "sequence.editor=sed -i.bak -e '2,$s/^pick/squash/'", '-c', 'core.editor=true'];
  await box.git(...editors, 'rebase', '--quiet', '-i', base);
  const there = () => box.git('ls-tree', '--name-only', 'main', 'a-1.txt', 'a-2.txt');
  expect(await there()).toBe('a-1.txt\na-2.txt');
  expect((await box.run('status')).stdout).not.toMatch(/reset or rewritten|taken off/);

  expect(await box.run('rollback', 'a-2')).toMatchObject({ code: 0, stdout: expect.stringContaining('a-2 was taken') });
  expect(await there()).toBe('a-1.txt');
  const after = (await box.run('status')).stdout;
  expect(after).toContain('since then: a-2 no longer on main');
  expect(after).not.toContain('a-1 landed as');

  expect(await box.run('rollback', 'a-1')).toMatchObject({ code: 0, stdout: expect.stringContaining('a-1 was taken') });
  expect(await there()).toBe('');
  const last = (await box.run('status')).stdout;
  expect(last).toContain('since then: a-1, a-2 no longer on main');
  expect(last).not.toMatch(/reset or rewritten/);
  expect(await box.run('rollback', 'a-1')).toMatchObject({ code: 7 });
});

it('C1: a target that is reset under a run is told at its end, and --again waits for a new run', async () => {
  held = await Held.open(inject('stateRoot'), [
    { id: 'a-1', steps: [DONE] },
    { id: 'b-1', steps: [{ signal: 'COMPLETE' }], depends: 'a-1' },
  ]);
  const { box } = held;
  const base = await box.git('rev-parse', 'HEAD');
  const attached = box.spawn('start', '--wait');
  let said = '';
  attached.stdout?.on('data', (chunk) => {
    said += chunk;
  });
  const ended = new Promise((resolve) => attached.on('exit', resolve));
  await held.began('b-1');
  expect(await box.run('start', '--again', 'a-1')).toMatchObject({ code: 7 });
  await box.git('reset', '--quiet', '--hard', base);
  await box.run('abort');
  expect(await ended).toBe(3);
  await until('the summary', async () => said.includes('1 of them no longer on the target'));
  expect(said).toMatch(/a-1 landed as \w{8}, which main does not contain any more: it was reset or rewritten/);
});
