/** An idea that failed in the middle of an agent run: its views tell that, with the whole command. Features: A8 G4. */
import { expect, it } from 'vitest';
import { describeIdea } from '../../../src/client/views/idea-lines.js';
import { lineOf } from '../../../src/client/views/idea-report.js';
import { clean } from '../../../src/client/views/live-lines.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunEvent } from '../../../src/protocol/events.js';

const PLACE = `/home/somebody/.local/state/ralphctl/projects/repository-0a1b2c3d/worktrees/${'x'.repeat(100)}`;
const FIX = `Save what you need from it, then move it away: mv '${PLACE}' '${PLACE}.broken' && git worktree prune`;
const REASON = `The worktree ${PLACE} has a broken .git file that git cannot repair. ${FIX}`;

it('why has no run that goes on, and the command whole', () => {
  const model = newModel({ project: 'p', runId: '20260101-000000-aaaa', name: 'p', target: 'main' }, []);
  const at = new Date(1000).toISOString();
  const events: RunEvent[] = [
    { kind: 'idea', idea: 'a-1', title: 'A', status: 'running' },
    { kind: 'iteration', idea: 'a-1', serial: 1, iteration: 1, max: 5, agentName: 'ed-001' },
    { kind: 'idea', idea: 'a-1', title: 'A', status: 'failed', reason: REASON },
  ];
  for (const event of events) fold(model, { at, ...event });
  const told = model.ideas.get('a-1');
  if (!told) throw new Error('no idea');
  const view = { idea: 'a-1', title: 'A', status: 'failed', reason: REASON, score: 0 } as const;
  const more = { parts: [], waitsFor: [], over: true, commands: [] };
  const said = describeIdea({ ...view, ...more, runs: told.iterations.map(lineOf) }).join('\n');
  expect(REASON.length).toBeGreaterThan(600);
  expect(said).toContain(FIX);
  expect(said).toMatch(/#1 .* interrupted$/m);
  expect(said).not.toContain('has not ended');
  expect(clean(REASON)).toBe(REASON);
});
