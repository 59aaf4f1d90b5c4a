/** The report as text, Markdown and JSON, from recorded events. Features: G1 G2 G4. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { heldText } from '../../../src/decide/delivery/push.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { Gone, KeptForNext } from '../../../src/model/model.js';
import { takeVerdicts } from '../../../src/model/stands.js';
import type { AgentSignal } from '../../../src/protocol/agent-run.js';
import type { RunEvent, StampedEvent } from '../../../src/protocol/events.js';
import { makeReport } from '../../../src/report/build.js';
import type { Extra } from '../../../src/report/extra.js';
import { historyRun } from '../../../src/report/history.js';
import { htmlReport } from '../../../src/report/html.js';
import { markdownReport } from '../../../src/report/markdown.js';
import { type Report, reportJsonSchema, reportSchema } from '../../../src/report/schema.js';
import { reportLines, textReport } from '../../../src/report/text.js';
import { width } from '../../../src/screen/text/text.js';
import { clockAt, reportOf, idea as shopIdea, shopNight } from './shop-night.js';

/** Drawn anew with PICTURES=draw, and looked at before it is kept. */
function expectFile(name: string, text: string): void {
  const file = fileURLToPath(new URL(`pictures/${name}`, import.meta.url));
  if (process.env.PICTURES === 'draw') writeFileSync(file, text);
  expect(text).toBe(readFileSync(file, 'utf8'));
}

