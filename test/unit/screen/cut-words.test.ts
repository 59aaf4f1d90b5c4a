/** Texts that the screen cut without a sign, or told wrongly, once. Features: G1 G4 G5 G6. */
import { describe, expect, it } from 'vitest';
import { fold, newModel } from '../../../src/model/fold.js';
import { compose } from '../../../src/screen/compose.js';
import { draftOf } from '../../../src/screen/control/typing.js';
import { type Details, noDetails } from '../../../src/screen/details.js';
import { pageIdea } from '../../../src/screen/idea/page-idea.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { timeToGo } from '../../../src/screen/text/time.js';
import { initialUi, type Ui } from '../../../src/screen/ui.js';
import { pastDetails } from './past.js';
import { idea, NOW, Story, searchDetails, shop } from './shop.js';

const draw = (ui: Partial<Ui>, details: Details = noDetails(), model = shop(), columns = 80, rows = 24): string[] =>
  compose(model, { ...initialUi(), ...ui }, details, { columns, rows }, { colour: true, ascii: false }, NOW).lines.map(
    plainLine,
  );

const STACK = [
  'agent: mine ended with exit code 1: node:internal/modules/run_main:123',
  '    triggerUncaughtException(',
  '    ^',
  '',
  "[Error: ENOENT: no such file or directory, open 'test/parse_001.test.js'] {",
  '  errno: -2',
].join('\n');

function crashed() {
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a-1', 'A')]);
  const story = new Story(model).starts('23:01', 'a-1', 1).begins('23:01', 'a-1', 1, 30);
  story.ends('23:02', 'a-1', 1, { kind: 'none' }, 1, { outcome: 'failed', message: STACK });
  story.at('23:03', { kind: 'idea', idea: 'a-1', title: 'A', status: 'failed', reason: STACK }).tell();
  const stream = [{ text: '→ edit x' }];
  const told = {
    id: 'a-1',
    serial: 1,
    stream,
    lastWords: 'I read the task of the whole file and begin with its first part now',
  };
  return { model, details: { ...noDetails(), idea: told } };
}

