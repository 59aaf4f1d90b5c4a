/** What needs a person is one decision: the run's own lists, `status`, the Web UI and the full screen. Features: A8 C2 G1. */
import { afterEach, expect, it, vi } from 'vitest';
import { farewell } from '../../../src/client/screen/farewell.js';
import { needs, waitText } from '../../../src/client/views/need-lines.js';
import { describeLive } from '../../../src/client/views/status-lines.js';
import { listIdeas } from '../../../src/client/views/status-list.js';
import { runDetails } from '../../../src/decide/views/details.js';
import { ideaPage } from '../../../src/decide/views/pages.js';
import { needsAndHeld } from '../../../src/decide/views/resting.js';
import { runStatus } from '../../../src/decide/views/status.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { IdeaEntry } from '../../../src/protocol/run.js';
import type { IdeaStatus } from '../../../src/protocol/states.js';
import { makeReport } from '../../../src/report/build.js';
import { listsOf } from '../../../src/screen/lists.js';
import { card, decided, pilotOf, SETTINGS } from '../decide/support.js';
import { idea } from '../screen/shop.js';

afterEach(() => vi.restoreAllMocks());

const STANDS: Readonly<Record<string, { status: IdeaStatus; hold?: true; approval?: true }>> = {
  ...{ asks: { status: 'needs-human' }, blocked: { status: 'blocked' }, failed: { status: 'failed' } },
  ...{ late: { status: 'timeout' }, ready: { status: 'pending' }, landed: { status: 'landed' } },
  // A rollback or a stop put it on hold; a failed cleanup may have held one that was skipped before.
  ...{ held: { status: 'pending', hold: true }, skipped: { status: 'skipped', hold: true } },
  ...{ paused: { status: 'paused' }, approves: { status: 'paused', approval: true } },
};

function everyView() {
  const ids = Object.keys(STANDS);
  const pilot = pilotOf(ids.map((id) => card(id)));
  decided(pilot);
  const model = newModel(
    { project: 'p', runId: 'r', name: 'shop', target: 'main' },
    ids.map((id) => idea(id, id)),
  );
  for (const entry of pilot.state.entries) {
    const { status, hold, approval } = STANDS[entry.card.id] ?? expect.fail(entry.card.id);
    Object.assign(entry, { status, hold, approval } satisfies Partial<IdeaEntry>);
    const about = { ...(hold ? { held: hold } : {}), ...(approval ? { approval } : {}) };
    const { id, title } = entry.card;
    fold(model, { at: new Date(0).toISOString(), kind: 'idea', idea: id, title, status, ...about });
  }
  const { state, graph } = pilot;
  return { model, state, graph, status: runStatus({ project: 'p', runId: 'r' }, state, SETTINGS, graph, 0) };
}

