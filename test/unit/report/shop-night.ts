/** The night of the design's report: 22:03 to 05:54, local times, so that the pictures hold in any zone. */
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import type { AgentSignal } from '../../../src/protocol/agent-run.js';
import type { RunEvent, StampedEvent } from '../../../src/protocol/events.js';
import type { Idea } from '../../../src/protocol/idea.js';
import { makeReport } from '../../../src/report/build.js';
import type { Extra } from '../../../src/report/extra.js';
import { foldNight, newNight } from '../../../src/report/night.js';
import type { Report } from '../../../src/report/schema.js';

export const clockAt = (time: string): number => {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  // From 24:00 on it is the next day.
  return new Date(2026, 10, 17, hour, minute).getTime();
};

export const idea = (id: string, title: string, more: Partial<Idea> = {}): Idea => ({
  ...{ id, title, text: '', blue: false, dependsOn: [], tags: [], done: false, ralph: true, success: [] },
  ...{ allowEmpty: false, source: { file: 'roadmap.md', line: 1 }, ...more },
});

const IDEAS: Idea[] = [
  idea('catalog', 'Catalogue of goods', { blue: true }),
  idea('auth', 'Logging in', { blue: true }),
  idea('db-001', 'Make the database schema for goods and prices', { parent: 'catalog' }),
  idea('login-001', 'Add a login page', { parent: 'auth' }),
  idea('search-001', 'Search goods by name, category and price range', { parent: 'catalog' }),
  idea('price-007', 'Round prices', { parent: 'catalog' }),
  idea('deploy-001', 'Deploy to the staging machine'),
  idea('help-001', 'Link the help page', { dependsOn: ['deploy-001'] }),
  idea('cache-001', 'Cache the front page'),
  idea('import-004', 'Import the suppliers', { parent: 'auth' }),
  idea('docs-001', '商品一覧のヘルプページを書く'),
];

