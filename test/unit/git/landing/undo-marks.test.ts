/** Taking an idea back gives back what its landing wrote into the backlog, whatever was ticked there since. Features: C2 F5. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tickBacklog } from '../../../../src/backlog/mark.js';
import { undoIdea } from '../../../../src/git/landing/undo.js';
import { landWork, worktreeOf } from '../idea-work.js';
import { commitFiles, GREEN, makeRepo, read, type TestRepo } from '../repo.js';

const FILE = 'docs/plans/shop.md';
const task = (n: number, ...boxes: string[]): string =>
  `### Task ${n}: Do ${n}\n\n${boxes.map((box) => `- ${box}\n`).join('')}\n`;
const PLAN = [
  '# Plan: Shop\n\n',
  task(1, '[x] Write the tests', '[ ] Write the code', '[ ] Run the checks'),
  task(2, '[x] Write the tests', '[ ] Write the code', '[ ] Run the checks'),
  task(3, '[ ] Write the tests', '[ ] Write the code'),
].join('');

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': 'one\n', [FILE]: PLAN });
});
afterEach(() => repo.remove());

async function land(n: number): Promise<void> {
  const idea = `shop.task-${n}`;
  const { path } = await worktreeOf(repo, idea);
  await commitFiles(path, { [`${n}.txt`]: `${n}\n` }, `step of ${idea}`);
  const got = await landWork(repo, idea, {
    tick: async (look) => {
      const text = tickBacklog(FILE, (await look(FILE)) ?? '', idea);
      return text === undefined ? undefined : { path: FILE, text };
    },
  });
  expect(got.kind).toBe('landed');
}

async function undo(n: number): Promise<string> {
  const idea = `shop.task-${n}`;
  const got = await undoIdea({
    ...{ repo: repo.root, integrationRoot: repo.integrationRoot, target: 'main', idea, title: `Do ${n}` },
    ...{ agentName: 'ed-001', keep: [], setup: async () => undefined, gate: async () => GREEN },
    backlog: { path: FILE, untick: (text) => tickBacklog(FILE, text, idea, { done: false }) },
  });
  expect(got.kind).toBe('undone');
  return read(repo.root, FILE);
}
const ticked = (text: string, n: number): string => tickBacklog(FILE, text, `shop.task-${n}`) ?? '';

describe('C2 F5 the boxes of a plan after an undo', () => {
  it('a box that a person had ticked stays ticked when other ideas landed since', async () => {
    await land(1);
    await land(2);
    await land(3);
    expect(await undo(2)).toBe(ticked(ticked(PLAN, 1), 3));
    expect(await undo(1)).toBe(ticked(PLAN, 3));
  });

  it('also when a person edited the file elsewhere since', async () => {
    await land(2);
    const edited = `${(await read(repo.root, FILE)).replace('# Plan: Shop', '# Plan: Shop\n\nSell books.')}${task(4, '[x] Sell')}`;
    await commitFiles(repo.root, { [FILE]: edited }, 'words');
    expect(await undo(2)).toBe(`${PLAN.replace('# Plan: Shop', '# Plan: Shop\n\nSell books.')}${task(4, '[x] Sell')}`);
  });

  it('is open, whatever somebody made of the lines of the landing', async () => {
    await land(3);
    const text = (await read(repo.root, FILE)).replace(
      '- [x] Write the tests\n- [x] Write the code\n\n',
      '- [x] Write tests\n- [x] Write code\n\n',
    );
    await commitFiles(repo.root, { [FILE]: text }, 'other words');
    const after = await undo(3);
    expect(after).toContain('### Task 3: Do 3\n\n- [ ] Write tests\n- [ ] Write code\n');
    expect(ticked(after, 3)).toBe(text);
  });
});
