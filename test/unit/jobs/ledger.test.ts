/** E5: the evidence ledger takes each operation once, from any number of writers, and shows every change. */
import { execFile } from 'node:child_process';
import { appendFile, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { ledgerPath } from '../../../src/config/paths.js';
import { appendOperations, operationId } from '../../../src/jobs/ledger/append.js';
import type { Draft, LedgerRow } from '../../../src/protocol/ledger.js';
import { ChainReader } from '../../../src/run-files/ledger.js';

const draft = (key: string, more: Partial<Draft> = {}): Draft => ({
  ...{ key, at: '2026-11-22T10:00:00.000Z', op: 'evidence', kind: 'build', idea: 'a-1', run: 'r-1' },
  ...{ actor: { kind: 'ralphctl' }, pass: true, data: { key } },
  ...more,
});

let root: string;
let path: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-ledger-'));
  path = ledgerPath(root, 'p');
  const made = root;
  onTestFinished(() => rm(made, { recursive: true, force: true }));
});

async function read(): Promise<{ rows: LedgerRow[]; chain: ChainReader }> {
  const chain = new ChainReader();
  const rows: LedgerRow[] = [];
  for await (const row of chain.read(path)) rows.push(row);
  return { rows, chain };
}

const lines = async (): Promise<string[]> => (await readFile(path, 'utf8')).split('\n').slice(0, -1);

