/** The run of the pictures in the design: `shop`, at 23:42. All times are local, so that the pictures hold in any zone. */
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import type { AgentSignal } from '../../../src/protocol/agent-run.js';
import type { RunEvent, StampedEvent } from '../../../src/protocol/events.js';
import type { Idea } from '../../../src/protocol/idea.js';
import { type Details, noDetails } from '../../../src/screen/details.js';

export const clockAt = (time: string, seconds = 0): number => {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return new Date(2026, 10, 21, hour, minute, seconds).getTime();
};
export const NOW = clockAt('23:42');

export const idea = (id: string, title: string, more: Partial<Idea> = {}): Idea => ({
  id,
  title,
  text: '',
  blue: false,
  dependsOn: [],
  tags: [],
  done: false,
  ralph: true,
  success: [],
  allowEmpty: false,
  source: { file: 'roadmap.md', line: 1 },
  ...more,
});

const LONG =
  'Which second factor should be asked for: one-time codes from an app (TOTP), or a mail with a link? The app needs a new table; the mail needs an SMTP server that staging does not have.';

const DONE = ['index-001', 'mail-001', 'cart-001', 'tax-001', 'logo-001', 'seo-001', 'api-001', 'pay-001', 'ship-001'];

const BACKLOG: Idea[] = [
  idea('catalog', 'Catalogue of goods', { blue: true }),
  idea('search-001', 'Search goods by name, category and price range, with umlauts (Äpfel, Öl)', {
    parent: 'catalog',
    dependsOn: ['list-001'],
  }),
  idea('db-001', 'Make the database schema for goods and prices', { parent: 'catalog' }),
  idea('list-001', 'List goods page by page', { parent: 'catalog' }),
  idea('auth', 'Logging in', { blue: true }),
  idea('mfa-001', 'Ask for a second factor at login', { parent: 'auth' }),
  idea('login-001', 'Add a login page', { parent: 'auth' }),
  idea('session-001', 'Keep a session in a cookie', { parent: 'auth', dependsOn: ['db-001'] }),
  idea('logout-001', 'Add a logout button that ends the session', {
    parent: 'auth',
    dependsOn: ['session-001', 'mfa-001'],
  }),
  idea('ops', 'Running it', { blue: true }),
  idea('deploy-001', 'Deploy to the staging machine', { parent: 'ops' }),
  idea('cache-001', 'Cache the front page', { parent: 'ops' }),
  idea('stuck-001', 'Find out why the nightly export is empty', { parent: 'ops' }),
  idea('price-001', 'Round prices to cents everywhere'),
  idea('migrate-001', 'Migrate the old orders', { parent: 'ops' }),
  idea('docs-001', '商品一覧のヘルプページを書く'),
  idea('audit-001', 'Write the audit log'),
  idea('help-001', 'Link the help page', { dependsOn: ['docs-001', 'mfa-001'] }),
  ...DONE.map((id) => idea(id, `Part ${id}`)),
];

/** Events in any order; `tell` folds them in the order of their times. */
export class Story {
  readonly #events: StampedEvent[] = [];
  readonly #slots = new Map<string, string>();
  constructor(readonly model: RunModel) {}

  at(time: string, event: RunEvent, seconds = 0): this {
    this.#events.push({ at: new Date(clockAt(time, seconds)).toISOString(), ...event });
    return this;
  }