it('the card of a failed idea has the cause, or says how many lines more there are', () => {
  const { model, details } = crashed();
  const ui: Partial<Ui> = { screen: 'idea', idea: 'a-1', tab: 'task' };
  const wide = draw(ui, details, model, 120, 40).join('\n');
  expect(wide).toContain('ENOENT');
  expect(wide).toMatch(/Last words: "I read the task/);
  expect(draw(ui, details, model).join('\n')).toMatch(/… \d more lines: ralphctl why a-1/);
});

it('Agent ends with the error that ended the agent', () => {
  const { model, details } = crashed();
  expect(draw({ screen: 'idea', idea: 'a-1', tab: 'agent' }, details, model, 120, 40).join('\n')).toMatch(
    /→ edit x[\s\S]*✗ agent: mine/,
  );
});

it('the foot of Agent stands apart from the words of the agent', () => {
  expect(draw({ screen: 'idea', idea: 'search-001' }, searchDetails()).join('\n')).toContain('─ 38 tool calls');
});

it('History of the last visit says of when it is', () => {
  const details = pastDetails();
  const at = (ms: number): Details => ({ ...details, history: { ...(details.history ?? { runs: [] }), at: NOW - ms } });
  for (const columns of [80, 120]) {
    expect(draw({ screen: 'history' }, at(1000), shop(), columns, 40)[0]).not.toContain('as of');
    expect(draw({ screen: 'history' }, at(20 * 60_000), shop(), columns, 40)[0]).toContain('as of 23:22, loading …');
  }
  const over = shop();
  fold(over, { at: new Date(NOW).toISOString(), kind: 'run', state: 'stopped', landed: 11, total: 24 });
  over.runId = 'r5';
  expect(draw({ screen: 'history' }, at(1000), over)[0]).toContain('loading …');
});

it('the time to go ends at a bound, and names itself in every width', () => {
  const done = [60_000, 60_000, 60_000, 60_000, 60_000];
  expect([timeToGo(done, 1, 2), timeToGo(done, 20, 1)]).toEqual(['under 5m', 'about 20m']);
  for (let columns = 60; columns < 120; columns += 1)
    for (const row of draw({}, noDetails(), shop(), columns).slice(2, 3))
      if (/\d+m/.test(row)) expect(row).toContain('to go');
});

it('the selected line of the log keeps its columns', () => {
  const model = shop();
  const chosen = draw({ screen: 'log', follow: false, find: 'landed' }, noDetails(), model, 120, 40);
  expect(chosen.filter((row) => row.includes('landed 3d6d44a7   Add a login page'))).toHaveLength(1);
});

it('the input line has its `…` where it is cut', () => {
  const text = `${'a'.repeat(100)} END`;
  const prompt = { kind: 'text' as const, label: 'hint for a-1', ...draftOf(text) };
  const at = (cursor: number): string =>
    draw({ prompt: { ...prompt, cursor } })
      .at(-2)
      ?.trimEnd() ?? '';
  expect(at(text.length)).toMatch(/^ hint for a-1: …a+ END$/);
  expect(at(0)).toMatch(/^ hint for a-1: a+…$/);
});

describe('a text that is cut ends with its sign', () => {
  const WORDS = Array.from({ length: 120 }, (_, n) => `word${n}`).join(' ');
  const page = (event: object, more: object = {}, columns = 80, rows = 24): string => {
    const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a-1', 'A')]);
    new Story(model)
      .at('23:00', { kind: 'run', state: 'running', landed: 0, total: 1 })
      .starts('23:01', 'a-1', 1)
      .at('23:03', { kind: 'idea', idea: 'a-1', title: 'A', ...event } as never)
      .tell();
    Object.assign(model.ideas.get('a-1') ?? {}, more);
    return draw({ screen: 'idea', idea: 'a-1', tab: 'task' }, noDetails(), model, columns, rows).join('\n');
  };
  const whole = (lines: string): void => {
    expect(lines).toContain('word0 ');
    expect(lines).not.toContain('word119');
    // The row with the last word that is shown.
    const last = lines.split('\n').findLast((row) => /\bword\d/.test(row));
    expect(last?.replace(/[ │]+$/, '')).toMatch(/…$/);
  };

  it.each([
    ['timed out', { status: 'timeout', reason: WORDS }, {}],
    ['paused', { status: 'paused', reason: WORDS }, {}],
    ['an idea that waits', { status: 'pending', reason: WORDS }, { held: true }],
    ['taken off', { status: 'pending', reason: WORDS }, { off: { landed: 'abc', text: WORDS } }],
    ['taken off while it runs', { status: 'landed', reason: WORDS, commit: 'abc' }, { reverted: { text: WORDS } }],
    ['a warning', { status: 'running' }, { warnings: [{ kind: 'stuck', text: WORDS, since: 0 }] }],
  ])('G4: on the card of %s', (_, event, more) => whole(page(event, more)));

  it('G1: where an idea stands, and in a line of the log that is wrapped', () => {
    const said = [{ at: 0, verb: 'hint', text: WORDS }];
    whole(page({ status: 'failed', reason: 'no' }, { said }, 120, 40));
    const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a-1', 'A')]);
    new Story(model).at('23:03', { kind: 'idea', idea: 'a-1', title: 'A', status: 'failed', reason: WORDS }).tell();
    const [event] = model.log;
    whole(draw({ screen: 'log', follow: false, wrap: true, find: 'word' }, noDetails(), model).join('\n'));
    expect(event?.kind).toBe('idea');
  });

  it('G1: a list of ideas says that there are more', () => {
    const others = Array.from({ length: 14 }, (_, n) => `other-${n}`);
    const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [
      ...others.map((id) => idea(id, id)),
      idea('a-1', 'A', { dependsOn: others }),
      ...others.map((id) => idea(`on-${id}`, id, { dependsOn: ['a-1'] })),
    ]);
    const lines = draw({ screen: 'idea', idea: 'a-1', tab: 'task' }, noDetails(), model, 160, 50).join('\n');
    expect(lines).toMatch(/on-other-4, …/);
    expect(lines).toMatch(/other-9, …/);
  });
});

