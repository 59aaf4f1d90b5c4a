/** Whose runs a change of the checkout is told with: only of agents that ran at that moment. Features: D1 A5. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { present, whileAgentsRan, whoRan } from '../../../src/jobs/confine/checkout-watch.js';

const file = (path: string, at: number) => ({ path, at, untracked: false });

describe('D1: a file of the checkout', () => {
  it('that changed before the agent began is not told with it', () => {
    const root = `/${randomUUID()}`;
    const early = file('ralphctl.yaml', Date.now() - 1000);
    const end = present(root, { idea: 'i-1', agentName: 'ed-001' });
    const during = file('b.txt', Date.now());
    expect(whileAgentsRan(root, [early, during])).toEqual([during]);
    expect(whoRan(root, [during], 'i-1')).toBe('i-1 (ed-001)');
    end();
    expect(whileAgentsRan(root, [file('c.txt', Date.now() + 1000), during])).toEqual([during]);
    expect(whileAgentsRan(`/${randomUUID()}`, [during])).toEqual([]);
  });

  it('names the idea where its agent ran in a worker that is lost', () => {
    expect(whoRan(`/${randomUUID()}`, [file('b.txt', Date.now())], 'i-1')).toBe('i-1');
  });

  it('names the reporting idea first', () => {
    const root = `/${randomUUID()}`;
    present(root, { idea: 'i-2', agentName: 'bo-002' });
    present(root, { idea: 'i-1', agentName: 'ed-001' });
    expect(whoRan(root, [file('b.txt', Date.now())], 'i-1')).toBe('i-1 (ed-001), i-2 (bo-002)');
  });
});
