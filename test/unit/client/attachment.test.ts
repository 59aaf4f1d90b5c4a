/** An attached `start` whose run nobody asks for work: it says so, once for each time. Features: F4, A8. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Connected } from '../../../src/client/api/connection.js';
import type { RunApi } from '../../../src/client/api/run.js';
import { Attachment } from '../../../src/client/open-run/attachment.js';
import { until } from '../../support/program.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-attachment-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const IDLE = 120_000;

/** How long nobody has asked, in ms, by the server; each answer is counted. */
class Fake extends Attachment {
  idle: number | Error = 0;
  asked = 0;
  open = true;
  looked = 0;
  override get api(): RunApi {
    const idleMs = async (): Promise<number> => {
      this.asked += 1;
      if (this.idle instanceof Error) throw this.idle;
      return this.idle;
    };
    const facts = async () => {
      this.looked += 1;
      return { open: this.open, runId: 'r-1' };
    };
    return { idleMs, facts } as unknown as RunApi;
  }
}

async function watched(use: (watch: Fake, told: string[]) => Promise<void>): Promise<void> {
  const context = { root, cacheRoot: root, cwd: root, json: false, env: {} };
  // Other hosts serve the project: whether one of them works, only the server knows.
  const options = { project: 'p', runId: 'r-1', worker: false, times: { check: 1, idle: IDLE } };
  const watch = new Fake(context, { client: {} } as Connected, options);
  const told: string[] = [];
  watch.tell = (text) => void told.push(text);
  const stop = new AbortController();
  const watching = watch.watchWorker(stop.signal);
  try {
    await use(watch, told);
  } finally {
    stop.abort();
    await watching;
  }
}

/** The server has answered so often since. */
async function answers(watch: Fake, times = 3): Promise<void> {
  const before = watch.asked;
  await until('more answers', async () => watch.asked >= before + times);
}

const STILL = 'so the run is not moving. Start one with: ralphctl start (log: ';

it('F4: says once that no worker has asked for two minutes, and again when it happens again', () =>
  watched(async (watch, told) => {
    await answers(watch);
    expect(told).toEqual([]);
    watch.idle = IDLE - 1;
    await answers(watch);
    expect(told).toEqual([]);
    watch.idle = 3 * 60_000;
    const said = `no worker has asked for work of this run for 3 minutes, ${STILL}${root}/projects/p/logs)`;
    await answers(watch);
    expect(told).toEqual([said]);
    watch.idle = 4 * 60_000;
    await answers(watch);
    expect(told).toEqual([said]);
    watch.idle = 0;
    await answers(watch);
    watch.idle = 2 * 60_000;
    await answers(watch);
    expect(told).toEqual([said, said.replace('3 minutes', '2 minutes')]);
  }));

it('F4: says it of a run that no worker has ever asked for', () =>
  watched(async (watch, told) => {
    watch.idle = Number.POSITIVE_INFINITY;
    await answers(watch);
    expect(told).toEqual([expect.stringContaining(`no worker has asked for work of this run yet, ${STILL}`)]);
  }));

it('F4: a server that does not answer says nothing about workers', () =>
  watched(async (watch, told) => {
    watch.idle = new Error('unavailable');
    await answers(watch);
    expect(told).toEqual([]);
  }));

it('F4: says nothing of a run that is over', () =>
  watched(async (watch, told) => {
    watch.open = false;
    watch.idle = Number.POSITIVE_INFINITY;
    await until('more looks', async () => watch.looked >= 3);
    expect([told, watch.asked]).toEqual([[], 0]);
  }));
