/** The server queues what a person says while no worker runs; it applies later. Features: C1 C5 C6. */
import { afterEach, describe, expect, inject, it } from 'vitest';
import { DONE, Held } from '../support/held.js';

let held: Held;
afterEach(() => held?.box.dispose());

describe('without a worker', () => {
  it('the server queues every verb, and a worker applies it or refuses it by name (C1, C6)', async () => {
    held = await Held.open(inject('stateRoot'), [
      { id: 'x-1', steps: [DONE] },
      { id: 'x-2', steps: [DONE] },
      { id: 'x-3', steps: [DONE] },
    ]);
    const { box } = held;
    await held.start('--no-worker');
    const told: string[][] = [
      ['slots', '2'],
      ['hint', 'x-1', 'mind the gap'],
      ['skip', 'x-2', '--reason', 'later'],
      ['bump', 'x-3'],
      ['edit', 'x-1', '--text', 'Do x-1 in blue'],
      ['retry', 'x-1'],
      ['pause', 'x-3'],
      ['resume', 'x-3'],
    ];
    for (const args of told) {
      const { code, stdout, stderr } = await box.run(...args);
      expect([code, stdout], `${args.join(' ')}: ${stderr}`).toEqual([
        0,
        expect.stringContaining('No worker is running'),
      ]);
    }
    const json = await box.run('pause', '--json');
    expect(json.json[0]).toEqual({ done: null, verb: 'pause', worker: false });
    expect((await box.run('resume')).code).toBe(0);
    const typo = await box.run('skip', 'x-9');
    expect([typo.code, typo.stderr]).toEqual([2, expect.stringContaining('no idea x-9')]);

    const done = await box.run('start', '--json', '--wait');
    expect(done.code, done.stderr).toBe(3);
    const summary = done.json.at(-1) as { landed: number; notLanded: unknown[]; status: { slots: number } };
    expect(summary).toMatchObject({ landed: 2, status: { slots: 2 } });
    expect(summary.notLanded).toEqual([{ idea: 'x-2', status: 'skipped', reason: 'later' }]);
    const prompt = await held.prompt('x-1', 1);
    expect(prompt).toContain('mind the gap');
    expect(prompt).toContain('Do x-1 in blue');
    const events = await held.events();
    // What made no sense is refused by name, and nothing else is.
    const refused = events.flatMap((event) => (event.kind === 'refused' ? [`${event.verb} ${event.idea}`] : []));
    expect(refused).toEqual(['retry x-1']);
    const verbs = events.flatMap((event) => (event.kind === 'command' ? [event.verb] : []));
    expect(verbs).toEqual(['slots', 'hint', 'skip', 'bump', 'edit', 'pause', 'resume', 'pause', 'resume']);
  });
});