it('an idea that landed in an earlier run keeps its success criteria', () => {
  const model = newModel(
    { project: 'p', runId: 'r', name: 'shop', target: 'main' },
    [idea('a-1', 'A', { success: ['it works'] })],
    new Set(['a-1']),
  );
  const before = { runId: 'r0', startedAt: 0, idea: crashed().model.ideas.get('a-1') as never };
  const details = { ...noDetails(), idea: { id: 'a-1', before } };
  expect(pageIdea({ model, details, ui: { ...initialUi(), screen: 'idea', idea: 'a-1' } })?.success).toEqual([
    'it works',
  ]);
});

it('a run that waits for a review says so where nobody else is waited for', () => {
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a-1', 'A')]);
  Object.assign(model, { state: 'paused', review: true });
  const lines = draw({}, noDetails(), model).join('\n');
  expect(lines).toContain('Needs you 1');
  expect(lines).toMatch(/! run +review +ideas failed one after another; V goes on/);
});

it('the first line of a run that is over has its cost once', () => {
  const model = shop();
  fold(model, { at: new Date(NOW).toISOString(), kind: 'run', state: 'stopped', landed: 11, total: 24 });
  expect(draw({}, noDetails(), model, 120, 40)[0]?.match(/of \$20/g)).toHaveLength(1);
});

it('cells that are free show what was cut beside them', () => {
  const long = 'a-very-long-identifier-for-one-idea';
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [
    idea('a-1', 'A'),
    idea(long, 'B'),
  ]);
  const story = new Story(model);
  story.at('23:03', { kind: 'idea', idea: 'a-1', title: 'A', status: 'failed', reason: 'no' }).tell();
  story.at('23:04', { kind: 'run', state: 'stopped', landed: 0, total: 2 }).tell();
  Object.assign(model.ideas.get('a-1') ?? {}, { forNext: { queued: true, words: ['retry'] } });
  const ui: Partial<Ui> = { screen: 'ideas', tree: false };
  const wide = draw(ui, noDetails(), model, 120).join('\n');
  expect(wide).toContain(long);
  expect(wide).toMatch(/A +queued for the next start {2}failed/);
  expect(draw(ui, noDetails(), model, 60).join('\n')).toMatch(/failed {4}next: queued/);
});

it('the slots of a narrow screen show a long id whole, where nothing needs its cells', () => {
  const long = 'a-rather-long-idea';
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea(long, 'B')]);
  const story = new Story(model);
  story.at('23:03', { kind: 'idea', idea: long, title: 'B', status: 'running', agentName: 'ed-001' }).tell();
  story.starts('23:03', long, 1).begins('23:03', long, 1, 30);
  expect(draw({}, noDetails(), model, 90).join('\n')).toContain(` ${long} `);
});

it('History says how many ideas did not land that it does not list, and in which state', () => {
  const details = pastDetails();
  const runs = (details.history?.runs ?? []).map((run) =>
    run.runId === 'r4' ? { ...run, notLanded: (run.open?.length ?? 0) + 9, rest: { ready: 8, after: 1 } } : run,
  );
  const now = { ...details, history: { ...details.history, runs } };
  const ui: Partial<Ui> = { screen: 'history', selected: { history: { id: 'r4' } } };
  for (const columns of [80, 120])
    expect(draw(ui, now, shop(), columns, 40).join('\n')).toMatch(/… \d+ more: 8 ready, 1 after/);
});

