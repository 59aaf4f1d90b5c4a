/** Ticks of a backlog that git does not track, written at once by several ideas and edited by a person. Features: F5 D2. */
import { ftruncateSync, statSync, writeSync } from 'node:fs';
import { mkdir, open, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { tickUntracked } from '../../src/jobs/tick-untracked.js';
import type { TickFile } from '../../src/run-files/ticks.js';
import { type Bench, bench } from './bench.js';

const IDS = Array.from({ length: 12 }, (_, n) => `US-${n + 1}`);
interface Prd {
  mine?: number;
  userStories: { id: string; passes: boolean }[];
}

/** `name`: of the backlog, outside the repository. */
async function outside(name = 'prd.json', format: 'prd' | 'roadmap' = 'prd') {
  const b: Bench = await bench({ files: { 'base.txt': 'base\n' } });
  const file = join(b.base, 'plans', name);
  const prd: Prd = { userStories: IDS.map((id) => ({ id, title: `Do ${id}`, passes: false })) };
  await mkdir(join(b.base, 'plans'));
  await writeFile(file, JSON.stringify(prd, null, 2));
  const run = { ...b.file, backlog: { ...b.file.backlog, file, format } };
  const one = (...ids: string[]): TickFile[] => [{ file, place: undefined, ids, beside: new Map() }];
  const read = async (): Promise<Prd> => JSON.parse(await readFile(file, 'utf8')) as Prd;
  const ticked = async (): Promise<string[]> =>
    (await read()).userStories.filter(({ passes }) => passes).map(({ id }) => id);
  /** `wait` takes the place of the time between two looks at the file, which was always saved a moment ago. */
  const tickWith = (wait: (ms: number) => void, ...ids: string[]) =>
    tickUntracked(b.root, run, one(...ids), true, {
      now: () => statSync(file).mtimeMs + 10,
      wait: async (ms) => wait(ms),
    });
  return { file, read, ticked, tickWith, tick: (...ids: string[]) => tickUntracked(b.root, run, one(...ids)) };
}

describe('a backlog that git does not track', () => {
  it('has the ticks of all ideas whose pull requests were merged together', async () => {
    const { tick, ticked } = await outside();
    await Promise.all(IDS.map((id) => tick(id)));
    expect(await ticked()).toEqual(IDS);
  });

  it('keeps each edit that a person makes in the moment of a tick', async () => {
    const { tick, file, read } = await outside();
    let on = true;
    const lost: number[] = [];
    // A save into the file that was just replaced is brought back a moment later.
    const kept = (n: number) => async () => expect((await read()).mine).toBe(n);
    const person = async (): Promise<void> => {
      for (let n = 1; on; n++) {
        await writeFile(file, JSON.stringify({ ...(await read()), mine: n }, null, 2));
        await new Promise((resolve) => setImmediate(resolve));
        await vi.waitFor(kept(n), { timeout: 2000 }).catch(() => lost.push(n));
      }
    };
    const edits = person();
    for (let round = 0; round < 5; round++) for (const id of IDS) await tick(id);
    on = false;
    await edits;
    expect(lost).toEqual([]);
  });

  it('F5: is not read where it is larger than any backlog, and the sentence says so', async () => {
    const { tick, file, ticked } = await outside();
    const text = await readFile(file, 'utf8');
    await writeFile(file, `${text}${' '.repeat(32 * 1024 * 1024)}`);
    expect(await tick('US-1')).toMatch(/^US-1 cannot be ticked in \S+ \(it is larger than 32 MB\)\. Do it by hand\.$/);
    expect(await ticked()).toEqual([]);
  });

  it('keeps a save into the file that a program had opened before the tick replaced it', async () => {
    const { tick, file, read, ticked } = await outside();
    const opened = await open(file, 'r+');
    const save = Buffer.from(JSON.stringify({ ...(await read()), mine: 1 }, null, 2));
    const { ino } = await stat(file);
    const ticking = tick('US-2');
    // Synchronous: it saves before anything else can look at the file that was replaced.
    while (statSync(file).ino === ino) await new Promise((resolve) => setImmediate(resolve));
    ftruncateSync(opened.fd);
    writeSync(opened.fd, save, 0, save.length, 0);
    await opened.close();
    await ticking;
    expect([(await read()).mine, await ticked()]).toEqual([1, ['US-2']]);
  });

  it.each(['before', 'after'])('keeps a slow save that began %s the tick', async (when) => {
    const { tickWith, file, ticked } = await outside();
    const whole = await readFile(file, 'utf8');
    const opened = await open(file, 'r+');
    const rest = [
      () => {
        ftruncateSync(opened.fd);
        writeSync(opened.fd, whole.slice(0, 100), 0);
      },
      () => writeSync(opened.fd, `${whole.slice(100)}\n`, 100),
    ];
    const goOn = () => rest.shift()?.();
    if (when === 'before') goOn();
    await tickWith((ms) => {
      // The short wait is for a save that has not begun when the tick replaces the file.
      if (rest.length === 1 || ms < 50) goOn();
    }, 'US-2');
    expect(rest).toEqual([]);
    await opened.close();
    expect(await ticked()).toEqual(['US-2']);
    expect((await readFile(file, 'utf8')).trimEnd()).toBe(whole.replace(/("id": "US-2",[^}]*)false/, '$1true'));
  });

  it('is named where it has become too complex to read', async () => {
    const { tick, file } = await outside('roadmap.md', 'roadmap');
    await writeFile(file, `# Plan\n\n- [ ] US-1 Do it\n${' '.repeat(300)}- x\n`);
    expect(await tick('US-1')).toMatch(/US-1 cannot be ticked in .*roadmap\.md .*Do it by hand/);
  });

  it('is left alone where it is no text any more, and named where it cannot be written', async () => {
    const { tick, file } = await outside();
    const bytes = Buffer.concat([await readFile(file), Buffer.from([0xff, 0xfe, 0x0a])]);
    await writeFile(file, bytes);
    expect(await tick('US-1')).toBeUndefined();
    expect((await readFile(file)).equals(bytes)).toBe(true);
    // Too long a name for the new file beside it: the same as a folder or disk that takes none.
    const long = await outside(`${'p'.repeat(245)}.json`);
    expect(await long.tick('US-1', 'US-2')).toBe(
      `US-1, US-2 cannot be ticked in ${long.file} (ENAMETOOLONG). Do it by hand.`,
    );
    expect(await long.ticked()).toEqual([]);
  });
});
