/** The events file: written in order, followed as it grows, whatever the pieces it is read in. Features: G6. */
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunEvent, StampedEvent } from '../../../src/protocol/events.js';
import { EventWriter, eventsPath, followEvents } from '../../../src/run-files/events.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-events-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const ref = { project: 'p', runId: 'run-1' };
const AT = '2026-11-17T22:03:00.000Z';
const landing = (idea: string): RunEvent => ({ kind: 'landing', idea });

/** Everything in the file at once. */
async function all(path: string): Promise<StampedEvent[]> {
  const seen: StampedEvent[] = [];
  for await (const event of followEvents(path, AbortSignal.abort())) seen.push(event);
  return seen;
}

describe('EventWriter', () => {
  it('appends in the order of the calls and makes the folder itself', async () => {
    const problems: unknown[] = [];
    const writer = new EventWriter(root, (error) => problems.push(error));
    for (let i = 0; i < 200; i++) writer.write(ref, landing(`i-${i}`), i);
    await writer.flush();
    const lines = (await readFile(eventsPath(root, ref), 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      Array.from({ length: 200 }, (_, i) => ({ at: new Date(i).toISOString(), kind: 'landing', idea: `i-${i}` })),
    );
    expect(problems).toEqual([]);
  });

  it('tells of a failed write and goes on with the next', async () => {
    const problems: unknown[] = [];
    const writer = new EventWriter(root, (error) => problems.push(error));
    await writeFile(join(root, 'projects'), 'a file where a folder should be');
    writer.write(ref, landing('a'), 1);
    await writer.flush();
    expect(problems).toHaveLength(1);
    await rm(join(root, 'projects'));
    writer.write(ref, landing('b'), 2);
    await writer.flush();
    expect((await all(eventsPath(root, ref))).map((event) => 'idea' in event && event.idea)).toEqual(['b']);
  });
});

describe('followEvents', () => {
  it('gives nothing for a file that is not there yet, and its events once it is', async () => {
    const path = join(root, 'late.jsonl');
    expect(await all(path)).toEqual([]);
    const abort = new AbortController();
    const follower = followEvents(path, abort.signal, { pollMs: 5 });
    const first = follower.next();
    await writeFile(path, `${JSON.stringify({ at: AT, ...landing('a') })}\n`);
    expect((await first).value).toEqual({ at: AT, kind: 'landing', idea: 'a' });
    abort.abort();
    expect((await follower.next()).done).toBe(true);
  });

  it('waits for the rest of a half-written line and skips what is no JSON', async () => {
    const path = join(root, 'half.jsonl');
    const text = `{"at":"${AT}","kind":"bounced","idea":"a","why":"ä€😀"}\nnot json\n{"at":"${AT}","kind":"landing","idea":"b"}\n`;
    const bytes = Buffer.from(text);
    const abort = new AbortController();
    const follower = followEvents(path, abort.signal, { pollMs: 5 });
    // In the middle of a character of several bytes.
    const cut = bytes.indexOf(Buffer.from('€')) + 1;
    await writeFile(path, bytes.subarray(0, cut));
    const first = follower.next();
    await appendFile(path, bytes.subarray(cut));
    expect((await first).value).toMatchObject({ why: 'ä€😀' });
    expect((await follower.next()).value).toMatchObject({ idea: 'b' });
    abort.abort();
  });

  it('skips JSON that is no event, and gives the events around it', async () => {
    const path = join(root, 'odd.jsonl');
    const odd = [
      { at: AT, kind: 'account' },
      42,
      null,
      [],
      'text',
      { at: AT, kind: 'iteration-end', idea: 'a', serial: 1, iteration: 1, outcome: 'ok', durationMs: 1, commits: 0 },
      { at: AT, kind: 'iteration-end', idea: 'a', serial: 1, iteration: 1, signal: 7, outcome: 'ok', commits: 0 },
      { at: AT, kind: 'idea', idea: '__proto__', title: 'x', status: 'running' },
      { at: AT, kind: 'idea', idea: 7, title: 'x', status: 'running' },
      { at: AT, kind: 'idea', idea: 'a', title: 'x', status: 'constructor' },
      { at: 'yesterday', kind: 'landing', idea: 'a' },
      { kind: 'landing', idea: 'a' },
      { at: AT, kind: '__proto__', idea: 7 },
    ];
    const good = [
      { at: AT, ...landing('a') },
      { at: AT, kind: 'of-a-newer-version', idea: 'a', more: {} },
      { at: AT, ...landing('b'), more: 'a field of a newer version' },
    ];
    const lines = [good[0], ...odd, good[1], ...odd, good[2]].map((one) => `${JSON.stringify(one)}\n`);
    await writeFile(path, lines.join(''));
    expect(await all(path)).toEqual(good);
  });

  it('gives back every event that was written, in order', async () => {
    let n = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'binary', maxLength: 50 }), { maxLength: 30 }), async (texts) => {
        const run = { project: 'p', runId: `run-${n++}` };
        const writer = new EventWriter(root, (error) => {
          throw error;
        });
        for (const why of texts) writer.write(run, { kind: 'bounced', idea: 'a', why }, 0);
        await writer.flush();
        const wanted = texts.map((why) => JSON.parse(JSON.stringify(why)) as string);
        expect((await all(eventsPath(root, run))).map((event) => 'why' in event && event.why)).toEqual(wanted);
      }),
      { numRuns: 50 },
    );
  });
});
