/** `landing.stack` in a whole run: a comment in the middle, the lowest squashed, then the middle closed. */
import { expect } from 'vitest';
import { until } from '../program.js';
import { type Delivering, PATIENT_MS } from './delivering.js';
import type { Forge, Recorded } from './forge.js';
import { closePull, mergePull, sayOnLine } from './pulls.js';

/** Where a request stands in the work on `b-1`: before it opens, before it is recorded, before it moves onto the target. */
export type Moment = 'open' | 'record' | 'retarget';

export async function stackOfThree(
  forge: Forge,
  { held, repo, pulls, inBare, pullOf, opened, shows, has, killWorker }: Delivering,
  { moment, one }: { moment: (request: Recorded) => Moment | undefined; one: string },
): Promise<void> {
  const { box } = held;
  const entry = (id: string, below?: string): string =>
    `- [ ] **${id}**: Make ${id}\n  - ralph: true\n${below ? `  - depends: ${below}\n` : ''}`;
  await box.write({ 'roadmap.md': `# R\n\n${entry('a-1')}${entry('b-1', 'a-1')}${entry('c-1', 'b-1')}` });
  await box.commit('backlog');
  await box.git('push', '--quiet');
  const killed = new Set<string>();
  forge.trouble.before = async (request) => {
    const at = moment(request);
    if (!at || (at === 'open' && !pullOf('a-1')) || killed.has(at)) return;
    killed.add(at);
    await killWorker();
  };
  const started = await box.run('start', '--detach');
  expect(started.stderr).toContain('or onto the branch of an idea in review that it depends on (landing.stack)');
  const lowest = await opened('a-1');
  const middle = await opened('b-1');
  const top = await opened('c-1');
  expect([lowest, middle, top].map(({ base }) => base)).toEqual(['main', 'ralph/a-1', 'ralph/b-1']);
  const own = (id: string): string[] => [`${id}.txt`, `draft-${id}.txt`, 'roadmap.md'];
  expect([await shows(middle), await shows(top)]).toEqual([own('b-1'), own('c-1')]);
  expect(top.body).toContain(`Stands on ${one}${middle.number} (b-1), which is merged first.`);
  const onTop = (id: string, wanted: string) =>
    until(`${id}: ${wanted}`, async () => (await held.why(id)).reason?.endsWith(wanted), PATIENT_MS);
  await onTop('c-1', `, on top of pull request ${middle.number} (b-1)`);
  expect((await box.run('why', 'c-1')).stdout).toContain(
    `it started on top of pull request ${middle.number} (b-1), which is merged first (landing.stack)`,
  );
  expect((await box.run('status')).stdout).toContain(
    `in review as pull request ${top.number}, on top of ${middle.number} (b-1)`,
  );

  sayOnLine(repo, middle.number, { id: 701, login: 'ann', body: 'Please name it better.' });
  await held.began('b-1', 2);
  const second = async () => (await inBare('show', 'ralph/b-1:b-1.txt')) === '1\n2';
  await until('the top on the new middle', async () => (await second()) && has('ralph/c-1', 'ralph/b-1'), PATIENT_MS);
  expect(await shows(top)).toEqual(own('c-1'));

  const commit = mergePull(repo, lowest.number, 'ann', { how: 'squash' });
  await held.idea('a-1', 'landed');
  await until('the middle on main', () => Promise.resolve(middle.base === 'main'), PATIENT_MS);
  expect(await has('ralph/b-1', commit)).toBe(true);
  expect([await shows(middle), [...killed].sort()]).toEqual([own('b-1'), ['open', 'record', 'retarget']]);
  await until('the top on the middle again', () => has('ralph/c-1', 'ralph/b-1'), PATIENT_MS);
  await onTop('c-1', `, on top of pull request ${middle.number} (b-1)`);

  closePull(repo, middle.number, 'ann');
  const asks = await held.idea('c-1', 'needs-human');
  expect(asks.reason).toMatch(
    /^It stands on pull request \d+ of b-1, which is skipped: .*closed by ann.*Reply with anything to have it go onto main without b-1\.$/,
  );
  await box.run('answer', 'c-1', 'Go on without it.');
  await until('the top on main', () => Promise.resolve(top.base === 'main'), PATIENT_MS);
  expect(await shows(top)).toEqual(own('c-1'));
  expect(top.body).not.toContain('Stands on');
  mergePull(repo, top.number, 'ann');
  expect(await held.finish()).toMatchObject({ notLanded: [{ idea: 'b-1', status: 'skipped' }] });
  expect(pulls.size).toBe(3);
  expect(await inBare('for-each-ref', '--format=%(refname:short)', 'refs/heads/ralph')).toBe(
    'ralph/a-1\nralph/b-1\nralph/c-1',
  );
  expect(await box.git('ls-tree', '--name-only', 'main')).not.toContain('b-1.txt');
}