describe('appending', () => {
  it('takes a key once, however often it comes', async () => {
    expect(await appendOperations(root, 'p', [draft('one'), draft('two'), draft('one')])).toBe(2);
    expect(await appendOperations(root, 'p', [draft('two'), draft('three')])).toBe(1);
    const { rows, chain } = await read();
    expect(rows.map(({ data }) => data.key)).toEqual(['one', 'two', 'three']);
    expect(rows.map(({ n }) => n)).toEqual([1, 2, 3]);
    expect(chain.faults).toEqual([]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('refers to the plan, the claim and the evidence before', async () => {
    await appendOperations(root, 'p', [
      draft('plan', { op: 'commit', run: undefined, kind: undefined }),
      draft('claim', { op: 'claim', kind: undefined }),
      draft('work', { kind: 'fix-applied' }),
      draft('other', { idea: 'b-1' }),
      draft('gate'),
      draft('end', { op: 'submit', kind: undefined }),
    ]);
    const { rows } = await read();
    const refs = (key: string) => rows.find(({ data }) => data.key === key)?.refs;
    const id = operationId;
    expect(refs('plan')).toEqual([]);
    expect(refs('claim')).toEqual([id('plan')]);
    expect(refs('work')).toEqual([id('claim')]);
    expect(refs('other')).toEqual([]);
    expect(refs('gate')).toEqual([id('claim'), id('work')]);
    expect(refs('end')).toEqual([id('claim'), id('work'), id('gate')]);
  });

  it('goes on after half a line from a crash, and writes its operation again', async () => {
    await appendOperations(root, 'p', [draft('one'), draft('two')]);
    await truncate(path, (await stat(path)).size - 40);
    expect(await appendOperations(root, 'p', [draft('two'), draft('three')])).toBe(2);
    const { rows, chain } = await read();
    expect(rows.map(({ data }) => data.key)).toEqual(['one', 'two', 'three']);
    expect(chain.faults).toMatchObject([{ line: 2 }]);
  });

  it('leaves out what no reader accepts, and the chain stays whole', async () => {
    const drafts = [
      draft('one'),
      draft('bad', { idea: 'not an id' }),
      draft('worse', { durationMs: Number.NaN }),
      draft('two'),
    ];
    expect(await appendOperations(root, 'p', drafts)).toBe(2);
    expect((await read()).chain).toMatchObject({ n: 2, faults: [] });
  });

  it('reads a file anew that somebody replaced', async () => {
    await appendOperations(root, 'p', [draft('one'), draft('two')]);
    await rm(path);
    expect(await appendOperations(root, 'p', [draft('two')])).toBe(1);
    expect((await read()).chain).toMatchObject({ n: 1, faults: [] });
  });

  /** A program that appends: `each` is its work, with `root`, `me` and `draft`. */
  async function writer(each: string): Promise<string> {
    const program = join(root, 'writer.cjs');
    const contents = `import { appendOperations } from './src/jobs/ledger/append.js';
      const [root, me] = process.argv.slice(2);
      const draft = (key, more = {}) => ({ key, at: '2026-11-22T10:00:00.000Z', op: 'evidence', kind: 'build', idea: 'a-1',
        run: 'r-1', actor: { kind: 'ralphctl' }, data: { key, ...more } });
      (async () => { ${each} })();`;
    const stdin = { contents, resolveDir: process.cwd() };
    await build({ stdin, bundle: true, outfile: program, platform: 'node', format: 'cjs', logLevel: 'error' });
    return program;
  }

  it('keeps the chain whole with several processes that write the same and other operations', async () => {
    const program = await writer(
      "for (let n = 0; n < 15; n++) await appendOperations(root, 'p', [draft('all-' + n), draft(me + '-' + n)]);",
    );
    const run = promisify(execFile);
    await Promise.all(['x', 'y', 'z'].map((me) => run(process.execPath, [program, root, me])));
    const { rows, chain } = await read();
    expect(chain.faults).toEqual([]);
    expect(rows).toHaveLength(15 + 3 * 15);
  });

  it('C1: keeps the chain whole where the disk takes only a part of what is written', async () => {
    const program = await writer(`
      const long = { x: 'y'.repeat(3000) };
      for (let n = 0; n < 20; n++)
        await appendOperations(root, 'p', [draft('a-' + n, long), draft('b-' + n, long)]).catch(({ code }) => {
          console.log(code);
          process.exit(0);
        });`);
    // The largest file of this process: a write that goes beyond is cut there, and the next one fails.
    const limited = 'ulimit -f 50; exec "$0" "$@"';
    const { stdout } = await promisify(execFile)('sh', ['-c', limited, process.execPath, program, root, 'x']);
    expect(stdout).toBe('EFBIG\n');
    await appendOperations(root, 'p', [draft('after')]);
    const { rows, chain } = await read();
    expect(chain).toMatchObject({ faults: [], torn: false });
    expect(rows.length % 2).toBe(1);
    expect(rows.at(-1)?.data.key).toBe('after');
  });
});

describe('the chain', () => {
  it('shows any change of any line', async () => {
    await appendOperations(
      root,
      'p',
      ['a', 'b', 'c', 'd', 'e'].map((key) => draft(key)),
    );
    const before = await lines();
    const change = fc.record({ at: fc.nat({ max: 3 }), how: fc.constantFrom('drop', 'twice', 'swap', 'edit') });
    await fc.assert(
      fc.asyncProperty(change, async ({ at, how }) => {
        const now = [...before];
        const line = now[at] ?? '';
        if (how === 'drop') now.splice(at, 1);
        if (how === 'twice') now.splice(at, 0, line);
        if (how === 'swap') now.splice(at, 2, now[at + 1] ?? '', line);
        if (how === 'edit') now[at] = line.replace('"pass":true', '"pass":false');
        await writeFile(path, `${now.join('\n')}\n`);
        expect((await read()).chain.faults).not.toEqual([]);
      }),
    );
  });

  it('a changed last line shows by its head', async () => {
    await appendOperations(root, 'p', [draft('a'), draft('b')]);
    const { chain } = await read();
    const now = await lines();
    await writeFile(path, `${now[0]}\n${now[1]?.replace('"pass":true', '"pass":false')}\n`);
    expect((await read()).chain.hash).not.toBe(chain.hash);
  });

  it('a line that is no operation is a fault with its number, and the rest is read', async () => {
    await appendOperations(root, 'p', [draft('a')]);
    await appendFile(path, '{"v":1}\n\u0000\nnull\n');
    await appendOperations(root, 'p', [draft('b')]);
    const { rows, chain } = await read();
    expect(rows.map(({ data }) => data.key)).toEqual(['a', 'b']);
    expect(chain.faults.map(({ line }) => line)).toEqual([2, 3, 4]);
  });
});