  tell(): void {
    this.#events.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
    for (const event of this.#events) fold(this.model, event);
  }

  starts(time: string, id: string, slot: number): this {
    const { title } = this.model.ideas.get(id) ?? { title: id };
    this.#slots.set(id, `ed-00${slot}`);
    return this.at(time, { kind: 'idea', idea: id, title, status: 'running', agentName: `ed-00${slot}` });
  }

  begins(time: string, id: string, number: number, max: number, more: object = {}, seconds = 0): this {
    const event: RunEvent = {
      kind: 'iteration',
      idea: id,
      serial: number,
      iteration: number,
      max,
      agentName: this.#slots.get(id) ?? 'ed-001',
      agent: 'claude',
      model: 'opus',
      ...more,
    };
    return this.at(time, event, seconds);
  }

  ends(time: string, id: string, number: number, signal: AgentSignal, minutes: number, more: object = {}): this {
    return this.at(time, {
      kind: 'iteration-end',
      idea: id,
      serial: number,
      iteration: number,
      signal,
      outcome: 'ok',
      durationMs: minutes * 60_000,
      commits: 1,
      ...more,
    });
  }

  gate(time: string, id: string, passed: number, total: number, more: object = {}): this {
    const pass = passed === total;
    return this.at(time, {
      kind: 'gate',
      idea: id,
      pass,
      ...(pass ? {} : { command: 'npm test', exitCode: 1 }),
      tests: { passed, failed: total - passed, skipped: 0, total },
      durationMs: 48_000,
      ...more,
    });
  }

  becomes(
    time: string,
    id: string,
    status: 'landing' | 'landed' | 'blocked' | 'timeout' | 'needs-human',
    more: object = {},
  ): this {
    const { title } = this.model.ideas.get(id) ?? { title: id };
    return this.at(time, { kind: 'idea', idea: id, title, status, ...more });
  }
}

const cost = (costUsd: number, inputTokens = 0, outputTokens = 0) => ({
  usage: { costUsd, inputTokens, outputTokens },
});

export function shop(): RunModel {
  const model = newModel(
    { project: 'shop-1', runId: '20261121-220000', name: 'shop', target: 'main', startedAt: clockAt('22:00') },
    BACKLOG,
  );
  const story = new Story(model);
  story.at('22:00', { kind: 'run', state: 'running', landed: 0, total: 24, mode: 'autopilot', slots: 4 });
  for (const [index, id] of DONE.entries()) {
    story.starts('22:01', id, (index % 4) + 1);
    story.begins('22:01', id, 1, 50);
    story.ends('22:17', id, 1, { kind: 'complete' }, 15, index === 0 ? {} : cost(0.05, 120_000, 1000));
    story.gate('22:18', id, 2, 2, { durationMs: 60_000 });
    story.becomes('22:19', id, 'landed', { commit: `${index}aaaaaaaaa` });
  }
  story.starts('22:30', 'deploy-001', 1).begins('22:30', 'deploy-001', 1, 50);
  story.ends(
    '22:39',
    'deploy-001',
    1,
    { kind: 'blocked', reason: 'Cannot reach staging - the deploy key is not available in this environment' },
    9,
    cost(0.04),
  );
  story.becomes('22:40', 'deploy-001', 'blocked', {
    reason: 'Cannot reach staging - the deploy key is not available in this environment',
  });
  story.starts('22:20', 'cache-001', 2);
  for (const n of [1, 2, 3]) {
    story.begins(`22:${20 + n * 10}`, 'cache-001', n, 3);
    story.ends(`22:${23 + n * 10}`, 'cache-001', n, { kind: 'progress', percent: 60 }, 3, cost(0.1));
  }
  story.gate('22:53', 'cache-001', 4, 6);
  story.becomes('22:54', 'cache-001', 'timeout', { reason: '3 iterations are used up' });
  story.starts('22:58', 'search-001', 1);
  const said: [number, string, number, AgentSignal][] = [
    [1, '22:58', 6, { kind: 'progress', percent: 10 }],
    [2, '23:05', 8, { kind: 'progress', percent: 25 }],
    [3, '23:15', 7, { kind: 'none' }],
    [4, '23:22', 9, { kind: 'progress', percent: 60 }],
  ];
  for (const [number, time, minutes, signal] of said) {
    story.begins(time, 'search-001', number, 8, number < 3 ? { agent: 'codex', model: undefined } : {});
    const [hour, minute] = time.split(':').map(Number);
    story.ends(
      `${hour}:${(minute ?? 0) + minutes}`,
      'search-001',
      number,
      signal,
      minutes,
      cost(0.1025, 475_000, 10_250),
    );
    if (number === 2) {
      story.at('23:13', {
        kind: 'parked',
        idea: 'search-001',
        trouble: { kind: 'limited', agent: 'codex', message: 'limit of codex' },
      });
      story.at('23:13', {
        kind: 'account',
        account: {
          key: 'codex:1',
          agents: ['codex'],
          state: 'parked',
          kind: 'limited',
          until: clockAt('24:10'),
          since: clockAt('23:13'),
        },
      });
      story.at('23:14', { kind: 'agent', idea: 'search-001', agent: 'claude', before: 'codex' });
      story.starts('23:14', 'search-001', 1);
    }
  }
  story.gate('23:31', 'search-001', 4, 6, {
    commands: [
      { command: 'npm run lint', exitCode: 0, durationMs: 2000 },
      { command: 'npm test', exitCode: 1, durationMs: 48_000, tests: { passed: 4, failed: 2, skipped: 0, total: 6 } },
    ],
    newTests: ['search › finds Äpfel', 'search › keeps the order'],
  });
  story.at('23:36', {
    kind: 'command',
    verb: 'hint',
    idea: 'search-001',
    text: 'keep the order of the old search',
    by: 'cli',
    done: 'search-001 has your hint',
  });
  story.starts('23:28', 'mfa-001', 3).begins('23:28', 'mfa-001', 1, 50);
  story.ends('23:30', 'mfa-001', 1, { kind: 'needs-human', question: LONG }, 2, { ...cost(0.05), commits: 0 });
  story.at('23:30', { kind: 'asks', idea: 'mfa-001', asking: 'question', question: LONG });
  story.becomes('23:30', 'mfa-001', 'needs-human', {
    reason: `${LONG.slice(0, 90)}…`,
    question: LONG,
    asking: 'question',
  });
  story.starts('23:24', 'session-001', 4).begins('23:24', 'session-001', 1, 50);
  story.ends('23:29', 'session-001', 1, { kind: 'complete' }, 5, cost(0.2));
  story.gate('23:30', 'session-001', 8, 8);
  story.becomes('23:30', 'session-001', 'landing');
  story.starts('23:20', 'list-001', 2).begins('23:20', 'list-001', 1, 50);
  story.ends('23:30', 'list-001', 1, { kind: 'complete' }, 5, cost(0.2));
  story.at('23:33', { kind: 'bounced', idea: 'list-001', why: 'conflict in src/list.ts' });
  story.becomes('23:34', 'list-001', 'landing');
  story.starts('23:33', 'db-001', 3);
  story.begins('23:33', 'db-001', 1, 50).ends('23:35', 'db-001', 1, { kind: 'none' }, 2, cost(0.15));
  story.begins('23:35', 'db-001', 2, 50).ends('23:37', 'db-001', 2, { kind: 'complete' }, 2, cost(0.16));
  story.gate('23:37', 'db-001', 8, 8);
  story.becomes('23:37', 'db-001', 'landed', { commit: '82fe721e99' });
  story.starts('23:38', 'login-001', 3).begins('23:38', 'login-001', 1, 50);
  story.ends('23:39', 'login-001', 1, { kind: 'complete' }, 1, cost(0.12));
  story.at('23:38', { kind: 'agent', idea: 'search-001', agent: 'claude', before: 'codex' });
  story.begins('23:39', 'search-001', 5, 8);
  story.becomes('23:40', 'login-001', 'landed', { commit: '3d6d44a799' });
  working(story);
  story.tell();
  model.budget = [
    { scope: 'run', dimension: 'dollars', used: 4.1, most: 20, unknown: 0 },
    { scope: 'day', dimension: 'dollars', used: 11.9, most: 40, unknown: 0 },
  ];
  model.live = {
    state: 'running',
    at: NOW,
    next: ['docs-001', 'audit-001'],
    scores: { 'docs-001': 30, 'audit-001': 20, 'search-001': 20 },
    mode: 'autopilot',
  };
  return model;
}

function working(story: Story): void {
  story.starts('23:33', 'stuck-001', 2);
  for (const n of [1, 2, 3]) {
    story.begins(`23:3${n + 3}`, 'stuck-001', n, 12);
    story.ends(`23:3${n + 4}`, 'stuck-001', n, { kind: 'none' }, 1, { ...cost(0.3), commits: 0 });
  }
  story.at('23:37', {
    kind: 'warning',
    idea: 'stuck-001',
    warning: 'stuck',
    text: 'the last 3 iterations made no progress; it was asked for another way',
  });
  story.begins('23:41', 'stuck-001', 4, 12);
  story.starts('23:36', 'price-001', 3);
  story.begins('23:36', 'price-001', 1, 50).ends('23:39', 'price-001', 1, { kind: 'complete' }, 3, cost(0.11));
  story.gate('23:40', 'price-001', 5, 6);
  story.begins('23:40', 'price-001', 2, 50, {}, 10).ends('23:41', 'price-001', 2, { kind: 'complete' }, 1, cost(0.11));
  story.starts('23:36', 'migrate-001', 4);
  for (const n of [1, 2]) {
    story.begins(`23:3${n + 5}`, 'migrate-001', n, 50);
    story.ends(`23:3${n + 6}`, 'migrate-001', n, { kind: 'complete' }, 1, { ...cost(0.175), commits: n });
  }
  story.gate('23:38', 'migrate-001', 12, 12);
  story.at('23:41', { kind: 'landing', idea: 'session-001' }, 15);
  story.at(
    '23:41',
    { kind: 'gate-start', idea: 'session-001', command: 'npm test', number: 1, of: 1, merged: true },
    20,
  );
  story.begins('23:41', 'migrate-001', 3, 50, { step: { number: 3, of: 4, id: 'write', phase: 'Write' } }, 40);
  story.at('23:41', { kind: 'gate-start', idea: 'price-001', command: 'npm test', number: 1, of: 1 }, 55);
}

export const shopDetails = (): Details => ({
  ...noDetails(),
  nowOf: new Map([
    ['search-001', 'Edit src/search/index.ts'],
    ['stuck-001', 'Read src/export.ts'],
    ['migrate-001', 'thinking'],
  ]),
});

/** What files tell of the page of search-001. */
export const searchDetails = (): Details => ({
  ...shopDetails(),
  idea: {
    id: 'search-001',
    serial: 5,
    outputOf: '4',
    stream: [
      { at: clockAt('23:39'), text: 'session with claude-opus' },
      {
        at: clockAt('23:39'),
        text: 'The umlauts fail because the index is built before the words are normalised; the query is normalised, the index is not.',
      },
      { at: clockAt('23:39'), text: '→ Read src/search/index.ts' },
      { at: clockAt('23:40'), text: '→ Grep "normalize" src/' },
      { at: clockAt('23:40'), text: '→ Edit src/search/index.ts' },
      { at: clockAt('23:41'), text: '→ Bash npm test -- search' },
      { at: clockAt('23:41'), text: '✗ Bash failed with exit code 1: 2 failing' },
      {
        at: clockAt('23:41'),
        text: 'Two tests expect the old order; I look at whether they are right before I change them.',
      },
      { at: clockAt('23:41'), text: '→ Read test/search.test.ts' },
      { at: clockAt('23:42'), text: '→ Edit src/search/order.ts' },
    ],
    toolCalls: 38,
    tokensIn: 412_000,
    tokensOut: 9100,
    lastSign: NOW - 4000,
    lastCommit: NOW - 9 * 60_000,
    changed: { files: 7, added: 212, deleted: 38 },
    iterationLimitMs: 30 * 60_000,
    ideaLimitMs: 90 * 60_000,
    why: { score: 20, parts: [{ label: 'parent 3/4 done', value: 20 }], waitsFor: [] },
    diff: {
      base: '3d6d44a799',
      files: [
        { path: 'src/search/index.ts', added: 120, deleted: 20 },
        { path: 'src/search/order.ts', added: 31, deleted: 8 },
        { path: 'test/search.test.ts', added: 40, deleted: 0, look: '1 test newly skipped' },
      ],
      file: 'src/search/index.ts',
      lines: [
        '@@ -12,7 +12,9 @@ export function index(goods: Goods[]) {',
        '-  for (const one of goods) add(one.name, one.id);',
        '+  for (const one of goods) add(normalise(one.name), one.id);',
      ],
    },
    gateOutput: {
      total: 1204,
      lines: ['not ok 5 - search › finds Äpfel', '  expected: ["Äpfel"]', '  actual:   []'],
    },
  },
});

export const mfaDetails = (): Details => ({
  ...shopDetails(),
  idea: {
    id: 'mfa-001',
    serial: 1,
    filesRead: 12,
    lastWords:
      'I looked at how login works today. Both ways are possible; they exclude each other. The app means one table and a page to enrol; the mail means a queue and templates in four languages.\n<ralph nonce="x1">NEEDS_HUMAN: Which?</ralph>',
  },
});
