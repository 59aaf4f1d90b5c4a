/**
 * Real kills in the middle of an iteration: the run ends with the same landed set, each idea on the target exactly once,
 * and nothing is left running. Features: C1 C6. Each case has a server of its own.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findByToken } from '../../src/process/tokens.js';
import { readRecord } from '../../src/server/files.js';
import { stopServer } from '../../src/server/stop.js';
import { pidsWith } from '../support/processes.js';
import { roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';

const ideas = ['k-1', 'k-2', 'k-3', 'k-4'];

let root: string;
let box: Sandbox;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-kill-'));
  box = await sandbox(root, {
    'roadmap.md': roadmap(ideas.map((id) => ({ id }))),
    'ralphctl.yaml': yaml({
      version: 1,
      agent: 'scripted',
      slots: 2,
      stepDelayMs: 0,
      gate: { commands: ['test -f "$(git log -1 --format=%s | sed "s/.*#\\(k-[0-9]\\).*/\\1/").txt"'] },
    }),
  });
  const script = {
    ideas: Object.fromEntries(
      ideas.map((id) => [
        id,
        [
          { do: [{ append: { path: `${id}.txt`, text: 'one\n' } }], signal: 'PROGRESS:50' },
          {
            // Says that it is in the middle of its second iteration, and stays there until it is let go.
            do: [
              { run: `echo run >> ${join(box.scratch, `${id}.runs`)}` },
              { waitFor: { path: join(box.scratch, 'go') } },
              { append: { path: `${id}.txt`, text: 'two\n' } },
            ],
            signal: 'COMPLETE',
          },
        ],
      ]),
    ),
  };
  await box.write({ '.ralph-script.yaml': yaml(script) });
  await box.commit('script');
}, 900_000);

afterEach(async () => {
  await box?.dispose();
  await stopServer(root);
  await rm(root, { recursive: true, force: true, maxRetries: 3 });
});

const project = async (): Promise<string> => {
  const { json } = await box.run('status', '--json');
  return json[0]?.project as string;
};

/** Two agents are in the middle of their second iteration. */
const bothBusy = () =>
  until('two agents in their second iteration', async () => {
    const { existsSync } = await import('node:fs');
    return ['k-1', 'k-2'].every((id) => existsSync(join(box.scratch, `${id}.runs`)));
  });

const letGo = async () => {
  const { writeFile } = await import('node:fs/promises');
  await writeFile(join(box.scratch, 'go'), '');
};

async function expectAllLandedOnce(): Promise<void> {
  const trailers = (
    await box.git('log', '--format=%H %(trailers:key=Ralph-Idea,valueonly,separator=%x2C)', 'main')
  ).split('\n');
  for (const id of ideas) {
    expect(await box.git('show', `main:${id}.txt`), id).toBe('one\ntwo');
    // Two iterations in a row with one message land as one commit, and never a repetition.
    expect(
      trailers.filter((line) => line.endsWith(` ${id}`)),
      id,
    ).toHaveLength(1);
  }
  expect(await box.git('status', '--porcelain')).toBe('');
  expect(await box.git('for-each-ref', '--format=%(refname:short)', 'refs/heads')).toBe('main');
}

describe('kills in the middle of an iteration', () => {
  it('worker SIGKILLed: its agents are ended, the iterations run again, all lands once (C6)', async () => {
    const started = box.run('start', '--json', '--wait');
    await bothBusy();
    const id = await project();
    const agents = await findByToken(id);
    expect(agents.length).toBeGreaterThanOrEqual(2);
    const [worker] = await pidsWith('worker', '--child', '--project', id);
    expect(worker).toBeDefined();
    process.kill(worker as number, 'SIGKILL');
    await until('the agents of the killed worker to be gone', async () => {
      const left = await findByToken(id);
      return !left.some((one) => agents.some((old) => old.pid === one.pid && old.startTime === one.startTime));
    });
    await letGo();
    const outcome = await started;
    expect(outcome.code, outcome.stderr + outcome.stdout.slice(-3000)).toBe(0);
    await expectAllLandedOnce();
    expect(await findByToken(id)).toEqual([]);
  });

  it('server SIGKILLed: the supervisor brings it back, agents go on undisturbed, all lands once (C6)', async () => {
    const started = box.run('start', '--json', '--wait');
    await bothBusy();
    const before = await readRecord(root);
    expect(before).toBeDefined();
    process.kill((before as { pid: number }).pid, 'SIGKILL');
    const after = await until('another server at the same address', async () => {
      const record = await readRecord(root);
      return record && record.pid !== before?.pid ? record : undefined;
    });
    expect(after.address).toBe(before?.address);
    await letGo();
    const outcome = await started;
    expect(outcome.code, outcome.stderr + outcome.stdout.slice(-3000)).toBe(0);
    await expectAllLandedOnce();
    const { readFile } = await import('node:fs/promises');
    for (const id of ideas) expect(await readFile(join(box.scratch, `${id}.runs`), 'utf8'), id).toBe('run\n');
  });

  it('worker told to stop: iterations are handed back, a later start goes on (C1, C6)', async () => {
    const detached = await box.run('start', '--json', '--detach');
    expect(detached.code, detached.stderr).toBe(0);
    await bothBusy();
    const id = await project();
    expect((await box.run('worker', '--stop')).code).toBe(0);
    expect(await findByToken(id)).toEqual([]);
    expect(await pidsWith('worker', '--project', id)).toEqual([]);
    const facts = (await box.run('status', '--json')).json[0] as { facts: { open: boolean } };
    expect(facts.facts.open).toBe(true);
    await letGo();
    const outcome = await box.run('start', '--json', '--wait');
    expect(outcome.code, outcome.stderr + outcome.stdout.slice(-3000)).toBe(0);
    await expectAllLandedOnce();
  });

  it('supervisor SIGKILLed: its worker ends too and brings another one up, all lands once (C6)', async () => {
    expect((await box.run('start', '--json', '--detach')).code).toBe(0);
    await bothBusy();
    const id = await project();
    const [supervisor] = await pidsWith('worker', '--supervise', '--project', id);
    expect(supervisor).toBeDefined();
    process.kill(supervisor as number, 'SIGKILL');
    await until('another supervisor', async () =>
      (await pidsWith('worker', '--supervise', '--project', id)).some((pid) => pid !== supervisor),
    );
    await letGo();
    const outcome = await box.run('start', '--json', '--wait');
    expect(outcome.code, outcome.stderr + outcome.stdout.slice(-3000)).toBe(0);
    await expectAllLandedOnce();
  });
});
