/** The ends of gate logs in a report. Features: G1 G2. */
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { gateTails } from '../../../src/client/report/gate-tails.js';
import type { RunModel } from '../../../src/model/model.js';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ralphctl-tails-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const model = (logs: Record<string, { log: string; pass?: boolean; status?: string }>): RunModel =>
  ({
    ideas: new Map(
      Object.entries(logs).map(([id, { log, pass = false, status = 'failed' }]) => [
        id,
        { id, status, gate: { log, pass } },
      ]),
    ),
  }) as unknown as RunModel;

async function put(name: string, text: string): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, text, { mode: 0o600 });
  return path;
}

it('has the last whole lines, without escapes, of red gates alone', async () => {
  const long = Array.from({ length: 2000 }, (_, n) => `line ${n}`).join('\n');
  const tails = await gateTails(
    model({
      short: { log: await put('short.log', '\u001b[31mnot ok 1\u001b[0m\n# fail 1\n\n') },
      long: { log: await put('long.log', long) },
      green: { log: await put('green.log', 'ok 1'), pass: true },
      landed: { log: await put('landed.log', 'not ok'), status: 'landed' },
      empty: { log: await put('empty.log', '\n') },
    }),
  );
  expect([...tails.keys()]).toEqual(['short', 'long']);
  expect(tails.get('short')).toBe('not ok 1\n# fail 1');
  expect(tails.get('long')?.split('\n')).toEqual(Array.from({ length: 20 }, (_, n) => `line ${1980 + n}`));
});

it('a log that was cleaned up, or is no file, leaves its idea out', async () => {
  await symlink('/dev/zero', join(dir, 'zero.log'));
  const tails = await gateTails(model({ gone: { log: join(dir, 'none.log') }, zero: { log: join(dir, 'zero.log') } }));
  expect(tails.size).toBe(0);
});