it('A8 C2 G1: a held idea rests and needs nobody, in every view', async () => {
  const { model, state, graph, status } = everyView();
  const ids = (list: readonly { id: string }[]): string[] => list.map(({ id }) => id).sort();
  const need = ['approves', 'asks', 'blocked', 'failed', 'late'];
  const rests = needsAndHeld(status);
  expect([ids(status.attention), ids(status.held ?? [])]).toEqual([need, ['held']]);
  expect([ids(rests.needs), ids(rests.held)]).toEqual([need, ['held']]);
  expect(ids(listsOf(model).needs)).toEqual(need);
  expect(model.counts.needYou).toBe(need.length);
  expect(ids(listsOf(model).resting)).toEqual(['held', 'paused']);
  const lines: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  needs(status, {});
  const said = lines.join('');
  expect(said).toMatch(/^Needs you \(5\)\n/);
  expect(said).toContain('Held (1)\n◫ held held\n    ralphctl resume held\n');
  const page = runDetails(status);
  expect(page).toContain('### Needs you (5)');
  expect(page).toMatch(/### Held \(1\)\n- \*\*◫ held\*\*/);
  // An older worker lists the held ones among those that wait.
  const older = { attention: [...status.attention, ...(status.held ?? [])] };
  expect(needsAndHeld(older)).toEqual(rests);
  const run = { ideas: async (asked: Parameters<typeof ideaPage>[2]) => ideaPage(state.entries, graph, asked) };
  const only = async (...words: string[]) => ids((await listIdeas(run, { only: words }))?.lines ?? []);
  expect(await only('held')).toEqual(['held']);
  expect(await only('wants-approval')).toEqual(['approves']);
  expect(await only('held', 'asks')).toEqual(['asks', 'held']);
  expect(await only('pending')).toEqual(['held', 'ready']);
});

it('A8 G8: a single idea more than status shows has its own line (issue 12)', () => {
  const { status } = everyView();
  const said = (list: 'attention' | 'held', count: number): string => {
    const ideas = Array.from({ length: count }, (_, at) => ({ id: `n-${at + 1}`, title: 'A' }));
    const asks = ideas.map((one) => ({ ...one, status: 'needs-human' as const }));
    const held = ideas.map((one) => ({ ...one, status: 'pending' as const, held: true as const }));
    const lines: string[] = [];
    const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
    needs({ ...status, attention: [], held: [], [list]: list === 'held' ? held : asks }, {});
    write.mockRestore();
    return lines.join('');
  };
  for (const list of ['attention', 'held'] as const) {
    expect(said(list, 21)).toContain(' n-21 ');
    expect(said(list, 21)).not.toContain('more; all of them');
    expect(said(list, 22)).not.toContain(' n-21 ');
    expect(said(list, 22)).toContain('and 2 more; all of them: ralphctl status --only ');
  }
});

it('A7 G4: a review of the run and a login need a person, in every view', () => {
  const { model, status } = everyView();
  const why = '2 ideas failed one after another; look at them, then resume with: ralphctl review';
  const codex = { key: 'codex', agents: ['codex'], state: 'parked', kind: 'auth', reason: 'HTTP 401' } as const;
  Object.assign(status, { state: 'paused', review: true, why, accounts: [codex] });
  Object.assign(model, { state: 'paused', review: true, why, events: model.events + 1 });
  model.accounts.set('codex', codex as never);
  const lines: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  describeLive(status, [], {});
  const said = lines.join('');
  expect(said).toContain(
    'Needs you (7)\n! the run needs a review: 2 ideas failed one after another\n    look at them, then: ralphctl review\n' +
      '◷ codex needs a login: HTTP 401\n    log in to codex, then: ralphctl limits retry\n',
  );
  expect(said.match(/HTTP 401/g)).toHaveLength(1);
  expect(said.match(/needs a review/g)).toHaveLength(1);
  const { needs: listed } = listsOf(model);
  expect(listed).toHaveLength(7);
  expect(listed[0]).toMatchObject({
    shown: 'review',
    text: expect.stringContaining('2 ideas failed one after another'),
  });
  const page = runDetails(status);
  expect(page).toContain('### Needs you (7)\n- **! run** needs a review: 2 ideas failed one after another');
  expect(page).toContain('`ralphctl review`, or signal `review`');
  const { todo } = makeReport(model, { now: 0, zone: 'UTC', over: false });
  expect(todo.find(({ subject }) => subject === 'run')).toMatchObject({
    text: 'needs a review: 2 ideas failed one after another',
    fix: 'look at them, then: ralphctl review',
  });
  expect(farewell(model)[0]).toContain(', 7 need you');
  expect(farewell(model)).toContain('The run waits for your review: ralphctl review');
  // A run that stops refuses both.
  Object.assign(status, { state: 'stopping' });
  Object.assign(model, { state: 'stopping', events: model.events + 1 });
  lines.length = 0;
  describeLive(status, [], {});
  expect(lines.join('')).toContain('Needs you (5)\n');
  expect(lines.join('')).not.toContain('ralphctl review\n');
  expect(listsOf(model).needs.filter(({ shown }) => shown === 'review')).toEqual([]);
  expect(listsOf(model).needs).toHaveLength(5);
});

it('A6: the command at an approval is the one that approves, also where start leaves the run', () => {
  const line = { id: 'a', title: 'A', status: 'needs-human', reason: 'look at my plan' } as const;
  expect(waitText({ ...line, approval: true }, 'look at my plan')).toBe(
    'a waits for you:\n    | look at my plan\n  ralphctl approve a',
  );
  expect(waitText(line, 'which?')).toBe('a waits for you:\n    | which?\n  ralphctl answer a "…"');
});
