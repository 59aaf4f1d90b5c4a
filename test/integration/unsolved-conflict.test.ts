/** An idea that came back from a conflict and gets nowhere. Features: B4, B6, D1. */
import { join } from 'node:path';
import { afterEach, expect, inject, it } from 'vitest';
import { Held } from '../support/held.js';
import { roadmap, type Sandbox, sandbox, yaml } from '../support/program.js';

let box: Sandbox | undefined;
afterEach(() => box?.dispose());

it('B4, D1: COMPLETE again and again with the markers left is no progress: the ladder, then a question', async () => {
  box = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap([{ id: 'u-1' }, { id: 'u-2' }, { id: 'u-3' }]),
    'ralphctl.yaml': yaml({
      ...{ version: 1, agent: 'scripted', slots: 3, stepDelayMs: 0, gate: ['true'], maxIterations: 20 },
      escalation: { after: 2, every: 1 },
      warnings: { stuckAfter: 3 },
    }),
    'shared.txt': 'first\n',
  });
  const { scratch } = box;
  const step = (id: string, text: string) => ({
    do: [
      { append: { path: join(scratch, `began-${id}-1`), text: 'once\n' } },
      { waitFor: { path: join(scratch, `go-${id}-1`) } },
      { write: { path: 'shared.txt', text } },
    ],
    signal: 'COMPLETE',
  });
  const ideas = {
    'u-1': [step('u-1', 'one\n')],
    'u-2': [step('u-2', 'two\n'), { do: [{ append: { path: 'shared.txt', text: 'more\n' } }], signal: 'COMPLETE' }],
    'u-3': [step('u-3', 'three\n')],
  };
  await box.write({ '.ralph-script.yaml': yaml({ ideas }) });
  await box.commit('script');
  const held = Held.around(box, inject('stateRoot'));
  await held.start();
  for (const id of ['u-1', 'u-2']) await held.began(id);
  await held.go('u-1-1');
  await held.idea('u-1', 'landed');
  await held.go('u-2-1');
  await held.idea('u-2', 'needs-human');
  const events = await held.events();
  const of2 = events.filter((one) => 'idea' in one && one.idea === 'u-2');
  const rungs = of2.flatMap((one) => (one.kind === 'escalated' ? [`${one.rung} ${one.iterations}`] : []));
  expect(rungs).toEqual(['nudge 2', 'fresh 3', 'ask 4']);
}, 240_000);
