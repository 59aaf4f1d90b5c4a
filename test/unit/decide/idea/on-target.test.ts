/** How an idea stands after the run: what its record says, what the target has, and what follows. Features: C2 C3. */
import { describe, expect, it } from 'vitest';
import { type AfterRun, refusedAfterRun, stateAfterRun, verbsAfterRun } from '../../../../src/decide/idea/after-run.js';
import { standsAs } from '../../../../src/decide/idea/on-target.js';
import { unfit } from '../../../../src/decide/idea/table.js';
import { IDEA_STATUSES } from '../../../../src/protocol/states.js';

const record = { status: 'landed', worked: false, again: false } as const;
const there = { landed: true, gone: false };
const gone = { landed: false, gone: true };
/** A commit without a trailer took it off: the trailer of the landing is still in force. */
const byHand = { landed: true, gone: true };

describe('C2 what the target has overrules the record', () => {
  it('landed work that is there, gone, and back', () => {
    expect(standsAs(record, there)).toBe('landed');
    expect(standsAs(record, gone)).toBe('off');
    expect(standsAs(record, byHand)).toBe('off');
    // A rollback made it pending, and a run after it skipped.
    for (const status of ['pending', 'skipped'] as const) {
      expect(standsAs({ ...record, status }, gone)).toBe('off');
      expect(standsAs({ ...record, status }, there)).toBe('landed');
    }
  });

  it('what the run did with it later counts more than an older landing', () => {
    for (const status of ['failed', 'timeout', 'blocked', 'needs-human', 'abandoned'] as const)
      expect(standsAs({ ...record, status }, gone), status).toBe('record');
    expect(standsAs({ ...record, status: 'pending', worked: true }, gone)).toBe('record');
    expect(standsAs({ ...record, status: 'failed', again: true }, there)).toBe('record');
    expect(standsAs({ ...record, status: 'landed', again: true }, there)).toBe('landed');
  });

  it('an idea that never landed stands as recorded', () => {
    for (const status of IDEA_STATUSES)
      expect(standsAs({ ...record, status }, { landed: false, gone: false }), status).toBe('record');
  });
});

describe('C3 the state that commands go by', () => {
  it.each<[Parameters<typeof stateAfterRun>[0], AfterRun]>([
    [{ status: 'landed', leftOut: true, givenUp: true }, 'landed'],
    [{ status: 'pending', off: true }, 'gone'],
    [{ status: 'pending', off: true, leftOut: true }, 'gone'],
    [{ status: 'pending', off: true, givenUp: true }, 'abandoned'],
    [{ status: 'failed', leftOut: true }, 'skipped'],
    [{ status: 'abandoned' }, 'skipped'],
    [{ status: 'pending', asked: true, begun: true }, 'asks'],
    [{ status: 'pending', begun: true }, 'cut-off'],
    [{ status: 'pending', held: true, begun: true }, 'skipped'],
    [{ status: 'pending' }, 'pending'],
    [{ status: 'running' }, 'cut-off'],
    [{ status: 'pending', group: true, off: true }, 'group'],
  ])('%j is %s', (told, state) => {
    expect(stateAfterRun(told)).toBe(state);
  });

  it('work that is gone takes a retry, and work that is there takes a rollback instead', () => {
    expect(verbsAfterRun('gone').has('retry')).toBe(true);
    expect(refusedAfterRun('a-1', 'gone', 'retry')).toBeUndefined();
    expect(verbsAfterRun('landed').has('retry')).toBe(false);
    expect(refusedAfterRun('a-1', 'failed', 'answer', '', unfit({ plan: true }))).toContain('skip --step');
    expect(refusedAfterRun('a-1', 'failed', 'answer', '', unfit({}))).not.toContain('skip --step');
    expect(refusedAfterRun('a-1', 'landed', 'retry')).toContain('To run it again: ralphctl start --again a-1');
  });
});

it('C3: of what nobody has worked on, nothing is offered that takes work away', () => {
  const offered = refusedAfterRun('a-1', 'pending', 'answer', '', unfit({}), true) ?? '';
  for (const verb of ['rollback', 'cleanup'] as const) {
    expect(verbsAfterRun('pending', true).has(verb)).toBe(false);
    expect(offered).not.toContain(verb);
    expect(refusedAfterRun('a-1', 'pending', verb, '', unfit({}), true)).toMatch(
      new RegExp(`^a-1 has no work yet that ${verb} could take away\\. a-1 has not started`),
    );
    expect(verbsAfterRun('pending').has(verb)).toBe(true);
    // Its files may be gone.
    expect(verbsAfterRun('landed', true).has(verb)).toBe(true);
  }
});
