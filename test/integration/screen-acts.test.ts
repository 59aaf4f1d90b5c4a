/**
 * Each intervention of a person on an idea, by key, in a terminal of each size, locale and colour. One run serves all.
 * Features: C1 C2 C3 C4.
 */
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { events, roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';
import type { PtyScreen } from '../support/pty.js';
import { TERMINALS, Terminal } from '../support/terminals.js';

const write = (path: string) => ({ write: { path, text: '1' } });
const done = (id: string) => ({ do: [write(`${id}.txt`)], signal: 'COMPLETE' });
const half = (id: string) => ({ do: [write(`${id}-half.txt`)], signal: 'PROGRESS: 60' });
const mended = { whenPrompt: { contains: 'in a mended way' } };
/** Goes on where `place/ID-N` exists. */
const waits = (id: string, n: number) => ({ waitFor: { path: `PLACE/${id}-${n}` } });

const KINDS: Record<string, (id: string) => object[]> = {
  rest: (id) =>
    Array.from({ length: 9 }, (_, at) => ({
      do: [waits(id, at + 1), write(`${id}-${at + 1}.txt`)],
      signal: `PROGRESS: ${at + 10}`,
    })),
  fix: (id) => [
    { ...done(id), ...mended },
    { do: [{ say: 'This will not work' }, write(`${id}.txt`), { run: 'exit 3' }], signal: 'COMPLETE' },
  ],
  tidy: (id) => [{ do: [{ say: 'This will not work' }, write(`${id}.txt`), { run: 'exit 3' }], signal: 'COMPLETE' }],
  back: (id) => [done(id)],
  long: (id) => [half(id)],
  word: (id) => [{ ...done(id), ...mended }, half(id)],
  part: (id) => [half(id)],
  drop: (id) => [half(id)],
  take: (id) => [half(id)],
  lock: (id) => [{ ...done(id), ...mended }, { signal: 'BLOCKED: no key' }],
  gone: () => [{ signal: 'BLOCKED: no key' }],
};
const TIMED_OUT = ['long', 'word', 'part', 'drop', 'take'];
const STATES: Record<string, string> = {
  rest: 'running',
  ...{ fix: 'failed', tidy: 'failed', back: 'landed', lock: 'blocked', gone: 'blocked' },
  ...Object.fromEntries(TIMED_OUT.map((kind) => [kind, 'timeout'])),
};

let box: Sandbox;
/** Keeps the run open. */
const KEEPER = 'keeper';
const all = Object.keys(KINDS).flatMap((kind) => TERMINALS.map(({ n }) => ({ kind, id: `${kind}-${n}` })));

beforeAll(async () => {
  box = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap([
      { id: KEEPER, text: 'Keep the run open' },
      ...all.map(({ kind, id }) => ({
        id,
        text: `Do ${id} in a broken way`,
        ...(TIMED_OUT.includes(kind) ? { max_iterations: 1 } : {}),
      })),
    ]),
  });
  await box.write({
    'ralphctl.yaml': yaml({
      ...{ version: 1, agent: 'scripted', slots: TERMINALS.length + 4, stepDelayMs: 0, gate: ['true'] },
      errors: { maxRetries: 0, threshold: 1000 },
    }),
    '.ralph-script.yaml': yaml({
      // The parts of a split idea.
      default: [{ signal: 'BLOCKED: later' }],
      ideas: {
        [KEEPER]: [{ do: [waits(KEEPER, 1)], signal: 'PROGRESS: 1' }],
        ...Object.fromEntries(all.map(({ kind, id }) => [id, KINDS[kind]?.(id) ?? []])),
      },
    }).replaceAll('PLACE', box.scratch),
  });
  await box.commit('set up');
  const started = await box.run('start', '--detach');
  expect(started.code, started.stderr).toBe(0);
  await until(
    'all states that a person acts on',
    async () => {
      const last = new Map<string, string>();
      for (const one of await told()) if (one.kind === 'idea') last.set(one.idea, one.status);
      return all.every(({ kind, id }) => last.get(id) === STATES[kind]);
    },
    480_000,
  );
}, 500_000);
afterAll(() => box?.dispose());

const told = async () => events(await box.run('logs', '--json'));
const go = (id: string, n: number): Promise<void> => writeFile(`${box.scratch}/${id}-${n}`, '');
const taken = (verb: string, idea: string) =>
  until(`the run has taken ${verb} ${idea}`, async () =>
    (await told()).some((one) => one.kind === 'command' && one.verb === verb && one.idea === idea),
  );

