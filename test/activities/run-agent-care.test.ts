/** What a run must not leak, and what it says when its files cannot be written. Features: B1 C5 D. */
import { mkdir, readdir, rename, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { iterationDir, ledgerPath } from '../../src/config/paths.js';
import { FAILURE } from '../../src/protocol/failures.js';
import { until } from '../support/program.js';
import { bench, say } from './bench.js';

const TOKEN = `ghp_${'aB3dE5gH7jK9mN1pQ2sT4vW6yZ8aB3dE5gH7'}`;

describe('runAgent', () => {
  it('lets no secret into result, files and heartbeats, and reads the signal nevertheless', async () => {
    const secret = 'correct-horse-battery';
    const b = await bench({
      agent: `cat > /dev/null
echo "found ${secret} and ${TOKEN}"
touch "$MARKS/said"
while [ ! -e "$MARKS/go" ]; do sleep 0.05; done
${say(`BLOCKED: ${secret} is refused`)}`,
    });
    b.env.DEPLOY_PASSWORD = secret;
    const call = b.call(b.activities.runAgent, b.agentInput(await b.prepare()));
    const details: unknown[] = [];
    call.env.on('heartbeat', (said: unknown) => details.push(said));
    await until('progress in a heartbeat', () => Promise.resolve(JSON.stringify(details).includes('found')));
    await b.write({ go: '' }, b.marks);
    const result = await call.done;
    expect(result.signal).toEqual({ kind: 'blocked', reason: '[redacted] is refused' });
    const texts = [JSON.stringify(result), JSON.stringify(details)];
    for (const name of await readdir(result.dir)) texts.push(await b.read(join(result.dir, name)));
    for (const text of texts) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(TOKEN);
    }
    expect(await b.read(join(result.dir, 'output.log'))).toContain('found [redacted] and [redacted]\n');
    expect(await b.read(join(result.dir, 'stream.jsonl'))).toContain('found [redacted] and [redacted]');
  });

  it('a ledger that cannot be written is the machine’s fault: the finished run of the agent is kept, and counts later', async () => {
    const b = await bench({ agent: `cat > /dev/null\necho ran >> "$MARKS/ran"\n${say('COMPLETE')}` });
    const input = b.agentInput(await b.prepare());
    const path = ledgerPath(b.root, b.project);
    await rename(path, `${path}.away`);
    await mkdir(path);
    await expect(b.call(b.activities.runAgent, input).done).rejects.toMatchObject({
      type: FAILURE.machine,
      message: expect.stringContaining('the ledger cannot be written: '),
    });
    await rmdir(path);
    await rename(`${path}.away`, path);
    expect(await b.call(b.activities.runAgent, input).done).toMatchObject({ signal: { kind: 'complete' } });
    expect(await b.read(join(b.marks, 'ran'))).toBe('ran\n');
    expect(await b.read(path)).toContain('"kind":"agent"');
  });

  it('B1: lets no secret into what it says of an agent that left its worktree, nor into errors', async () => {
    const secret = 'correct-horse-battery';
    const b = await bench({
      agent: `cat > /dev/null
echo stray > stray.txt
git stash push -qu -m "${secret}"
echo "${TOKEN}" > stray.txt
git stash push -qu -m "${TOKEN}"
${say('PROGRESS:10')}`,
    });
    b.env.DEPLOY_PASSWORD = secret;
    const at = await b.prepare();
    const { strayed } = await b.call(b.activities.runAgent, b.agentInput(at)).done;
    expect(strayed?.what.join()).toMatch(/stash.*\[redacted\]/);
    const texts = [JSON.stringify(strayed), await b.read(strayed?.report ?? '')];
    const elsewhere = b.agentInput({ ...at, worktree: join(b.root, TOKEN) }, { serial: 2 });
    const names = { ...b.ref, idea: 't-1', title: 'Do t-1', agentName: 'ed-001', ...at };
    const calls = [b.call(b.activities.runAgent, elsewhere), b.call(b.activities.landIdea, { ...names, head: TOKEN })];
    for (const { done } of calls) {
      const error = await done.then(
        () => undefined,
        (caught: unknown) => caught,
      );
      if (!(error instanceof Error)) throw new Error('it was no error');
      expect(error.message).toContain('[redacted]');
      texts.push(error.message, error.stack ?? '', String(error.cause));
    }
    for (const text of texts) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(TOKEN);
    }
  });

  it('gives the result of a run although its files cannot be written, and says so', async () => {
    const b = await bench();
    const at = await b.prepare();
    const dir = iterationDir(b.root, b.project, '20260101-000000-aaaa', 't-1', 1);
    for (const name of ['result.json', 'final-message.md'])
      await mkdir(join(dir, name, 'in-the-way'), { recursive: true });
    const result = await b.call(b.activities.runAgent, b.agentInput(at)).done;
    expect(result).toMatchObject({ outcome: { kind: 'ok' }, signal: { kind: 'complete' }, commits: 1 });
    expect(result.warnings).toHaveLength(2);
    expect(result.warnings?.join()).toMatch(/could not be written/);
    expect((await readdir(dir)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});
