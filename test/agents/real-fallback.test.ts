/** A usage limit, or an outage of its provider, of one real CLI makes another real CLI take over. Features: B4 B8. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { RunSummary } from '../../src/protocol/run.js';
import { events, type Outcome, roadmap } from '../support/program.js';
import { LIMIT_ENDS_IN } from './mock/protocol.js';
import { type Mock, type Run, startMock } from './mock/server.js';
import { setupFor } from './rig/drivers.js';
import { install } from './rig/install.js';
import { type AgentsBox, agentsBox } from './rig/program.js';

describe.skipIf(process.env.RALPHCTL_REAL_CLIS === '0')('real CLIs and limits', () => {
  let mock: Mock;

  beforeAll(async () => {
    expect(await install(['claude', 'codex']), 'RALPHCTL_REAL_CLIS=0 npm test leaves these tests out').toEqual({});
    mock = await startMock();
  }, 900_000);

  afterAll(() => mock?.close());

  describe('claude at the usage limit of its subscription, codex as fallback', () => {
    let box: AgentsBox;
    let done: Outcome;
    let plays: { claude: Run; codex: Run };

    beforeAll(async () => {
      const write = { write: { path: 'made/once.txt', text: 'made by codex\n' } };
      plays = {
        claude: mock.play(`limited-claude-${Date.now()}`, { fault: { kind: 'usage-subscription' } }),
        codex: mock.play(`fallback-codex-${Date.now()}`, { calls: [write] }),
      };
      box = await agentsBox(
        inject('stateRoot'),
        { claude: setupFor('claude', plays.claude, { subscription: true }), codex: setupFor('codex', plays.codex) },
        { 'roadmap.md': roadmap([{ id: 'limited-1' }]) },
        { agent: 'claude', fallback: ['codex'], slots: 1, gate: { commands: ['test -f made/once.txt'] } },
      );
      done = await box.run('start', '--json', '--wait');
      if (done.code !== 0) console.log(done.stdout, done.stderr);
    }, 180_000);

    afterAll(() => box?.dispose());

    it('codex takes over at once and lands the idea; claude is not asked again (B4, B8)', async () => {
      const summary = done.json.at(-1) as unknown as RunSummary;
      expect([summary.outcome, summary.landed, summary.notLanded]).toEqual(['completed', 1, []]);
      expect(await box.git('show', 'main:made/once.txt')).toBe('made by codex');
      expect((await readFile(join(box.marks, 'agents'), 'utf8')).trim().split('\n')).toEqual(['claude', 'codex']);
      expect(plays.claude.asked()).toBe(1);
      expect(plays.codex.asked()).toBe(2);
    });

    it('the reset that claude stated is known (B4)', () => {
      const accounts = events(done).flatMap((event) => (event.kind === 'account' ? [event.account] : []));
      expect(accounts[0]).toMatchObject({ agents: ['claude'], kind: 'limited' });
      const inAnHour = Date.now() + LIMIT_ENDS_IN * 1000;
      expect(Math.abs((accounts[0]?.until ?? 0) - inAnHour)).toBeLessThan(600_000);
    });
  });

  describe('the provider of claude overloaded, codex as fallback', () => {
    let box: AgentsBox;
    let done: Outcome;
    // The second one finds what the first one made.
    const ideas = ['outage-1', 'outage-2'];

    beforeAll(async () => {
      const write = { write: { path: 'made/1.txt', text: 'made by codex\n' } };
      const claude = mock.play(`overloaded-claude-${Date.now()}`, { fault: { kind: '529' } });
      const codex = mock.play(`outage-codex-${Date.now()}`, { calls: [write] });
      box = await agentsBox(
        inject('stateRoot'),
        { claude: setupFor('claude', claude), codex: setupFor('codex', codex) },
        { 'roadmap.md': roadmap(ideas.map((id) => ({ id, allow_empty: true }))) },
        {
          ...{ agent: 'claude', fallback: ['codex'], slots: 1, gate: { commands: ['test -f made/1.txt'] } },
          ...{ errors: { threshold: 1 }, limits: { maxRateLimitRetries: 0 } },
        },
      );
      done = await box.run('start', '--json', '--wait');
      if (done.code !== 0) console.log(done.stdout, done.stderr);
    }, 300_000);

    afterAll(() => box?.dispose());

    it('codex takes over and lands both; nothing is charged to the outage, fails or waits for a review (B8)', () => {
      const summary = done.json.at(-1) as unknown as RunSummary;
      expect([summary.outcome, summary.landed, summary.notLanded]).toEqual(['completed', 2, []]);
      const all = events(done);
      const accounts = all.flatMap((event) => (event.kind === 'account' ? [event.account] : []));
      expect(accounts[0]).toMatchObject({ agents: ['claude'], kind: 'provider', state: 'parked' });
      expect(all.filter((event) => event.kind === 'iteration-end' && event.iteration > 1)).toEqual([]);
      expect(all.filter((event) => event.kind === 'idea' && event.status === 'failed')).toEqual([]);
    });
  });
});