export function shopNight(): StampedEvent[] {
  const events: StampedEvent[] = [];
  const at = (time: string, event: RunEvent): void => {
    events.push({ at: new Date(clockAt(time)).toISOString(), ...event });
  };
  const titles = new Map(IDEAS.map(({ id, title }) => [id, title]));
  const to = (
    time: string,
    id: string,
    status: Extract<RunEvent, { kind: 'idea' }>['status'],
    more: object = {},
  ): void => at(time, { kind: 'idea', idea: id, title: titles.get(id) ?? id, status, ...more });
  const run = (
    from: string,
    until: string,
    id: string,
    serial: number,
    signal: AgentSignal,
    more: object = {},
  ): void => {
    const agentName = id < 'f' ? 'ed-001' : 'ed-002';
    at(from, { kind: 'iteration', idea: id, serial, iteration: serial, max: 50, agentName, agent: 'claude' });
    const durationMs = clockAt(until) - clockAt(from);
    const end = { serial, iteration: serial, signal, outcome: 'ok' as const, durationMs, commits: 1 };
    at(until, { kind: 'iteration-end', idea: id, ...end, usage: { costUsd: 0.31, inputTokens: 9000 }, ...more });
  };
  const gate = (time: string, id: string, pass: boolean, more: object = {}): void =>
    at(time, {
      ...{
        kind: 'gate',
        idea: id,
        pass,
        durationMs: 60_000,
        tests: { passed: pass ? 6 : 5, failed: pass ? 0 : 1, skipped: 0, total: 6 },
      },
      ...(pass ? {} : { command: 'npm test', exitCode: 1, newTests: ['error › maps 404'] }),
      commands: [{ command: 'npm test', exitCode: pass ? 0 : 1, durationMs: 60_000 }],
      ...more,
    });
  const land = (time: string, id: string, commit: string): void => {
    gate(time, id, true, { merged: true, tests: { passed: 412, failed: 0, skipped: 0, total: 412 } });
    to(time, id, 'landed', { commit });
  };
  at('22:03', { kind: 'run', state: 'running', landed: 0, total: 9, mode: 'autopilot', slots: 2 });
  to('22:03', 'db-001', 'running', { agentName: 'ed-001' });
  run('22:03', '22:05', 'db-001', 1, { kind: 'progress', percent: 50 });
  run('22:05', '22:06', 'db-001', 2, { kind: 'complete' });
  gate('22:07', 'db-001', true, {
    flaky: ['npm test'],
    commands: [{ command: 'npm test', exitCode: 1, durationMs: 60_000, flakyTests: ['mail › sends'] }],
  });
  land('22:07', 'db-001', 'd'.repeat(40));
  to('22:03', 'login-001', 'running', { agentName: 'ed-002' });
  run('22:03', '22:04', 'login-001', 1, { kind: 'complete' });
  land('22:05', 'login-001', '1'.repeat(40));
  to('22:10', 'search-001', 'running', { agentName: 'ed-002' });
  run('22:10', '22:40', 'search-001', 1, { kind: 'progress', percent: 60 }, { words: 'The order is kept.' });
  at('22:41', {
    kind: 'command',
    verb: 'hint',
    idea: 'search-001',
    text: 'keep the order',
    by: 'cli',
    done: 'goes into its next prompt',
  });
  run('22:42', '23:05', 'search-001', 2, { kind: 'complete' });
  gate('23:06', 'search-001', true, { tripwires: ['test/search.test.ts: 1 test is newly skipped'] });
  to('23:06', 'search-001', 'needs-human', { approval: true, reason: 'check this before it lands' });
  at('24:41', { kind: 'command', verb: 'approve', idea: 'search-001', by: 'cli', done: 'lands' });
  to('24:41', 'search-001', 'landing');
  land('24:42', 'search-001', '5'.repeat(40));
  to('25:00', 'price-007', 'running', { agentName: 'ed-002' });
  const question = 'Round half up or half even?\n\n  a) half up\n  b) half even';
  run('25:01', '25:12', 'price-007', 1, { kind: 'needs-human', question });
  at('25:12', { kind: 'asks', idea: 'price-007', asking: 'question', question });
  to('25:12', 'price-007', 'needs-human', { reason: 'Round half up or half even?…' });
  at('25:10', {
    kind: 'account',
    account: { key: 'openai', agents: ['codex'], state: 'parked', kind: 'limited', reason: 'usage limit' },
  });
  at('25:11', { kind: 'agent', idea: 'cache-001', agent: 'claude', before: 'codex' });
  at('27:00', { kind: 'account', account: { key: 'openai', agents: ['codex'], state: 'open' } });
  to('23:10', 'deploy-001', 'running', { agentName: 'ed-001' });
  run('23:10', '23:12', 'deploy-001', 1, { kind: 'blocked', reason: 'the deploy key is not available' });
  to('23:12', 'deploy-001', 'blocked', { reason: 'the deploy key is not available' });
  to('24:00', 'cache-001', 'running', { agentName: 'ed-001' });
  for (const serial of [1, 2, 3]) {
    run(`2${3 + serial}:00`, `2${3 + serial}:20`, 'cache-001', serial, { kind: 'progress', percent: 60 });
    gate(`2${3 + serial}:22`, 'cache-001', false);
  }
  to('26:23', 'cache-001', 'timeout', { reason: '3 of 3 iterations used' });
  to('28:00', 'import-004', 'running', { agentName: 'ed-002', retries: 2 });
  run('28:00', '28:01', 'import-004', 1, { kind: 'none' }, { outcome: 'failed', message: 'exit code 3' });
  to('28:01', 'import-004', 'failed', { reason: 'exit code 3: no such file suppliers.xlsx', retries: 2 });
  at('29:54', { kind: 'run', state: 'completed', landed: 3, total: 9 });
  return events.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

export function reportOf(
  events: readonly StampedEvent[],
  more: Partial<Extra> = {},
  ideas: readonly Idea[] = IDEAS,
  /** What has happened since. */
  since: (model: RunModel) => void = () => {},
): Report {
  const model = newModel({ project: 'shop-1', runId: '20261117-220300', name: 'shop', target: 'main' }, ideas);
  const night = newNight();
  for (const event of events) {
    fold(model, event);
    foldNight(night, event);
  }
  since(model);
  const lines = new Map(
    [...'d15'].map((sign, n) => [
      ['db-001', 'login-001', 'search-001'][n] ?? '',
      { added: 120 - n, deleted: 3, commits: 1, first: sign.repeat(40), before: '7'.repeat(40), to: sign.repeat(40) },
    ]),
  );
  const earlier = [
    { runId: 'b', open: new Map([['deploy-001', 'blocked']]) },
    {
      runId: 'a',
      open: new Map([
        ['deploy-001', 'blocked'],
        ['price-007', 'failed'],
      ]),
    },
  ];
  const extra = { now: clockAt('31:00'), zone: 'Europe/Berlin', over: true, night, lines, earlier };
  return makeReport(model, { ...extra, branchOf: (id) => `ralph/${id}`, ...more });
}