/** Lets each iteration end, for the next one may have begun before its workflow got the command. */
const rests = (idea: string, status: string) =>
  until(`${idea} to be ${status}`, async () => {
    const all = (await told()).filter((one) => 'idea' in one && one.idea === idea);
    const begun = all.findLast((one) => one.kind === 'iteration');
    if (begun?.kind === 'iteration') await go(idea, begun.serial);
    const last = all.findLast((one) => one.kind === 'idea');
    return last?.kind === 'idea' && last.status === status;
  });

describe.each(TERMINALS)('in a terminal of $name', (kind) => {
  const { n } = kind;
  let terminal: Terminal;
  let screen: PtyScreen;
  beforeAll(() => {
    terminal = new Terminal(box, kind, { EDITOR: 'sed -i "s/in a broken way/in a mended way/"' });
    screen = terminal.screen;
  });
  afterAll(() => terminal?.dispose());

  const lands = (id: string) => screen.shows(new RegExp(`${id} .*landed`));
  const sure = async (key: string, question: string | RegExp): Promise<void> => {
    screen.press(key);
    await screen.shows(question);
    screen.press('y');
  };
  const edit = async (id: string): Promise<void> => {
    await terminal.list(id);
    screen.press('e');
    await taken('edit', id);
    await screen.shows('3 of 5');
  };

  it('C1: an idea is paused, resumed and stopped, and the run goes on', async () => {
    const id = `rest-${n}`;
    await terminal.list(id);
    screen.press('p');
    await taken('pause', id);
    await rests(id, 'paused');
    await screen.shows(new RegExp(`${id} .*paused`));
    screen.press('p');
    await taken('resume', id);
    await screen.shows(new RegExp(`${id} .*works`));
    await sure('x', `stop ${id}`);
    await taken('stop', id);
    await rests(id, 'pending');
    await screen.shows(new RegExp(`${id} .*held`));
    expect(await screen.text()).toMatch(/^[^\n]*(?:running|waits for you)/);
  });

  it('C2: a failed idea is edited, retried with the new text, and lands', async () => {
    await edit(`fix-${n}`);
    screen.press('r');
    await lands(`fix-${n}`);
  });

  it('C2: a landed idea is rolled back, a failed one is cleaned up', async () => {
    await terminal.list(`back-${n}`);
    await sure('R', `take the commits of back-${n} back off main`);
    await taken('rollback', `back-${n}`);
    await until('its file to leave main', async () =>
      (await box.git('ls-tree', '--name-only', 'main')).split('\n').includes(`back-${n}.txt`) ? undefined : true,
    );
    await terminal.list(`tidy-${n}`);
    await sure('X', `save the worktree of tidy-${n}, then remove it`);
    await taken('cleanup', `tidy-${n}`);
    await until('its worktree to go', async () => !(await box.git('worktree', 'list')).includes(`[ralph/tidy-${n}]`));
  });

  it('C3: a timed out idea is retried, edited, split, rolled back or given up', async () => {
    await terminal.list(`long-${n}`);
    screen.press('r');
    await taken('retry', `long-${n}`);
    await until(`long-${n} to run again`, async () =>
      (await told()).some((one) => one.kind === 'iteration' && one.idea === `long-${n}` && one.serial === 2),
    );
    await edit(`word-${n}`);
    screen.press('r');
    await lands(`word-${n}`);
    await terminal.list(`part-${n}`);
    screen.press('D');
    await screen.shows(`split part-${n} into`);
    screen.press(`Left ${n}; Right ${n}`, 'enter');
    await taken('split', `part-${n}`);
    await terminal.list(`take-${n}`);
    await sure('R', /take-\d+.*\by yes/s);
    await taken('rollback', `take-${n}`);
    await terminal.list(`drop-${n}`);
    await sure('x', `give drop-${n} up, in later runs too`);
    await screen.shows(new RegExp(`drop-${n} .*given up`));
  });

  it('C4: a blocked idea is edited and unblocked, another given up', async () => {
    await edit(`lock-${n}`);
    screen.press('u');
    await lands(`lock-${n}`);
    await terminal.list(`gone-${n}`);
    await sure('x', `give gone-${n} up, in later runs too`);
    await screen.shows(new RegExp(`gone-${n} .*given up`));
  });
});

it('C1: the stop of the run is confirmed, and it ends', async () => {
  const terminal = new Terminal(box, TERMINALS[0] as (typeof TERMINALS)[number]);
  try {
    const { screen } = terminal;
    await screen.shows(/Slots \d+ of/);
    screen.press('S');
    await screen.shows('y yes  n no');
    screen.press('y');
    await until('the stop to be taken', async () =>
      (await told()).some((one) => one.kind === 'command' && one.verb === 'stop' && one.idea === undefined),
    );
    await go(KEEPER, 1);
    // The report takes the place of the run.
    await screen.shows(/the (?:run|night) of/);
    expect(await screen.text()).toMatch(/stopped/);
  } finally {
    await terminal.dispose();
  }
});
