/** The plan of a wave from a backlog with epics, step by step. Features: E1 A4. */
import { expect, it } from 'vitest';
import { writeRun } from '../../src/run-files/run.js';
import { bench, idea } from './bench.js';

const BACKLOG = `# R

- [ ] **E-1**: A group
  - depends: a-1
- [ ] **a-1**: First
  - ralph: true
- [ ] **b-1**: In the group
  - ralph: true
  - parent: E-1
- [ ] **c-1**: After the group
  - ralph: true
  - depends: E-1
`;

it('E1: ideas wait for the ideas of an epic, and for what their own epic waits for', async () => {
  const b = await bench({ ideas: [idea('a-1')], files: { 'roadmap.md': BACKLOG } });
  await writeRun(b.root, { ...b.file, waves: { maxWaves: 3, batchSize: 5 } }, b.ideas);
  const plan = (most: number, known: string[] = []) =>
    b.call(b.activities.planWave, { ...b.ref, wave: 1, most, known }).done;
  expect(await plan(5)).toMatchObject({
    cards: [{ id: 'a-1' }, { id: 'b-1', dependsOn: ['a-1'] }, { id: 'c-1', dependsOn: ['b-1'] }],
    open: 3,
    left: 0,
  });
  // Without it, the next one is for later.
  expect(await plan(5, ['a-1'])).toMatchObject({ cards: [], left: 2 });
});
