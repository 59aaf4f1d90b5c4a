/** What a person tells a run: pause at the boundary, resume, slots, stop, a second start. Features: A1 C1 C6 G8. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import type { RunStatus } from '../../src/protocol/views.js';
import { roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';
import { whenOver } from '../support/told.js';

let box: Sandbox;

/** Every idea takes two iterations; each one waits to be let go, and leaves a file when it has begun. */
beforeEach(async () => {
  box = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap(['p-1', 'p-2', 'p-3'].map((id) => ({ id }))),
    'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', slots: 1, stepDelayMs: 0, gate: ['true'] }),
  });
  const step = (n: number, signal: string) => ({
    do: [
      { run: `touch ${box.scratch}/began-$RALPHCTL_IDEA-${n}` },
      { waitFor: { path: join(box.scratch, `go-\${IDEA}-${n}`) } },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the scripted agent fills it in
      { append: { path: '${IDEA}.txt', text: `${n}\n` } },
    ],
    signal,
  });
  await box.write({ '.ralph-script.yaml': yaml({ default: [step(1, 'PROGRESS:50'), step(2, 'COMPLETE')] }) });
  await box.commit('script');
});
afterEach(() => box?.dispose());

const began = (id: string, n: number) =>
  until(`${id} iteration ${n}`, async () => existsSync(join(box.scratch, `began-${id}-${n}`)));
const go = (id: string, n: number) => writeFile(join(box.scratch, `go-${id}-${n}`), '');
const status = async (): Promise<RunStatus> => {
  const { json } = await box.run('status', '--json');
  return json[0]?.status as RunStatus;
};
const state = (wanted: string) => until(`state ${wanted}`, async () => (await status())?.state === wanted);

describe('telling a run', () => {
  it('pause takes hold at the iteration boundary, never inside one; resume goes on (C1)', async () => {
    expect((await box.run('start', '--detach')).code).toBe(0);
    await began('p-1', 1);
    expect((await box.run('pause', '--reason', 'lunch')).code).toBe(0);
    await state('pausing');
    // A start resumes nothing, and says so.
    const start = async (): Promise<string> => (await box.run('start', '--detach')).stderr;
    expect(await start()).toMatch(/attached to the open run [\s\S]*it is pausing: .* To go on: ralphctl resume/);
    await go('p-1', 1);
    await state('paused');
    expect(await start()).toMatch(/it is paused, and nothing starts\. To go on: ralphctl resume/);
    const held = await status();
    expect(held.why).toBe('lunch');
    expect(held.active.map((line) => [line.id, line.status])).toEqual([['p-1', 'paused']]);
    expect(existsSync(join(box.scratch, 'began-p-1-2'))).toBe(false);
    // The iteration that ran was finished and kept.
    expect(await box.git('show', 'ralph/p-1:p-1.txt')).toBe('1');
    expect((await box.run('resume')).code).toBe(0);
    await began('p-1', 2);
    for (const id of ['p-1', 'p-2', 'p-3']) for (const n of [1, 2]) await go(id, n);
    const done = await box.run('start', '--json', '--wait');
    expect(done.code, done.stderr).toBe(0);
  });

  it('a second start attaches to the open run instead of starting a rival (C6)', async () => {
    await box.run('start', '--detach');
    await began('p-1', 1);
    const second = await box.run('start', '--json', '--detach');
    expect(second.json[0]).toMatchObject({ kind: 'started', attached: true });
    for (const id of ['p-1', 'p-2', 'p-3']) for (const n of [1, 2]) await go(id, n);
    const third = await box.run('start', '--json', '--wait');
    expect(third.code, third.stderr).toBe(0);
    expect(
      (await box.git('log', '--format=%s', 'main')).split('\n').filter((line) => line.includes('#p-1')),
    ).toHaveLength(1);
  });

  it('Ctrl-C leaves the run at work and says how to come back; SIGTERM does the same (C6)', async () => {
    for (const [signal, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 130],
    ] as const) {
      const attached = box.spawn('start');
      let said = '';
      for (const stream of [attached.stdout, attached.stderr]) stream?.on('data', (chunk) => (said += String(chunk)));
      const closed = new Promise<number | null>((resolve) => attached.once('close', resolve));
      await began('p-1', 1);
      await until('a line of the run', async () => said.includes('p-1'));
      attached.kill(signal);
      expect(await closed).toBe(code);
      expect(said).toContain('detached; the run continues. Attach again: ralphctl start');
      expect((await status()).state).toBe('running');
    }
    for (const id of ['p-1', 'p-2', 'p-3']) for (const n of [1, 2]) await go(id, n);
    const back = await box.run('start', '--json', '--wait');
    expect(back.code, back.stderr).toBe(0);
  });

  it('a backlog that was broken meanwhile keeps nobody from coming back to the open run (C6)', async () => {
    await box.run('start', '--detach');
    await began('p-1', 1);
    const twice = `${roadmap([{ id: 'p-1' }])}\n${roadmap([{ id: 'p-1' }])}`;
    await box.write({ 'roadmap.md': twice, 'ralphctl.yaml': 'no: such key\n' });
    const second = await box.run('start', '--json', '--detach');
    expect(second.code, second.stderr).toBe(0);
    expect(second.json[0]).toMatchObject({ kind: 'started', attached: true });
    await box.git('checkout', '--quiet', '.');
    for (const id of ['p-1', 'p-2', 'p-3']) for (const n of [1, 2]) await go(id, n);
    expect((await box.run('start', '--json', '--wait')).code).toBe(0);
  });

  it('slots change while it runs, and a nonsense number is refused with a sentence (A1)', async () => {
    await box.run('start', '--detach');
    await began('p-1', 1);
    expect(existsSync(join(box.scratch, 'began-p-2-1'))).toBe(false);
    expect((await box.run('slots', '3')).code).toBe(0);
    await began('p-2', 1);
    await began('p-3', 1);
    const refused = await box.run('slots', '101');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('whole number from 1 to 100');
    for (const id of ['p-1', 'p-2', 'p-3']) for (const n of [1, 2]) await go(id, n);
    expect((await box.run('start', '--json', '--wait')).code).toBe(0);
  });

  it('stop ends at the boundary, keeps the work on its branch, and a later start goes on from there (C1, C6)', async () => {
    await box.run('start', '--detach');
    await began('p-1', 1);
    expect((await box.run('stop', '--reason', 'enough')).code).toBe(0);
    await go('p-1', 1);
    await whenOver(box);
    expect((await box.run('status')).stdout).toContain('last run: stopped');
    expect(await box.git('show', 'ralph/p-1:p-1.txt')).toBe('1');
    expect(await box.git('log', '--format=%s', 'main')).not.toContain('#p-1');
    const none = await box.run('pause');
    expect([none.code, none.stderr]).toEqual([6, expect.stringContaining('no run is open')]);
    // The next run adopts the branch: its first iteration is told to append again, so the first line is still there.
    for (const id of ['p-1', 'p-2', 'p-3']) for (const n of [1, 2]) await go(id, n);
    const next = await box.run('start', '--json', '--wait');
    expect(next.code, next.stderr).toBe(0);
    expect(await box.git('show', 'main:p-1.txt')).toBe('1\n1\n2');
  });
});