it.each([80, 120])(
  'G8: a single row more has its own line in a list that is cut (issue 12), at %i columns',
  (columns) => {
    const details = pastDetails();
    const open = (count: number): string => {
      const one = { state: 'failed' as const, reason: 'exit code 3', since: 'not yet' };
      const ideas = Array.from({ length: count }, (_, at) => ({ ...one, id: `o-${at + 1}` }));
      const runs = (details.history?.runs ?? []).map((run) => ({ ...run, open: ideas, notLanded: count, done: [] }));
      const ui: Partial<Ui> = { screen: 'history', selected: { history: { id: 'r4' } } };
      return draw(ui, { ...details, history: { ...details.history, runs } }, shop(), columns, 40).join('\n');
    };
    const most = columns === 80 ? 6 : 8;
    expect(open(most + 1)).toContain(`o-${most + 1} `);
    expect(open(most + 1)).not.toMatch(/… \d+ more/);
    expect(open(most + 2)).not.toContain(`o-${most + 1} `);
    expect(open(most + 2)).toContain('… 2 more');
  },
);

it('A4 G8: an epic with a single child more than its card shows has a line for it (issue 12)', () => {
  const card = (count: number): string => {
    const ids = Array.from({ length: count }, (_, at) => `e-${at + 1}`);
    const children = ids.map((id) => ({ ...idea(id, `Title of ${id}`), parent: 'epic' }));
    const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [
      idea('epic', 'All of it', { blue: true }),
      ...children,
    ]);
    return draw({ screen: 'idea', idea: 'epic', tab: 'task' }, noDetails(), model, 120, 40).join('\n');
  };
  expect(card(9)).toContain('Title of e-9');
  expect(card(9)).not.toContain('more idea');
  expect(card(10)).not.toContain('Title of e-9');
  expect(card(10)).toContain('… 2 more ideas: ralphctl show epic');
});

it('History shows ids whole where the columns allow it, and a run that did not land all as no success', () => {
  const details = pastDetails();
  const long = 'checkout-payment-07';
  const runs = (details.history?.runs ?? []).map((run) =>
    run.runId === 'r4'
      ? {
          ...run,
          open: (run.open ?? []).map((one) => ({ ...one, id: long })),
          done: (run.done ?? []).map((one) => ({ ...one, id: `${long}-d` })),
        }
      : run,
  );
  const now = { ...details, history: { ...details.history, runs } };
  const ui: Partial<Ui> = { screen: 'history', selected: { history: { id: 'r4' } } };
  for (const columns of [80, 120, 160]) {
    const text = draw(ui, now, shop(), columns, 40).join('\n');
    expect(text).toContain(` ${long} `);
    expect(text).toMatch(/! completed/);
    expect(text).not.toMatch(/✓ completed/);
  }
  expect(draw(ui, now, shop(), 120, 40).join('\n')).toContain(` ${long}-d `);
});

it('an answer is told with its question', () => {
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a-1', 'A')]);
  const story = new Story(model).starts('23:01', 'a-1', 1).begins('23:01', 'a-1', 1, 30);
  story.ends('23:02', 'a-1', 1, { kind: 'needs-human', question: 'Which port?' }, 1);
  story.at('23:02', { kind: 'idea', idea: 'a-1', title: 'A', status: 'needs-human', reason: 'Which port?' }).tell();
  story.at('23:05', { kind: 'answered', idea: 'a-1', text: '8080', by: 'cli' }).tell();
  expect(model.ideas.get('a-1')?.said).toMatchObject([{ verb: 'answer', question: 'Which port?', text: '8080' }]);
  const said = model.ideas.get('a-1')?.said ?? [];
  const details = { ...noDetails(), idea: { id: 'a-1', saidBefore: [{ runId: 'r0', said }] } };
  expect(draw({ screen: 'idea', idea: 'a-1', tab: 'said' }, details, model, 120).join('\n')).toMatch(
    /in run r0[\s\S]*\? Which port\?[\s\S]*8080/,
  );
});
