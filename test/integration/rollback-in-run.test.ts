/** A rollback while the run is open is a decision of a person: no later start undoes it. Features: C2, C3, D3. */
import { afterEach, expect, inject, it } from 'vitest';
import { DONE, Held } from '../support/held.js';

let held: Held | undefined;
afterEach(() => held?.box.dispose());

it('C2: what a person takes off the target in an open run stays out of every next run until a retry', async () => {
  const step = { signal: 'COMPLETE' };
  held = await Held.open(
    inject('stateRoot'),
    [
      { id: 'b-1', steps: [step, step] },
      { id: 'b-2', steps: [step] },
    ],
    { slots: 2 },
  );
  const { box } = held;
  await held.start();
  for (const id of ['b-1', 'b-2']) await held.began(id);
  await held.go('b-1-1');
  await held.idea('b-1', 'landed');
  expect((await box.run('rollback', 'b-1')).code).toBe(0);
  await held.idea('b-1', 'pending');
  expect(await held.why('b-1')).toMatchObject({ held: true });
  await held.go('b-2-1');
  await held.idea('b-2', 'landed');
  await box.run('stop');
  await held.finish();

  const out = /b-1 .*(?:ralphctl retry b-1)/;
  const dry = await box.run('start', '--dry-run');
  expect(dry.stdout + dry.stderr).toMatch(out);
  const report = (await box.run('report')).stdout;
  expect(report).not.toMatch(/the rest/);
  const next = await box.run('start');
  expect(next.stdout + next.stderr).toMatch(out);
  const landings = (await box.git('log', '--format=%s', 'main')).match(/^feat: do b-1/gm);
  expect(landings).toHaveLength(1);

  // Its retry takes it in again.
  expect((await box.run('retry', 'b-1')).code).toBe(0);
  expect((await box.run('start', '--dry-run')).stdout).toMatch(/^ +1 +b-1/m);
}, 240_000);

it('C2 C3: a split idea without commits of its own is not rolled back, and its parts are named instead', async () => {
  const steps = [{ signal: 'PROGRESS 50' }, { signal: 'COMPLETE' }];
  held = await Held.open(
    inject('stateRoot'),
    [
      { id: 'keep-1', steps },
      { id: 'big-1', steps: [DONE] },
    ],
    { slots: 1 },
  );
  const { box } = held;
  const refused = async (...args: string[]): Promise<string> => {
    const { code, stderr } = await box.run(...args);
    expect(code, stderr).toBe(7);
    return stderr;
  };
  await held.start();
  await held.began('keep-1');
  expect((await box.run('split', 'big-1', '--into', 'The walls', '--into', 'The roof')).code).toBe(0);
  expect((await box.run('slots', '2')).code).toBe(0);
  await held.idea('big-1-2', 'landed');
  await held.idea('big-1-1', 'landed');
  // This run has the parts.
  const parts = 'ralphctl rollback big-1-1; ralphctl rollback big-1-2';
  const why = 'big-1 was split into big-1-1, big-1-2, and main has no commits of its own. Roll back its ideas instead';
  expect(await refused('rollback', 'big-1')).toContain(`${why}: ${parts}`);
  expect((await box.run('stop')).code).toBe(0);
  await held.go('keep-1-1');
  await held.finish();
  expect(await refused('rollback', 'big-1')).toContain(`${why}: ${parts}`);

  // The next one has it as an idea that is ticked, and not its parts.
  await held.start();
  await held.began('keep-1', 2);
  const tip = await box.git('rev-parse', 'main');
  expect(await refused('rollback', 'big-1')).toContain(`${why}, once this run is over: ${parts}`);
  expect(await refused('rollback', 'big-1-1')).toContain(
    'the open run does not have big-1-1, which an earlier run had. Roll it back once this run is over: ralphctl rollback big-1-1',
  );
  expect((await held.events()).filter((event) => 'idea' in event && event.idea === 'big-1')).toEqual([]);
  expect(await box.git('rev-parse', 'main')).toBe(tip);
  await held.go('keep-1-2');
  await held.finish();
  expect((await box.run('rollback', 'big-1-1')).code).toBe(0);
  expect(await refused('rollback', 'big-1')).toContain(`${why}: ralphctl rollback big-1-2`);
  expect((await box.run('rollback', 'big-1-2')).code).toBe(0);
}, 240_000);
