/** A person deletes or renames branches of ideas that have a question, then answers or resets. Features: C2 C3 G8. */
import { afterEach, expect, inject, it } from 'vitest';
import { DONE, Held } from '../support/held.js';

let held: Held;
afterEach(() => held?.box.dispose());

const IDEAS = ['deleted', 'renamed', 'fresh', 'reset-me'];

it('C2 C3: an answer goes on from the last commit, a fresh start and a reset save it first', async () => {
  const steps = [
    { signal: 'NEEDS_HUMAN: go on?', free: true },
    { ...DONE, free: true },
  ];
  held = await Held.open(
    inject('stateRoot'),
    IDEAS.map((id) => ({ id, ralph: true, steps })),
  );
  const { box } = held;
  const tip = (name: string) => box.git('rev-parse', `refs/heads/${name}`);
  const say = async (...args: string[]) => expect(await box.run(...args)).toMatchObject({ code: 0 });
  await held.start();
  for (const id of IDEAS) await held.idea(id, 'needs-human');
  const [deleted, renamed, fresh, last] = await Promise.all(IDEAS.map((id) => tip(`ralph/${id}`)));
  await box.write({ 'main.txt': 'x' });
  await box.commit('main goes on');
  for (const id of ['deleted', 'fresh']) await box.git('update-ref', '-d', `refs/heads/ralph/${id}`);
  for (const id of ['renamed', 'reset-me']) await box.git('branch', '-m', `ralph/${id}`, `my-${id}`);

  await say('answer', 'deleted', 'yes');
  await say('answer', 'renamed', 'yes');
  for (const id of ['deleted', 'renamed']) {
    await held.idea(id, 'landed');
    const told = (await held.events()).filter((event) => event.kind === 'gone' && event.idea === id);
    expect(told).toMatchObject([{ text: expect.stringContaining(`ralphctl made ralph/${id} again at `) }]);
  }
  expect(await tip('my-renamed')).toBe(renamed);
  expect(await box.git('log', '--format=%s', '--grep', 'Ralph-Idea: deleted', 'main')).not.toBe('');
  expect(await box.git('cat-file', '-t', deleted ?? '')).toBe('commit');

  await say('stop');
  await held.closed();
  await say('retry', 'fresh', '--fresh');
  const saves = (id: string) => box.git('for-each-ref', '--format=%(objectname)', `refs/ralphctl/save/${id}/`);
  expect(await saves('fresh')).toContain(fresh);
  expect(await tip('ralph/fresh')).toBe(await tip('main'));
  await say('reset', 'reset-me');
  expect(await saves('reset-me')).toContain(last);
  expect(await box.git('worktree', 'list')).not.toContain('my-reset-me');
  expect(await tip('my-reset-me')).toBe(last);
}, 300_000);
