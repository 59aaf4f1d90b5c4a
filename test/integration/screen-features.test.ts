/**
 * Every promise of the full screen, in a pseudo terminal at each size, locale and colour: keys in, picture out. One run
 * serves all of them. Features: C1 C2 C3 C4 C5 G1 G2 G3 G4 G5 G7 G8.
 */
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { cliPath, events, roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';
import { PtyScreen } from '../support/pty.js';
import { TERMINALS, Terminal } from '../support/terminals.js';

const write = (path: string) => ({ write: { path, text: '1' } });
const finished = (id: string) => ({ do: [write(`${id}.txt`)], signal: 'COMPLETE' });
/** In the header. */
const needYou = (many: number): RegExp => (many === 1 ? /\b1 needs you/ : new RegExp(`\\b${many} need you`));
const QUESTION = 'Which port should the server use: 80 or 8080?';

const SCRIPT = {
  ideas: {
    slow: [
      { do: [{ say: 'I look at the files' }, write('a.txt'), { commit: 'feat: a' }], signal: 'PROGRESS: 40' },
      { do: [{ say: 'Now the second half' }, { waitFor: { path: 'GO' } }, write('b.txt')], signal: 'COMPLETE' },
    ],
    done: [
      { do: [write('red.txt'), write('done.txt')], signal: 'COMPLETE' },
      { do: [{ delete: 'red.txt' }], signal: 'COMPLETE' },
    ],
    ...Object.fromEntries(
      TERMINALS.flatMap(({ n }) => [
        [
          `ask-${n}`,
          [{ do: [{ say: 'I looked at both ports.' }], signal: `NEEDS_HUMAN: ${QUESTION}` }, finished(`ask-${n}`)],
        ],
        [
          `fail-${n}`,
          [
            {
              do: [{ say: 'This will not work' }, { run: `test -e FIXED-${n}` }, write(`fail-${n}.txt`)],
              signal: 'COMPLETE',
            },
          ],
        ],
        [
          `block-${n}`,
          [
            { ...finished(`block-${n}`), whenPrompt: { contains: 'The key is in the vault' } },
            { signal: 'BLOCKED: no key for the staging machine' },
          ],
        ],
        [
          `ring-${n}`,
          [
            { ...finished(`ring-${n}`), whenPrompt: { contains: 'as a whisper' } },
            { signal: 'NEEDS_HUMAN: Loud or soft?', whenPrompt: { contains: 'somebody listens' } },
            { signal: 'BLOCKED: nobody hears it' },
          ],
        ],
        [`time-${n}`, [{ do: [write('half.txt')], signal: 'PROGRESS: 60' }, finished(`time-${n}`)]],
      ]),
    ),
  },
};

let box: Sandbox;
let go = '';

beforeAll(async () => {
  const mine = (kind: string, text: string, more: Record<string, unknown> = {}) =>
    TERMINALS.map(({ n }) => ({ id: `${kind}-${n}`, text, ...more }));
  box = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap([
      { id: 'slow', text: 'Take a while', max_iterations: 9 },
      { id: 'done', text: 'Land at the second try' },
      ...mine('ask', 'Choose the port'),
      ...mine('fail', 'Fail at first'),
      ...mine('block', 'Deploy to staging'),
      ...mine('ring', 'Call a person'),
      ...mine('time', 'Use up one iteration', { max_iterations: 1 }),
    ]),
  });
  go = `${box.scratch}/go`;
  await box.write({
    'ralphctl.yaml': yaml({
      ...{ version: 1, agent: 'scripted', slots: 4, stepDelayMs: 0 },
      ...{ gate: ['test ! -e red.txt'], errors: { maxRetries: 0, threshold: 100 } },
      // Its agent says nothing for as long as the tests take.
      idleTimeoutMinutes: 60,
    }),
    '.ralph-script.yaml': yaml(SCRIPT).replace('GO', go).replaceAll('FIXED-', `${box.scratch}/fixed-`),
  });
  await box.commit('set up');
  const started = await box.run('start', '--detach');
  expect(started.code, started.stderr).toBe(0);
  await until(
    'all states that a screen shows',
    async () => {
      const last = new Map<string, string>();
      for (const event of events(await box.run('logs', '--json')))
        if (event.kind === 'idea') last.set(event.idea, event.status);
        else if (event.kind === 'iteration' && event.idea === 'slow') last.set('slow', `iteration ${event.iteration}`);
      const has = (status: string): number => [...last.values()].filter((one) => one === status).length;
      return (
        last.get('slow') === 'iteration 2' &&
        last.get('done') === 'landed' &&
        has('blocked') === 2 * TERMINALS.length &&
        ['needs-human', 'failed', 'timeout'].every((status) => has(status) === TERMINALS.length)
      );
    },
    240_000,
  );
}, 300_000);

afterAll(() => box?.dispose());

const ALL = 2 + 5 * TERMINALS.length;

