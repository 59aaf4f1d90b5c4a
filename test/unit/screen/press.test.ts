/** What keys do: to the screen, and to the run. Features: C1 C2 C3 C4 C5 G5. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandRows } from '../../../src/client/screen/commands.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import type { Idea } from '../../../src/protocol/idea.js';
import { completions, splitWords } from '../../../src/screen/control/complete.js';
import { withoutSent } from '../../../src/screen/control/drafts.js';
import { press } from '../../../src/screen/control/press.js';
import type { Seen } from '../../../src/screen/control/seen.js';
import { draftOf, typed } from '../../../src/screen/control/typing.js';
import { noDetails } from '../../../src/screen/details.js';
import { initialUi, type Ui } from '../../../src/screen/ui.js';

const idea = (id: string): Idea => ({
  ...{ id, title: `Title of ${id}`, text: '', blue: false, dependsOn: [], tags: [], done: false, ralph: true },
  ...{ success: [], allowEmpty: false, source: { file: 'roadmap.md', line: 1 } },
});

const commands = commandRows();

const model = newModel(
  { project: 'p', runId: 'r', name: 'shop', target: 'main' },
  ['asks', 'works', 'failed', 'todo', 'landed'].map(idea),
);
const told: RunEvent[] = [
  { kind: 'run', state: 'running', landed: 0, total: 5 },
  { kind: 'idea', idea: 'asks', title: 'A', status: 'needs-human', reason: 'which?' },
  { kind: 'idea', idea: 'works', title: 'W', status: 'running', agentName: 'ed-001' },
  { kind: 'idea', idea: 'failed', title: 'F', status: 'failed', reason: 'exit 3' },
  { kind: 'idea', idea: 'landed', title: 'L', status: 'landed', commit: 'abc123' },
];
for (const [at, event] of told.entries()) fold(model, { at: new Date(at * 1000).toISOString(), ...event });

const places = ['asks', 'works', 'failed'].map((id) => ({ section: 'needs' as const, id }));
const seen = (id: string): Seen => ({
  model,
  details: noDetails(),
  places,
  selected: { section: 'needs', id },
  rows: 24,
  columns: 80,
  commands,
});
const type = (text: string) => [...text].map((name) => ({ name, text: name }));
const play = (keys: { name: string; text?: string }[], on = 'asks', from: Ui = initialUi()) => {
  const acts: unknown[] = [];
  let ui = from;
  for (const key of keys) {
    const pressed = press(ui, key, seen(on));
    ui = pressed.ui;
    if (pressed.act) acts.push(pressed.act);
  }
  return { ui, acts };
};
const tells = (...args: string[]) => ({ do: 'tell', args });

describe('keys of an idea', () => {
  it('answers: the text is typed, pasted line breaks are text, only a lone Enter sends', () => {
    const { acts, ui } = play([
      { name: 'a' },
      ...type('Codes'),
      { name: 'newline' },
      { name: 'paste', text: 'from\nan app' },
      { name: 'enter' },
    ]);
    expect(acts).toEqual([{ ...tells('answer', 'asks', '--', 'Codes\nfrom\nan app'), draft: 'asks' }]);
    expect(ui.answering).toBeUndefined();
  });

  it('keeps the draft when the person leaves it, and goes on with it', () => {
    const { ui } = play([{ name: 'a' }, ...type('half'), { name: 'esc' }]);
    expect(ui.drafts.asks?.text).toBe('half');
    const { acts } = play([{ name: 'a' }, ...type('!'), { name: 'enter' }], 'asks', ui);
    expect(acts).toEqual([{ ...tells('answer', 'asks', '--', 'half!'), draft: 'asks' }]);
  });

  it('C5: answers the question that was open when the person began to type, and never the next one with the same text', () => {
    const two = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('asks')]);
    const tell = (event: RunEvent): void => fold(two, { at: new Date(1000).toISOString(), ...event });
    tell({ kind: 'run', state: 'running', landed: 0, total: 1 });
    const asks = (id: string): void => {
      tell({ kind: 'asks', idea: 'asks', asking: 'question', question: `${id}?`, id });
      tell({ kind: 'idea', idea: 'asks', title: 'A', status: 'needs-human', reason: `${id}?` });
    };
    const on = { ...seen('asks'), model: two };
    asks('q1');
    const typing = press(press(initialUi(), { name: 'a' }, on).ui, { name: 'x', text: 'x' }, on).ui;
    const first = press(typing, { name: 'enter' }, on).act;
    expect(first).toEqual({ ...tells('answer', 'asks', '--question', 'q1', '--', 'x'), draft: 'asks' });
    asks('q2');
    const { act, ui } = press(typing, { name: 'enter' }, on);
    expect([act, ui.answering, ui.message?.refused]).toEqual([undefined, undefined, true]);
    // The draft stays. Opened again, it answers the question on the screen.
    expect(ui.drafts.asks?.text).toBe('x');
    const again = press(press(ui, { name: 'a' }, on).ui, { name: 'enter' }, on);
    expect(again.act).toMatchObject(tells('answer', 'asks', '--question', 'q2', '--', 'x'));
    // Answered by somebody else: the draft can go out as a hint.
    tell({ kind: 'idea', idea: 'asks', title: 'A', status: 'running', agentName: 'ed-001' });
    const hint = press(press(ui, { name: 'i' }, on).ui, { name: 'enter' }, on);
    expect(hint.act).toEqual({ ...tells('hint', 'asks', '--', 'x'), draft: 'asks' });
  });

  it('sends no empty answer', () => {
    const { acts, ui } = play([{ name: 'a' }, { name: 'enter' }]);
    expect([acts, ui.message?.refused]).toEqual([[], true]);
  });

  it.each([
    ['p', 'works', tells('pause', 'works')],
    ['r', 'failed', tells('retry', 'failed')],
    ['b', 'todo', tells('bump', 'todo')],
  ])('%s on %s tells the run at once', (name, on, act) => {
    expect(play([{ name }], on).acts).toEqual([act]);
  });

  it.each([
    ['x', 'works', tells('stop', 'works')],
    ['x', 'failed', tells('abandon', 'failed')],
    ['R', 'landed', tells('rollback', 'landed')],
    ['X', 'failed', tells('cleanup', 'failed')],
  ])('%s on %s asks first; y does it, everything else does not', (name, on, act) => {
    expect(play([{ name }], on).acts).toEqual([]);
    expect(play([{ name }, { name: 'y' }], on).acts).toEqual([act]);
    for (const other of ['n', 'enter', 'esc', 'Y']) {
      const { acts, ui } = play([{ name }, { name: other }], on);
      expect([acts, ui.confirm, ui.pending]).toEqual([[], undefined, undefined]);
    }
  });

  it('types what a command needs: hint, more iterations, split', () => {
    expect(play([{ name: 'i' }, ...type('look at -x'), { name: 'enter' }], 'works').acts).toEqual([
      { ...tells('hint', 'works', '--', 'look at -x'), draft: 'hint works' },
    ]);
    expect(play([{ name: '+' }, { name: 'enter' }], 'works').acts).toEqual([tells('limit', 'works', '5')]);
    expect(play([{ name: 'D' }, ...type('one; two'), { name: 'enter' }], 'failed').acts).toEqual([
      { ...tells('split', 'failed', '--into', 'one', '--into', 'two'), draft: 'split failed' },
    ]);
  });

  it('keeps the text of a command until the run accepts it', () => {
    const hint = play([{ name: 'i' }, ...type('look at -x'), { name: 'enter' }], 'works').ui;
    const { ui } = play([{ name: 'D' }, ...type('one; two'), { name: 'enter' }], 'failed', hint);
    expect(play([{ name: 'i' }], 'works', ui).ui.prompt?.text).toBe('look at -x');
    expect(play([{ name: 'D' }], 'failed', ui).ui.prompt?.text).toBe('one; two');
    const accepted = { ...ui, drafts: withoutSent(ui.drafts, ui.drafts, 'hint works') };
    expect(play([{ name: 'i' }], 'works', accepted).ui.prompt?.text).toBe('');
    const cleared = play([{ name: 'i' }, { name: 'ctrl-u' }, { name: 'enter' }], 'works', ui);
    expect(cleared.acts).toEqual([]);
    expect(play([{ name: 'i' }], 'works', cleared.ui).ui.prompt?.text).toBe('');
  });

  it('says why a key does nothing now', () => {
    const { acts, ui } = play([{ name: 'u' }], 'works');
    expect([acts, ui.message]).toEqual([
      [],
      { text: expect.stringContaining('unblock does not apply'), refused: true },
    ]);
  });
});

describe('a draft that was sent', () => {
  const sent = { asks: draftOf('first'), other: draftOf('half') };

  it('is gone once the run has accepted it', () => {
    expect(withoutSent(sent, sent, 'asks')).toEqual({ other: draftOf('half') });
    const moved = { ...sent, asks: { text: 'first', cursor: 0 } };
    expect(withoutSent(moved, sent, 'asks')).toEqual({ other: draftOf('half') });
  });

  it('stays with what the person has typed since', () => {
    const since = { ...sent, asks: draftOf('first, and more') };
    expect(withoutSent(since, sent, 'asks')).toEqual(since);
  });
});

describe('keys of the run and the screen', () => {
  it('pauses at once, and stops only after y', () => {
    expect(play([{ name: 'P' }]).acts).toEqual([tells('pause')]);
    expect(play([{ name: 'S' }]).acts).toEqual([]);
    expect(play([{ name: 'S' }, { name: 'y' }]).acts).toEqual([tells('stop')]);
  });

  it.each([
    ['resume', 'pausing', 'running', ['pause', 'stop']],
    ['resume', 'paused', 'running', ['pause', 'stop']],
    ['pause', 'running', 'paused', ['resume', 'stop']],
    ['pause', 'running', 'running', ['pause', 'stop']],
    ['pause', 'running', 'running', ['resume', 'pause']],
  ] as const)('P means %s in state %s, with the last answer from state %s', (verb, state, answered, possible) => {
    const now = { ...model, state, live: { at: 0, state: answered, next: [], possible: [...possible] } };
    expect(press(initialUi(), { name: 'P' }, { ...seen('works'), model: now }).act).toEqual(tells(verb));
  });

  it('takes any command with quotes and completion', () => {
    expect(play([{ name: ':' }, ...type('slots 6'), { name: 'enter' }]).acts).toEqual([tells('slots', '6')]);
    expect(
      play([{ name: ':' }, ...type('retr'), { name: 'tab' }, ...type('fa'), { name: 'tab' }, { name: 'enter' }]).acts,
    ).toEqual([tells('retry', 'failed')]);
    expect(play([{ name: ':' }, ...type('hint works "two words"'), { name: 'enter' }]).acts).toEqual([
      tells('hint', 'works', 'two words'),
    ]);
    expect(completions({ model, commands }, 'mode s')).toEqual(['mode semi-auto', 'mode step']);
  });

  it('Tab offers the ideas that take the command, those that ask first, one after another', () => {
    const typed = completions({ model, commands }, 'answer ');
    expect(typed).toContain('answer asks');
    expect(typed[0]).toBe('answer asks');
    expect(typed).not.toContain('answer landed');
    expect(completions({ model, commands }, 'show ')).toContain('show landed');
    const { length } = completions({ model, commands }, 'hint ');
    expect(length).toBeGreaterThan(1);
    const tabs = (times: number): string =>
      play([{ name: ':' }, ...type('hint '), ...Array.from({ length: times }, () => ({ name: 'tab' }))]).ui.prompt
        ?.text ?? '';
    expect(tabs(2)).not.toBe(tabs(1));
    expect(tabs(length + 1)).toBe(tabs(1));
    // A key between them begins anew.
    expect(
      play([{ name: ':' }, ...type('hint '), { name: 'tab' }, ...type('x'), { name: 'tab' }]).ui.prompt?.text,
    ).toBe(`${tabs(1)}x`);
  });

  const line = (text: string) => play([{ name: ':' }, ...type(text), { name: 'enter' }]);

  it('Up brings the last command line back, also one that was refused', () => {
    for (const text of ["hint works use 'strict mode", 'top', 'slots 6']) {
      const { ui } = line(text);
      expect(ui.prompt).toBeUndefined();
      const again = play([{ name: ':' }, { name: 'up' }], 'works', ui).ui;
      expect(again.prompt).toMatchObject(draftOf(text));
      // What is typed is not lost for it.
      expect(play([{ name: ':' }, { name: 'x', text: 'x' }, { name: 'up' }], 'works', ui).ui.prompt?.text).toBe('x');
    }
  });

  it('the command line knows every command of the program: it completes it, or names what takes its place', () => {
    expect(commands.length).toBeGreaterThan(50);
    for (const { name } of commands) {
      const { acts, ui } = line(name);
      const instead = ui.message?.refused === true;
      expect([name, acts.length === 1 || ui.confirm !== undefined || instead]).toEqual([name, true]);
      const completed = completions({ model, commands }, name).includes(name);
      // A bare `worker` has a key; `worker --stop` is for the command line.
      expect([name, completed]).toEqual([name, !instead || name === 'worker']);
    }
    expect(completions({ model, commands }, 'reset la')).toEqual(['reset landed']);
    expect(completions({ model, commands }, 'triage a')).toEqual(['triage accept']);
  });

  it.each([
    'ledger',
    'ledger verify',
    'triage',
    'backlog',
    'convert --to ideas',
    'saves',
    'logs asks',
    'notify test',
    'warn works',
  ])('%s gets the terminal, so that its output can be read', (text) =>
    expect(line(text).acts).toEqual([{ do: 'lend', args: text.split(' '), read: true }]),
  );

  it.each(['retry --all-failed', 'limit --where timeout --by 3', 'start --dry-run', 'status --json', 'pause --help'])(
    '%s prints more than a sentence, and gets the terminal, too',
    (text) => expect(line(text).acts).toEqual([{ do: 'lend', args: text.split(' '), read: true }]),
  );

  it('an option before the command is refused, because the question before it would not be asked', () => {
    for (const text of ['--repo . abort', '-C . stop']) {
      expect(line(text).acts).toEqual([]);
      expect(line(text).ui.message).toMatchObject({ refused: true, text: expect.stringContaining('begin with') });
    }
  });

  it('start and run return at once', () => {
    expect(line('start --json').acts).toEqual([{ do: 'lend', args: ['start', '--json', '--detach'], read: true }]);
    expect(line('run github --max-waves 2').acts).toEqual([tells('run', 'github', '--max-waves', '2', '--detach')]);
    expect(line('start --detach').acts).toEqual([tells('start', '--detach')]);
  });

  it.each([
    ['abort', /end the run at once/],
    ['stop', /stop the run/],
    ['abandon failed', /give failed up/],
    ['abandon --all-failed', /give the ideas that you chose up/],
    ['skip --all-failed', /leave the ideas that you chose out of this run/],
    ['rollback landed', /take the commits of landed back off main/],
    ['cleanup failed', /save the worktree of failed/],
    ['retry failed --fresh', /save the work of failed/],
    ['reset --all --history', /the files of all runs go for good/],
  ])('%s asks first, as its key does', (text, question) => {
    const { acts, ui } = line(text);
    expect(acts).toEqual([]);
    expect(ui.confirm).toMatch(question);
    const sent = play([{ name: 'y' }], 'asks', ui).acts;
    expect(sent).toEqual([expect.objectContaining({ args: text.split(' ') })]);
    expect(play([{ name: 'n' }], 'asks', ui).acts).toEqual([]);
  });

  it.each(['q', 'ctrl-c', 'f10'])('%s leaves', (name) => {
    expect(play([{ name }]).acts).toEqual([{ do: 'leave' }]);
  });

  it('goes to screens and back', () => {
    const { ui } = play([{ name: '3' }, { name: '?' }, { name: '?' }, { name: 'esc' }]);
    expect(ui.screen).toBe('run');
    expect(play([{ name: 'n' }]).ui).toMatchObject({ screen: 'needs', selected: { needs: { id: 'asks' } } });
    expect(play([{ name: 'enter' }], 'works').ui).toMatchObject({ screen: 'idea', idea: 'works' });
  });

  it('moves by id and never off the list', () => {
    const { ui } = play([{ name: 'down' }], 'failed');
    expect(ui.selected.run?.id).toBe('failed');
    expect(play([{ name: 'up' }], 'works').ui.selected.run?.id).toBe('asks');
  });
});

it('no sequence of keys throws, tells the run unasked, or leaves a state that a key cannot leave', () => {
  const keys = fc.constantFrom(
    'a',
    'i',
    'p',
    'x',
    'r',
    'R',
    'X',
    '+',
    'D',
    ':',
    '/',
    'n',
    '?',
    '3',
    '2',
    'enter',
    'esc',
    'up',
    'down',
    'tab',
    'left',
    'right',
    '[',
    ']',
    'd',
    'z',
    't',
    'h',
    'l',
    'g',
    'G',
    'pagedown',
    'w',
    'f',
  );
  fc.assert(
    fc.property(
      fc.array(keys, { maxLength: 30 }),
      fc.constantFrom('asks', 'works', 'failed', 'landed', 'todo', 'gone'),
      (names, on) => {
        const { ui } = play(
          names.map((name) => (name.length === 1 ? { name, text: name } : { name })),
          on,
        );
        const out = play(
          Array.from({ length: 40 }, () => ({ name: 'esc' })),
          on,
          ui,
        );
        expect(out.ui).toMatchObject({ screen: 'run' });
        expect(out.acts).toEqual([]);
      },
    ),
  );
});

describe('typing', () => {
  it('never stands inside a character of the line above', () => {
    const draft = typed({ text: '👨‍👩‍👧\na', cursor: 10 }, { name: 'up' }, true);
    expect(draft?.cursor).toBe(0);
  });

  it('never breaks a character and never leaves the text', () => {
    const pieces = fc.constantFrom('a', 'ä', '👨‍👩‍👧', '界', '\n', ' ');
    const moves = fc.constantFrom(
      'left',
      'right',
      'up',
      'down',
      'home',
      'end',
      'backspace',
      'delete',
      'ctrl-w',
      'ctrl-k',
      'ctrl-u',
    );
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            pieces.map((text) => ({ name: text, text })),
            moves.map((name) => ({ name })),
          ),
          { maxLength: 40 },
        ),
        (keys) => {
          let draft = draftOf('');
          for (const key of keys) {
            draft = typed(draft, key, true) ?? draft;
            expect(draft.cursor).toBeGreaterThanOrEqual(0);
            expect(draft.cursor).toBeLessThanOrEqual(draft.text.length);
            expect(draft.text).toBe(Buffer.from(draft.text).toString());
          }
        },
      ),
    );
  });

  it('C5: takes no NUL and no escape sequence into an answer, however it comes: no program takes such an argument', () => {
    const paste = typed(draftOf('a'), { name: 'paste', text: 'b\u0000\u001b[31mc\r\nd' }, true);
    expect(paste).toEqual({ text: 'abc\nd', cursor: 5 });
    expect(typed(draftOf('a'), { name: 'ctrl-space', text: '\u0000' }, true)).toEqual({ text: 'a', cursor: 1 });
  });

  it('splits words as a shell would, and knows an open quote', () => {
    expect(splitWords('hint a "b c" \'d "e"\' f')).toEqual(['hint', 'a', 'b c', 'd "e"', 'f']);
    expect(splitWords('hint "open')).toBeUndefined();
  });
});