describe('the report of a night', () => {
  const report = reportOf(shopNight());

  it('begins with what to do, each with its command, and fits 80 columns', () => {
    const lines = textReport(report, { width: 80 });
    for (const line of lines) expect(width(line), line).toBeLessThanOrEqual(80);
    expectFile('night-80.txt', `${lines.join('\n')}\n`);
  });

  it('is what the screen shows when a run ends', () => {
    const model = newModel({ project: 'shop-1', runId: 'r', name: 'shop', target: 'main' });
    const extra = { now: 0, zone: 'UTC', over: true };
    expect(reportLines(model, extra, 60)).toEqual(textReport(makeReport(model, extra), { width: 60 }));
    expect(reportLines(model, extra, 60).join('\n')).toContain('0 landed   0 not   0 iterations');
  });

  it('D2: has a push that did not work as a task with its command, once the run is over', () => {
    const model = newModel({ project: 'shop-1', runId: 'r', name: 'shop', target: 'main' });
    const text = heldText({ cause: 'rejected', why: 'frozen', commits: 1, ideas: ['a'] }, 'origin/main');
    model.warnings.push({ kind: 'push', text });
    const extra = { now: 0, zone: 'UTC' };
    const over = makeReport(model, { ...extra, over: true });
    expect(over.todo).toMatchObject([{ subject: 'push', fix: 'ralphctl sync', commands: ['ralphctl sync'] }]);
    expect(over.todo[0]?.text).toBe(
      '1 commit (a) is not on origin/main: frozen. Allow the push there, or fix what its answer names.',
    );
    expect(over.look).toEqual([]);
    expect(makeReport(model, { ...extra, over: false })).toMatchObject({ todo: [], look: [{ kind: 'push', text }] });
  });

  it('C3: says that a person stopped an idea alone, and how the next run goes on with it', () => {
    const events = shopNight().filter((one) => one.kind !== 'run' || one.state !== 'completed');
    const at = events.at(-1)?.at ?? '';
    const say = (event: RunEvent): number => events.push({ ...event, at });
    const idea = { idea: 'help-001', title: 'Link the help page' };
    say({ kind: 'command', verb: 'stop', idea: 'help-001', done: 'help-001 stops' });
    say({ kind: 'idea', ...idea, status: 'pending', held: true, reason: 'stopped by a person' });
    say({ kind: 'run', state: 'completed', landed: 3, total: 9 });
    const { todo, open } = reportOf(events);
    expect(open.find((one) => one.idea === 'help-001')).toMatchObject({ state: 'held', reason: 'stopped by a person' });
    expect(todo.at(-1)).toMatchObject({ subject: 'the rest', fix: 'ralphctl start' });
    expect(todo.at(-1)?.text).toMatch(
      /^you stopped 1 idea: help-001\. 1 idea did not run or did not finish: docs-001$/,
    );
  });

  it('is as wide as it is in a pipe', () => expectFile('night.txt', `${textReport(report).join('\n')}\n`));

  it('is Markdown', () => expectFile('night.md', markdownReport(report)));

  it('is JSON of the published schema', () => {
    expect(reportSchema.parse(JSON.parse(JSON.stringify(report)))).toEqual(report);
    const file = fileURLToPath(new URL('../../../schemas/report.schema.json', import.meta.url));
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(reportJsonSchema());
  });

  it('names commands of an open run while it is open', () => {
    const open = reportOf(
      shopNight().filter(({ kind }) => kind !== 'run'),
      { over: false },
    );
    expect(open.todo.map(({ commands }) => commands)).toEqual([
      ['ralphctl answer price-007 "…"'],
      ['ralphctl unblock deploy-001'],
      ['ralphctl retry import-004'],
      ['ralphctl limit cache-001 10'],
    ]);
  });

  it('leaves out what a newer run has landed, and what was given up', () => {
    const later = new Map([['price-007', 'landed Wed 18 Nov']]);
    const old = reportOf(shopNight(), { later, givenUp: new Set(['deploy-001']) });
    expect(old.todo.map(({ subject }) => subject)).toEqual(['import-004', 'cache-001', 'the rest']);
    expect(textReport(old).join('\n')).toContain(
      '? price-007    asks then, landed Wed 18 Nov: Round half up or half even?',
    );
  });

  it('C2: an idea that was taken off in its run and has landed since is told without the retry, which would be refused', () => {
    const reason = 'taken off main by ee420101; start it again with: ralphctl retry help-001';
    const at = new Date(clockAt('31:00')).toISOString();
    const events = shopNight().filter((event) => event.kind !== 'run');
    events.push({
      at,
      kind: 'idea',
      idea: 'help-001',
      title: 'Link the help page',
      status: 'pending',
      held: true,
      reason,
    });
    const reasonWith = (later: Extra['later']): string | undefined =>
      reportOf(events, { later }).open.find(({ idea }) => idea === 'help-001')?.reason;
    expect(reasonWith(new Map([['help-001', 'landed Sun 29 Nov']]))).toBe('taken off main by ee420101');
    expect(reasonWith(undefined)).toBe(reason);
  });

  it('asks on where a run that was stopped put a question back', () => {
    const stopped = shopNight().filter((event) => event.kind !== 'run');
    stopped.push({
      at: new Date().toISOString(),
      kind: 'idea',
      idea: 'price-007',
      title: 'Round prices',
      status: 'pending',
    });
    const [first] = reportOf(stopped).todo;
    expect(first).toMatchObject({
      subject: 'price-007',
      state: 'asks',
      commands: ['ralphctl answer price-007 "…"', 'ralphctl start'],
    });
  });

  it('C2 G4: a landed idea that was rolled back after the run stays in its numbers and in the range of the landings', () => {
    const at = new Date(clockAt('31:30')).toISOString();
    const events: StampedEvent[] = [
      ...shopNight(),
      { at, kind: 'command', verb: 'rollback', idea: 'search-001', done: 'taken off', afterRun: true },
      {
        ...{ at, kind: 'idea', idea: 'search-001', title: 'Search', status: 'pending' },
        reason: 'it had landed. Later runs leave it out until: ralphctl retry search-001',
      },
    ];
    const tip = '9'.repeat(40);
    const text = 'search-001 landed as 1, and was taken off main by 2, its rollback';
    const off: Gone = { text, landed: '1', by: '2', command: 'ralphctl retry search-001', start: 'ralphctl start' };
    const gone = new Map([['search-001', off]]);
    const made = (forNext?: KeptForNext): Report =>
      reportOf(events, { tip, gone }, undefined, (model) => {
        takeVerdicts(model, new Map([['search-001', { is: 'off', gone: off }]]));
        const idea = model.ideas.get('search-001');
        if (idea && forNext) idea.forNext = forNext;
      });
    const report = made();
    const before = reportOf(shopNight());
    expect(reportSchema.parse(JSON.parse(JSON.stringify(report)))).toEqual(report);
    expect(report.counts).toMatchObject({ landed: 3, gone: 1, open: before.counts.open });
    expect(report.since).toEqual([{ what: 'no longer on main', ideas: ['search-001'] }]);
    expect(report.target).toEqual({ ...before.target, now: tip });
    const lines = textReport(report).join('\n');
    expect(lines).toMatch(/main was green at 5555555 .*; it is at 9999999 now, which this run did not gate/);
    expect(lines).toContain('  since then: search-001 no longer on main');
    expect(markdownReport(report)).toContain('since then: search\\-001 no longer on main');
    expect(htmlReport(report)).toContain('<p>since then: search-001 no longer on main</p>');
    expect(historyRun(report, [])).toMatchObject({ landed: 3, since: report.since });
    expect(historyRun(report, []).target).not.toHaveProperty('green');

    // Nobody has decided about it: something to do. After the rollback itself, and a retry, it is not.
    const todo = (forNext?: KeptForNext): string[] =>
      made(forNext).todo.flatMap(({ subject, fix }) => (subject === 'search-001' ? [fix] : []));
    expect(todo()).toEqual(['run it again: ralphctl retry search-001, then: ralphctl start']);
    expect(todo({ leftOut: true, rolledBack: true, words: [] })).toEqual([]);
    expect(todo({ queued: true, words: [] })).toEqual([]);
    expect(textReport(made({ queued: true, words: [] })).join('\n')).toMatch(
      /you queued 1 idea for the next start: search-001/,
    );
  });

  it('D1: a target that was renamed or deleted is not called green', () => {
    const renamed = {
      ...{ branch: 'trunk', text: 'the branch main was renamed to trunk', fix: 'Go on with trunk' },
      commands: ['ralphctl start --target trunk'],
    };
    const report = reportOf(shopNight(), {}, undefined, (model) => {
      model.renamed = renamed;
    });
    expect(report.target).toMatchObject({ missing: true });
    const told = /main was green at 5555555 .*; that branch does not exist any more/;
    expect(textReport(report).join('\n')).toMatch(told);
    expect(historyRun(report, []).target).not.toHaveProperty('green');
    const lost: Gone = { text: 'gone', landed: '1', command: 'git branch main 1', noBranch: true };
    expect(textReport(reportOf(shopNight(), { gone: new Map([['search-001', lost]]) })).join('\n')).toMatch(told);
  });

  it('C2 G4: an idea that is off the target since an earlier run, and did not land in this one, is queued once', () => {
    const text = 'cache-001 landed as 1, and was taken off main by 2, its rollback';
    const off: Gone = { text, landed: '1', by: '2', command: 'ralphctl retry cache-001', start: 'ralphctl start' };
    const report = reportOf(shopNight(), { gone: new Map([['cache-001', off]]) }, undefined, (model) => {
      const idea = model.ideas.get('cache-001');
      if (idea) idea.forNext = { queued: true, words: [] };
    });
    expect(report.open.find(({ idea }) => idea === 'cache-001')).toMatchObject({ queued: true });
    expect(report.todo.map((one) => one.text).join('\n')).toMatch(
      /you queued 1 idea for the next start: cache-001(?!,)/,
    );
  });

  it('C2 A8: what was rolled back before it landed is for the next start, and the run keeps its numbers', () => {
    const at = new Date(clockAt('31:30')).toISOString();
    const about = { idea: 'cache-001', title: 'Cache' };
    const report = reportOf([
      ...shopNight(),
      { at, kind: 'command', verb: 'rollback', idea: 'cache-001', done: 'rolled back', afterRun: true },
      { at, kind: 'idea', ...about, status: 'pending', reason: 'rolled back' },
    ]);
    expect(report.counts).toEqual(reportOf(shopNight()).counts);
    expect(report.open.find(({ idea }) => idea === 'cache-001')).toMatchObject({ state: 'ready', commits: 0 });
    expect(report.todo.map(({ subject }) => subject)).not.toContain('cache-001');
    expect(report.todo.at(-1)?.text).toContain('cache-001');
    expect(report.since).toEqual([{ what: 'rolled back', ideas: ['cache-001'] }]);
  });

  it('C2 C5: sends nobody to a start that cannot run an idea, but to the retry of the one that was given up', () => {
    const at = new Date(clockAt('31:30')).toISOString();
    const report = reportOf([
      ...shopNight(),
      { at, kind: 'idea', idea: 'deploy-001', title: 'Deploy', status: 'abandoned', reason: 'not now' },
    ]);
    const todo = report.todo.find(({ subject }) => subject === 'deploy-001');
    expect(todo).toMatchObject({
      text: 'a start leaves it out, and it is needed first by help-001',
      commands: ['ralphctl retry deploy-001'],
    });
    expect(report.todo.find(({ subject }) => subject === 'the rest')?.text ?? '').not.toContain('help-001');
  });

  it('A7: names a branch only where it exists, and else the saves', () => {
    const saved = new Set(['cache-001']);
    const events = shopNight().map((event) =>
      event.kind === 'iteration-end' && event.idea === 'cache-001' ? { ...event, commits: 1 } : event,
    );
    const notes = (more: Parameters<typeof reportOf>[1]) =>
      reportOf(events, more).open.find(({ idea }) => idea === 'cache-001');
    expect(notes({})?.notes.join()).toContain('branch ralph/cache-001 is kept');
    const gone = notes({ branchOf: () => undefined, saved });
    expect(gone?.branch).toBeUndefined();
    expect(gone?.notes).toContain('its work is saved: ralphctl saves cache-001');
    expect(gone?.notes.join()).not.toContain('branch ');
  });

  it('A5: a timed-out idea gets what it ran out of', () => {
    const late = shopNight().map((event) =>
      event.kind === 'idea' && event.status === 'timeout' ? { ...event, reason: '15s of working time used' } : event,
    );
    const fixOf = (events: StampedEvent[], over: boolean) =>
      reportOf(events, { over }).todo.find(({ subject }) => subject === 'cache-001')?.fix;
    expect(fixOf(late, true)).toBe('ralphctl edit cache-001 --timeout MINUTES, then: ralphctl start');
    expect(fixOf(late, false)).toBe('ralphctl edit cache-001 --timeout MINUTES, then: ralphctl retry cache-001');
    expect(fixOf(shopNight(), false)).toBe('ralphctl limit cache-001 10 grants 10 more iterations');
    const once = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [
      { ...shopIdea('cache-001', 'Cache the front page'), ralph: false },
    ]);
    for (const event of shopNight()) fold(once, event);
    const { todo } = makeReport(once, { now: clockAt('32:00'), zone: 'UTC', over: false });
    expect(todo.find(({ subject }) => subject === 'cache-001')?.fix).toBe('ralphctl retry cache-001 tries it again');
  });

  it('E1: after a run of a named source, every next step is a run of that source', () => {
    const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' });
    for (const event of shopNight()) fold(model, event);
    model.startAgain = { args: ['run', 'github', '--target', 'release'] };
    const { todo } = makeReport(model, { now: clockAt('32:00'), zone: 'UTC', over: true });
    const starts = todo.flatMap(({ commands }) => commands).filter((one) => /ralphctl (start|run)/.test(one));
    expect(starts.length).toBeGreaterThan(2);
    expect(new Set(starts)).toEqual(new Set(['ralphctl run github --target release']));
  });

  it('C5: a summary calls a stopped idea and one that never began pending, so nothing was stopped for the second time', () => {
    const events: StampedEvent[] = shopNight().filter((event) => event.kind !== 'run');
    const at = new Date(clockAt('31:00')).toISOString();
    const about = { at, idea: 'cache-001', title: 'Cache', agentName: 'ed-001' };
    events.push({ ...about, kind: 'idea', status: 'running' });
    events.push({ ...about, kind: 'iteration', serial: 4, iteration: 1, max: 3 });
    events.push({ ...about, kind: 'idea', status: 'pending' });
    events.push({ at, kind: 'run', state: 'stopped', landed: 1, total: 2 });
    const earlier = [{ runId: 'a', open: new Map([['cache-001', 'pending']]) }];
    const one = reportOf(events, { over: true, earlier }).open.find(({ idea }) => idea === 'cache-001');
    expect(one?.state).toBe('stopped');
    expect(one?.notes.join()).not.toContain('time');
    expect(one).not.toHaveProperty('times');
  });

  it('C3: an idea that was given up once is not given up for the second time', () => {
    const open = new Map([['deploy-001', 'blocked']]);
    const [one] = reportOf(shopNight(), {
      ...{ givenUp: new Set(['deploy-001']), earlier: [{ runId: 'a', open }] },
    }).open.filter(({ idea }) => idea === 'deploy-001');
    expect(one?.state).toBe('given up');
    expect(one?.notes.join()).not.toContain('time');
  });

  it('G4: says that landed work has left the target, by which commit, and how it runs again', () => {
    const text = 'login-001 landed as dddd, and 1234abcd (Revert "x") took it off main again';
    const [command, show] = ['ralphctl start --again login-001', 'git show 99 -- a.txt'];
    const gone = new Map([
      ['login-001', { text, landed: 'd', by: '1234abcd', command }],
      ['search-001', { text: 'a part of it', landed: '1', by: '99', part: ['a.txt'], command: show }],
    ]);
    const after = reportOf(shopNight(), { gone });
    expect(reportSchema.parse(JSON.parse(JSON.stringify(after)))).toEqual(after);
    expect(after.counts).toMatchObject({ landed: 3, gone: 1 });
    expect(after.landed.find(({ idea }) => idea === 'login-001')?.gone).toMatchObject({ by: '1234abcd', command });
    expect(after.todo).toContainEqual(
      expect.objectContaining({ subject: 'login-001', text, commands: [command], fix: `run it again: ${command}` }),
    );
    expect(after.look).toContainEqual({ kind: 'missing', text: `a part of it: ${show}` });
    const lines = textReport(after).join('\n');
    expect(lines).toContain('3 landed   1 of them no longer on main   ');
    expect(lines).toContain('main was green at');
    expect(lines).toContain('look: it is no longer on the target');
    expect(markdownReport(after)).toContain('run it again: `ralphctl start --again login-001`');
    expect(htmlReport(after)).toContain('<code>ralphctl start --again login-001</code>');
    // While the run is open, no start runs it again.
    const open = reportOf(
      shopNight().filter(({ kind }) => kind !== 'run'),
      { gone, over: false },
    );
    expect(open.todo.map(({ subject }) => subject)).not.toContain('login-001');
    expect(open.look).toContainEqual({ kind: 'missing', text });
  });

  it('B6 C4: names what changed outside a worktree while an agent ran, also of an idea that has landed', () => {
    const text = 'a branch of yours moved while cache-001 worked: feature';
    const tell = (event: RunEvent): StampedEvent => ({ at: new Date(clockAt('23:30')).toISOString(), ...event });
    const warned = tell({ kind: 'warning', idea: 'cache-001', warning: 'outside', text });
    const stuck = tell({ kind: 'warning', idea: 'cache-001', warning: 'stuck', text: 'no progress' });
    const landed = { kind: 'idea', idea: 'cache-001', title: 'Cache the front page', commit: 'abc' } as const;
    const events = [...shopNight(), warned, warned, stuck, tell({ ...landed, status: 'landed' })];
    const of = (kind: string) => reportOf(events).look.filter((one) => one.kind === kind);
    expect(of('outside')).toEqual([{ kind: 'outside', text: `cache-001: ${text}` }]);
    expect(of('stuck')).toEqual([]);
  });

  it('B4 G4: explains ideas that the end of the run cut off, and what to do about them', () => {
    const events = shopNight().filter(({ kind }) => kind !== 'run');
    const at = new Date(clockAt('29:50')).toISOString();
    const say = (event: RunEvent): void => void events.push({ at, ...event });
    const works = { idea: 'help-001', serial: 1, iteration: 1, max: 50, agentName: 'ed-001' };
    const end = { signal: { kind: 'progress', percent: 40 }, outcome: 'ok', durationMs: 1, commits: 0 } as const;
    say({ kind: 'iteration', ...works });
    say({ kind: 'iteration-end', idea: 'help-001', serial: 1, iteration: 1, ...end });
    say({
      kind: 'idea',
      idea: 'help-001',
      title: 'Link the help page',
      status: 'pending',
      reason: 'stopped by a person',
    });
    say({ kind: 'run', state: 'stopped', landed: 3, total: 9 });
    const reason = 'the stop of the run ended it in iteration 1, after 1 agent run, at 40 %';
    const calm = reportOf(events);
    expect(calm.open.find(({ idea }) => idea === 'help-001')).toMatchObject({ state: 'stopped', reason });
    expect(calm.todo.at(-1)).toMatchObject({ subject: 'the rest', text: expect.stringContaining('help-001') });
    say({ kind: 'warning', idea: 'help-001', warning: 'stuck', text: 'no progress for 5 iterations' });
    const stuck = reportOf(events);
    const commands = ['ralphctl start', 'ralphctl hint help-001 "…"'];
    expect(stuck.todo).toContainEqual(
      expect.objectContaining({
        ...{ subject: 'help-001', state: 'stopped', commands },
        text: `${reason}; before that: no progress for 5 iterations`,
      }),
    );
    expect(stuck.todo.find(({ subject }) => subject === 'the rest')?.text ?? '').not.toContain('help-001');
    const history = historyRun(stuck, []);
    expect(history.open).toContainEqual(expect.objectContaining({ id: 'help-001', state: 'stopped' }));
    // A warning that was over before the end is nobody's task.
    say({ kind: 'warning-over', idea: 'help-001', warning: 'stuck' });
    expect(reportOf(events).todo).toEqual(calm.todo);
    // A run that goes on explains nothing like that.
    expect(
      reportOf(
        events.filter(({ kind }) => kind !== 'run'),
        { over: false },
      ).open,
    ).not.toContainEqual(expect.objectContaining({ state: 'stopped' }));
  });

  it('G4: has the last words of agents without the markup of signals', () => {
    const events = shopNight();
    const [at = ''] = [events.at(-1)?.at];
    const end = { serial: 9, iteration: 9, outcome: 'ok' as const, durationMs: 1, commits: 0 };
    const words = 'It is <b>done</b>.\n<ralph nonce="a1">COMPLETE</ralph>';
    const signal = { kind: 'complete' } as AgentSignal;
    events.push({ at, kind: 'iteration-end', idea: 'login-001', signal, words, ...end });
    events.push({ at, kind: 'iteration-end', idea: 'db-001', signal, words: '<ralph nonce="b2">odd', ...end });
    const told = new Map(reportOf(events).landed.map((one) => [one.idea, one.words]));
    expect([told.get('login-001'), told.get('db-001')]).toEqual(['It is <b>done</b>.', 'odd']);
    expect(htmlReport(reportOf(events))).not.toMatch(/nonce|&lt;ralph/);
  });

  it('names the commands of its own run when there is a newer one', () => {
    const lines = textReport(reportOf(shopNight(), { older: true })).join('\n');
    expect(lines).toContain('as a page: ralphctl report --run 20261117-220300 --html');
    expect(textReport(report).join('\n')).toContain('as a page: ralphctl report --html');
  });

  it('cuts a long list of landed ideas, and keeps those with something to look at', () => {
    const events = shopNight();
    const ids = Array.from({ length: 30 }, (_, n) => `more-${n}`);
    for (const id of ids)
      events.push({
        at: new Date(Date.parse(events[0]?.at ?? '')).toISOString(),
        kind: 'idea',
        idea: id,
        title: id,
        status: 'landed',
      });
    const lines = textReport(reportOf(events), { width: 80 });
    expect(lines).toContain('  … 23 more: ralphctl report --all');
    expect(lines.join('\n')).toContain('look: test/search.test.ts: 1 test is newly skipped (you let it land at');
    expect(
      textReport(reportOf(events), { width: 80, all: true }).filter((line) => line.startsWith('  ✓')),
    ).toHaveLength(33);
  });
});
