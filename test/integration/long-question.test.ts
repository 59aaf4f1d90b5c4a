/** A question of many lines is whole wherever a person reads it, and short in the state of the run. Features: C5 G1 G9. */
import { afterEach, expect, inject, it } from 'vitest';
import { Held } from '../support/held.js';
import { type Sandbox, until } from '../support/program.js';

let box: Sandbox | undefined;
afterEach(() => box?.dispose());

const lines = (first: string, count: number): string =>
  [first, ...Array.from({ length: count }, (_, at) => `${at + 1}. an option with its reasons`), `${first} (end)`].join(
    '\n',
  );

it('C5: why, show, report, logs and the prompt have it whole; status has its beginning and names show; past the bound its cut is said, with the file', async () => {
  const long = lines('Which of these?', 320);
  const longer = lines('And which of those?', 640);
  expect([long.length > 9000, longer.length > 17_000]).toEqual([true, true]);
  const held = await Held.open(
    inject('stateRoot'),
    [
      {
        id: 'a-1',
        steps: [
          { signal: `NEEDS_HUMAN: ${long}`, free: true },
          { signal: 'COMPLETE', free: true },
        ],
      },
      {
        id: 'b-1',
        steps: [
          { signal: `NEEDS_HUMAN: ${longer}`, free: true },
          { signal: 'COMPLETE', free: true },
        ],
      },
      { id: 'g-1', steps: [] },
      { id: 'c-1', parent: 'g-1', depends: 'a-1', steps: [{ signal: 'COMPLETE', free: true }] },
      { id: 'd-1', parent: 'g-1', steps: [{ signal: 'COMPLETE', free: true }] },
    ],
    { slots: 2 },
  );
  box = held.box;
  await held.start();
  for (const id of ['a-1', 'b-1']) await held.idea(id, 'needs-human');
  await held.idea('d-1', 'landed');
  const whole = (text: string): void => {
    for (const line of [`320. an option with its reasons`, 'Which of these? (end)']) expect(text).toContain(line);
  };
  whole((await box.run('why', 'a-1')).stdout);
  whole((await box.run('show', 'a-1')).stdout);
  const status = (await box.run('status')).stdout;
  expect(status).toContain('Which of these?');
  expect(status).toMatch(/\| … 314 more lines: ralphctl show a-1$/m);
  expect(status.split('\n').length).toBeLessThan(40);
  expect(status).toMatch(/^run \S+: waits for you.*\nNeeds you \(2\)\n\? a-1 asks:[\s\S]*\nSlots \(0 of 2\)\n/m);
  expect(status).toMatch(/^wait for others: c-1 after a-1$/m);
  expect(status).toMatch(/^landed: d-1$/m);
  expect(status).toMatch(/^groups: g-1 1\/2 landed$/m);
  expect((await box.run('status', '--json')).json[0]).toMatchObject({ groups: [{ id: 'g-1', done: 1, total: 2 }] });
  expect((await box.run('start', '--dry-run')).stdout).toMatch(/^groups: g-1 1\/2 landed$/m);
  whole((await box.run('report', '--all')).stdout);
  whole((await box.run('logs')).stdout);
  expect((await box.run('report')).stdout).toMatch(/… \d+ more lines: ralphctl report --all/);
  // An attached start has its beginning, after the status and the last events.
  const back = await box.run('start', '--no-wait');
  expect(back.code).toBe(4);
  expect(back.stderr).toMatch(
    /a-1 waits for you:\n {4}\| Which of these\?[\s\S]*\| … 314 more lines: ralphctl show a-1$/m,
  );
  expect(back.stderr).toContain('ralphctl answer a-1 "…"');
  expect(back.stderr.split('\n').length).toBeLessThan(40);
  const [first = ''] = back.stdout.split('\n');
  expect(first).toMatch(/^run \S+: waits for you/);
  expect(back.stdout).toContain('… 314 more lines: ralphctl show a-1');
  expect(back.stdout.indexOf('a-1 asks:')).toBeLessThan(back.stdout.indexOf('run running'));
  const asks = (await held.events()).find((event) => event.kind === 'asks' && event.idea === 'a-1');
  expect(asks).toMatchObject({ question: long });

  const cut = (await box.run('why', 'b-1')).stdout;
  expect(cut).toMatch(/\(cut at 16,384 characters; the rest is in \/.*\/ideas\/b-1\/001\/final-message\.md\)/);
  expect(cut).not.toContain('(end)');

  // The run keeps only its beginning.
  const { json } = await box.run('why', 'a-1', '--json');
  expect(String(json[0]?.reason).length).toBeLessThanOrEqual(1000);

  for (const id of ['a-1', 'b-1']) expect((await box.run('answer', id, 'the first')).code).toBe(0);
  expect((await held.finish()).notLanded).toEqual([]);
  // D6: the group has no agent of its own; it lands with the last of its children, and is ticked in that commit.
  expect(await box.git('show', 'main:roadmap.md')).toContain('- [x] **g-1**');
  const group = (await held.events()).filter((event) => event.kind === 'idea' && event.idea === 'g-1');
  expect(group.at(-1)).toMatchObject({ status: 'landed' });
  expect((await box.run('report', '--all')).stdout).toMatch(/^GROUPS\n {2}g-1 \S+ 2\/2$/m);
  const prompt = await until('the prompt', () => held.prompt('a-1', 2));
  const plain = (text: string): string => text.replace(/^[ >|]+/gm, '');
  expect(plain(prompt)).toContain(plain(`You asked: ${long}\nThe answer: the first`));
}, 240_000);
