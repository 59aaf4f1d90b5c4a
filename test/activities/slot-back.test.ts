/** When an agent run tells that its slot is free, before its work is settled. The server cannot be reached here. Features: A1 C6. */
import { expect, it } from 'vitest';
import { type Bench, bench, say } from './bench.js';

const slot = { life: 1, after: 0 };
const WORK = 'cat > /dev/null; echo "$RALPHCTL_ITERATION" >> work.txt';

async function slotBack(b: Bench, serial: number, words: string, more = ''): Promise<unknown> {
  await b.setAgent(`${WORK}\n${say(words)}\n${more}`);
  return (await b.runAgent({ serial, slot })).slotBack;
}

it('A1: only an agent that ended well and says that it is done gives its slot back', async () => {
  const b = await bench();
  expect(await slotBack(b, 1, 'no claim')).toBe(undefined);
  expect(await slotBack(b, 2, 'BLOCKED: there is no network')).toBe(undefined);
  expect(await slotBack(b, 3, 'COMPLETE', 'exit 3')).toBe(undefined);
  expect(await slotBack(b, 4, 'COMPLETE')).toBe(true);
});

it('A1: with gate.when always a gate follows each agent that ended well', async () => {
  const b = await bench({ config: { gate: { when: 'always', commands: ['true'] } } });
  expect(await slotBack(b, 1, 'no claim')).toBe(true);
  expect(await slotBack(b, 2, 'BLOCKED: there is no network')).toBe(undefined);
});

it('C6: the work is settled although nobody hears of the slot; a run that does not ask for it says nothing', async () => {
  const b = await bench();
  await b.setAgent(`${WORK}\n${say('COMPLETE')}`);
  const told = await b.runAgent({ slot });
  expect(told).toMatchObject({ slotBack: true, signal: { kind: 'complete' }, commits: 1, changed: true });
  // Kept for a worker that was lost here: only this attempt knows whether it told.
  expect((await b.runAgent({ slot })).slotBack).toBe(undefined);
  expect((await b.runAgent({ serial: 2 })).slotBack).toBe(undefined);
});