describe.each(TERMINALS)('in a terminal of $name', (kind) => {
  const { n, size, ascii, colour } = kind;
  let terminal: Terminal;
  let screen: PtyScreen;
  beforeAll(() => {
    terminal = new Terminal(box, kind);
    screen = terminal.screen;
  });
  afterAll(() => terminal?.dispose());
  const list = (id: string): Promise<void> => terminal.list(id);
  const page = (id: string): Promise<void> => terminal.page(id);
  const tab = (name: string): Promise<string> => terminal.tab(name);

  it('G5: the first lines say how the run stands, what its slots do, and how many need a person', async () => {
    const text = await screen.shows(/running .*autopilot.*1\/4 slots/);
    expect(text).toMatch(new RegExp(`\\d+ landed.*1 work.*\\d+ need you.*of ${ALL}`));
    expect(text).toMatch(/Slots 1 of 4.*iter.*progress.*tests/);
    expect(text).toMatch(/1 slow .*2\/9 .*40%/);
    expect(await screen.full()).toBe(true);
    expect((await screen.text()).split('\n').length).toBeLessThan(size.rows);
    if (ascii) expect(text).toMatch(/^[\x20-\x7e\n]*$/);
    else expect(text).toContain('▸ 1 slow');
  });

  it('G1: the box of an iteration has its number, limit, time, progress, last signal, tests and commits', async () => {
    await page('slow');
    const text = await screen.shows(/Iteration 2 of 9[^\n]* of 30m/);
    expect(text).toContain('40 %');
    expect(text).toMatch(/last signal +PROGRESS 40 \(iteration 1\)/);
    expect(text).toMatch(/commits +1/);
    expect(text).toMatch(/scripted/);
    await tab('Agent');
    await screen.shows('Now the second half');
  });

  it('G2: the timeline has one line an iteration, the current one marked, and the sums', async () => {
    await page('slow');
    if (size.columns < 120) await tab('Timeline');
    const text = await screen.shows(/#1 +[█#░.]+ +\d\d:\d\d .*PROGRESS 40/);
    expect(text).toMatch(/>#2|> #2/);
    expect(text).toContain(terminal.sign('← now'));
    expect(text).toMatch(/2 iterations/);
  });

  it('G3: signals have a colour and a word, and without colour the word alone', async () => {
    const seen: [string, string, number][] = [
      ['slow', 'PROGRESS 40', 4],
      ['done', 'COMPLETE', 2],
      [`block-${n}`, 'BLOCKED', 3],
      [`ask-${n}`, 'NEEDS_HUMAN', 6],
    ];
    for (const [id, word, number] of seen) {
      await page(id);
      // On a wide terminal the timeline stands beside the tab; the words of the agent hold its signal, too.
      await tab(size.columns < 120 ? 'Timeline' : 'Task');
      await screen.shows(word);
      expect(await screen.colourOf(word), word).toBe(colour ? number : undefined);
    }
  });

  it('G4: the card of a landed, a blocked, a timed out and a failed idea says why and what can be done', async () => {
    await page('done');
    const landed = await screen.shows(/landed -?─?.* on main/);
    expect(landed).toMatch(/2 iterations/);
    expect(landed).toContain('R roll back');
    await page(`block-${n}`);
    const blocked = await screen.shows('no key for the staging machine');
    expect(blocked).toMatch(/[⊗B] blocked/);
    expect(blocked).toContain('u unblock');
    await page(`time-${n}`);
    const timedOut = await screen.shows(/[◔T] timed out/);
    expect(timedOut).toMatch(/1 of 1 iterations/);
    expect(timedOut).toContain('last progress 60 %');
    expect(timedOut).toContain('+ more iterations');
    await page(`fail-${n}`);
    const failed = await screen.shows(/[✗X] failed/);
    expect(failed).toContain('exit code');
    expect(failed).toContain('r retry');
  });

  it('G1: the gate has each command with its time, for each iteration', async () => {
    await page('done');
    await tab('Gate');
    // The newest one judged the tree that landed.
    expect(await screen.shows(/[✓+] test ! -e red.txt +(?:<1|\d+)s/)).toContain('on the merged tree');
    screen.press('left');
    const green = await screen.shows(/iteration 2, \d\d:\d\d/);
    expect(green).toMatch(/[✓+] test ! -e red.txt +(?:<1|\d+)s/);
    screen.press('left');
    const red = await screen.shows(/[✗X] test ! -e red.txt +(?:<1|\d+)s/);
    expect(red).toContain('iteration 1');
    await tab('Diff');
    await screen.shows('done.txt');
    await tab('Task');
    await screen.shows('Land at the second try');
  });

  it('C5: the question is whole, the draft is kept, the answer goes out, and the idea lands', async () => {
    await list(`ask-${n}`);
    screen.press('a');
    const asked = await screen.shows(new RegExp(`ask-${n} asks`));
    expect(asked.replace(/\s+/g, ' ')).toContain('Which port should the server use');
    await screen.shows('I looked at both ports.');
    screen.press('Use 80');
    await screen.shows('Use 80');
    screen.press('esc');
    await screen.shows(/a answer|\? keys/);
    screen.press('a');
    await screen.shows('Use 80');
    screen.press('80.', 'enter');
    await screen.shows(new RegExp(`ask-${n} has your answer|ask-${n} .*answer`));
    await list(`ask-${n}`);
    await screen.shows(new RegExp(`ask-${n} .*landed`), 120_000);
    screen.press('enter');
    await tab('Said');
    const said = await screen.shows('Use 8080.');
    expect(said.match(/\d\d:\d\d {2}answer/g)).toHaveLength(1);
  });

  it('C2: a failed idea is retried by key and lands', async () => {
    await writeFile(`${box.scratch}/fixed-${n}`, '');
    await list(`fail-${n}`);
    screen.press('r');
    await screen.shows(/queued|retr/i);
    await screen.shows(new RegExp(`fail-${n} .*landed`), 120_000);
  });

  it('C3: a timed out idea gets more iterations by key and lands', async () => {
    await list(`time-${n}`);
    screen.press('+');
    await screen.shows('more iterations for');
    screen.press('ctrl-u', '2', 'enter');
    await screen.shows(new RegExp(`time-${n} .*landed`), 120_000);
  });

  it('C4: a blocked idea gets a hint, is unblocked by key and lands', async () => {
    await list(`block-${n}`);
    screen.press('i');
    await screen.shows(`hint for block-${n}`);
    screen.press('The key is in the vault', 'enter');
    await screen.shows(/prompt|hint/);
    screen.press('u');
    await screen.shows(new RegExp(`block-${n} .*landed`), 120_000);
    screen.press('enter');
    await tab('Said');
    await screen.shows('The key is in the vault');
  });

  it('G7: a new question rings once where nobody looks; title, list and header count it until it is answered', async () => {
    const id = `ring-${n}`;
    await list(id);
    await screen.shows(new RegExp(`[⊗B] ${id} .*blocked`));
    expect((await box.run('hint', id, 'somebody listens')).code).toBe(0);
    const rung = screen.bells;
    const before = screen.title;
    const [, landed = '', needs = ''] = /^ralph repo (\d+)\/\d+ \?(\d+)$/.exec(before ?? '') ?? [];
    const left = Number(needs) - 1;
    screen.press('focus-out');
    // Between two frames that nobody looks at, another block ends and the question comes: as many as before.
    expect((await box.run('unblock', id)).code).toBe(0);
    await until('the bell', async () => screen.bells > rung);
    expect(screen.bells).toBe(rung + 1);
    await screen.shows(new RegExp(`\\? ${id} .*asks`));
    await until('the title', async () => screen.title === before);
    screen.press('1');
    await screen.shows(needYou(Number(needs)));
    expect((await box.run('answer', id, 'as a whisper')).code).toBe(0);
    await until(
      'the title without it',
      async () => screen.title === `ralph repo ${Number(landed) + 1}/${ALL}${left > 0 ? ` ?${left}` : ''}`,
    );
    screen.press('focus-in');
    await screen.shows(needYou(left));
    expect(screen.bells).toBe(rung + 1);
  });

  it('C1: the run is paused and resumed by key; a stop asks first, and Enter alone is no', async () => {
    screen.press('1');
    await screen.shows(/Slots 1 of 4/);
    screen.press('P');
    await screen.shows(/^[^\n]*paus(?:ed|ing)/);
    screen.press('P');
    await screen.shows(/^[^\n]*running/);
    screen.press('S');
    await screen.shows('y yes  n no');
    screen.press('enter');
    await screen.shows('not done: stop the run');
    screen.press(':', 'retry slow', 'enter');
    // The refusal is the run's own sentence.
    await screen.shows(/slow .*(?:works|running|is at work|does not)/);
  });

  it('G8: the log is found by word, the history lists the run, the keys explain themselves', async () => {
    screen.press('4');
    await screen.shows('4 of 5');
    screen.press('/', 'ctrl-u', `fail-${n}`, 'enter');
    const log = await screen.shows(/failed: .*exit code/);
    expect(log).toMatch(new RegExp(`fail-${n} +landed`));
    screen.press('5');
    const history = await screen.shows(/1 run\b.*running/s);
    expect(history).toContain('? keys');
    screen.press('?');
    await screen.shows('keys on: History');
    screen.press('esc');
    await screen.shows(/1 run\b.*running/s);
    screen.press('q');
    expect(await screen.exited).toBe(0);
    expect(await screen.full()).toBe(false);
    const left = await screen.text();
    expect(left).toContain('The run continues. Come back with: ralphctl');
  });
});

it('G8: when the last idea lands, the report takes the place of the run, and the exit code says that all landed', async () => {
  const screen = new PtyScreen(process.execPath, [cliPath], {
    cwd: box.repo,
    env: { ...box.env, TERM: 'xterm' },
  });
  try {
    await screen.shows('1 slow');
    await writeFile(go, '');
    const text = await screen.shows(new RegExp(`${ALL} landed +0 not`), 120_000);
    expect(text).toMatch(/the (?:run|night) of/);
    screen.press('q');
    expect(await screen.exited).toBe(0);
  } finally {
    await screen.dispose();
  }
});
