/**
 * States that last only moments in a run, held still for the screen of each size, locale and colour: a step of a plan
 * after a retry, a run without a signal, work that lands and work that waits behind it. Features: G1 G3 G4 G5.
 */
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { events, type Sandbox, sandbox, until, yaml } from '../support/program.js';
import { TERMINALS, Terminal } from '../support/terminals.js';

const write = (path: string) => ({ write: { path, text: '1' } });
const at = (step: string) => ({ whenPrompt: { contains: `Now do step ${step}, and only this one` } });

/** Prints counts, and stands still on the merged tree of the idea `hold`. */
const GATE = `#!/bin/sh
echo "TAP version 13"
for n in 1 2 3; do echo "ok $n - case $n"; done
echo "1..3"
if [ -e hold.txt ] && [ "$RALPHCTL_SLOT" = 0 ]; then
  touch PLACE/lands
  until [ -e PLACE/go ]; do sleep 0.2; done
fi
`;

let box: Sandbox;
const told = async () => events(await box.run('logs', '--json'));
const place = (name: string): string => `${box.scratch}/${name}`;

beforeAll(async () => {
  const steps = ['a', 'b', 'c'].map((id) => ({ id, text: `Do ${id}` }));
  box = await sandbox(inject('stateRoot'), {
    'ideas.yaml': yaml({
      version: 1,
      ideas: [
        { id: 'plan', text: 'Build it in steps', plan: { phases: [{ name: 'Walls', steps }] } },
        { id: 'mute', text: 'Say nothing at first' },
        { id: 'hold', text: 'Land slowly' },
        { id: 'next', text: 'Wait behind it' },
      ],
    }),
  });
  const stand = { waitFor: { path: place('go') } };
  await box.write({
    'gate.sh': GATE.replaceAll('PLACE', box.scratch),
    'ralphctl.yaml': yaml({
      ...{ version: 1, agent: 'scripted', slots: 4, stepDelayMs: 0, gate: ['sh gate.sh'] },
      ...{ errors: { maxRetries: 0, threshold: 100 }, landing: { parallel: 1 } },
    }),
    '.ralph-script.yaml': yaml({
      ideas: {
        plan: [
          { ...at('a'), do: [write('a.txt')], signal: 'COMPLETE' },
          {
            ...at('b'),
            do: [
              { say: 'I try the wall' },
              { run: `test -e ${place('tried')} || { touch ${place('tried')}; exit 3; }` },
              stand,
              write('b.txt'),
            ],
            signal: 'COMPLETE',
          },
          { ...at('c'), do: [write('c.txt')], signal: 'COMPLETE' },
        ],
        mute: [{ do: [write('one.txt')] }, { do: [stand, write('two.txt')], signal: 'COMPLETE' }],
        hold: [{ do: [write('hold.txt')], signal: 'COMPLETE' }],
        next: [{ do: [{ waitFor: { path: place('lands') } }, write('next.txt')], signal: 'COMPLETE' }],
      },
    }),
  });
  await box.commit('set up');
  const started = await box.run('start', '--detach');
  expect(started.code, started.stderr).toBe(0);
  const state = (idea: string, status: string) =>
    until(`${idea} to be ${status}`, async () =>
      (await told()).some((one) => one.kind === 'idea' && one.idea === idea && one.status === status),
    );
  const begun = (idea: string, serial: number) =>
    until(`run ${serial} of ${idea}`, async () =>
      (await told()).some((one) => one.kind === 'iteration' && one.idea === idea && one.serial >= serial),
    );
  await state('plan', 'failed');
  expect((await box.run('retry', 'plan')).code).toBe(0);
  await Promise.all([begun('plan', 3), begun('mute', 2), state('next', 'landing')]);
}, 300_000);
afterAll(async () => {
  if (box) await writeFile(place('go'), '');
  await box?.dispose();
});

describe.each(TERMINALS)('in a terminal of $name', (kind) => {
  let terminal: Terminal;
  beforeAll(() => {
    terminal = new Terminal(box, kind);
  });
  afterAll(() => terminal?.dispose());

  it('G5: the box names the step of the plan, its phase and the retry; the list has the step', async () => {
    await terminal.page('plan');
    const text = await terminal.screen.shows(/Iteration \d+ of \d+/);
    expect(text).toMatch(/step 2\/3 Walls/);
    expect(text).toMatch(/tried again once/);
    expect(text).toContain('scripted');
  });

  it('G1: the box has the limit, the commits and the tests of the last gate', async () => {
    await terminal.page('plan');
    const text = await terminal.screen.shows(/Iteration 1 of 50/);
    expect(text).toMatch(/tests +3\/3/);
    expect(text).toMatch(/commits +1/);
  });

  it('G3: a run without a signal is gray, or says so without colour', async () => {
    await terminal.page('mute');
    const none = await terminal.screen.shows(/last signal +none yet/);
    expect(none).toContain('none yet');
    expect(await terminal.screen.colourOf('none yet')).toBe(kind.colour ? 8 : undefined);
    await terminal.tab(terminal.isWide ? 'Task' : 'Timeline');
    await terminal.screen.shows('(no signal)');
    expect(await terminal.screen.colourOf('(no signal)')).toBe(kind.colour ? 8 : undefined);
  });

  it('G4: work that lands says that the merged tree is at the gate; work behind it says after whom', async () => {
    await terminal.page('hold');
    expect(await terminal.screen.shows(/gate on the merged tree, /)).toMatch(/[✓+] sh gate.sh 3\/3/);
    await terminal.page('next');
    const text = await terminal.screen.shows('done, waits to land');
    expect(text).toMatch(terminal.isWide ? /number 2 / : /number 2 in the landing queue/);
    expect(text).toMatch(/after hold \(at the gate, /);
  });
});

it('G4: the landed one says how long it took, which commit, and that the merged tree was green', async () => {
  await writeFile(place('go'), '');
  const terminal = new Terminal(box, TERMINALS[0] as (typeof TERMINALS)[number]);
  try {
    await terminal.list('hold');
    await terminal.screen.shows(/hold .*landed/);
    await terminal.page('hold');
    const text = await terminal.screen.shows(/landed ─.* on main/);
    expect(text).toMatch(/1 iteration, /);
    expect(text).toMatch(/\b[0-9a-f]{7,}\b/);
    expect(text).toMatch(/merged tree +✓ sh gate.sh 3\/3/);
  } finally {
    await terminal.dispose();
  }
});
