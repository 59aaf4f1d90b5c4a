/** Carries a shock out on real processes. Says what it hit, so that a violation can be understood. */
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Shock } from './plan.js';
import { find, signal } from './processes.js';
import type { Place } from './sandbox.js';

const PAUSES_MS = 15_000;

export async function strike(shock: Shock, place: Place, project: string): Promise<string> {
  const where = { project, root: place.root };
  switch (shock.do) {
    case 'kill': {
      const hit = shock.targets.flatMap((target) => find(target, where).map(({ pid }) => ({ target, pid })));
      return said(hit.filter(({ pid }) => signal(pid, 'SIGKILL')));
    }
    case 'freeze': {
      const hit = shock.targets.flatMap((target) => find(target, where).map(({ pid }) => ({ target, pid })));
      const frozen = hit.filter(({ pid }) => signal(pid, 'SIGSTOP'));
      await sleep(shock.holdMs);
      for (const { pid } of frozen) signal(pid, 'SIGCONT');
      return said(frozen);
    }
    case 'second-worker': {
      const pid = place.launch('worker', '--child', '--project', project);
      await sleep(shock.holdMs);
      signal(pid, 'SIGKILL');
      return `second worker ${pid}`;
    }
    case 'disk-full':
      return fill(join(place.root, 'filler'), shock.holdMs);
    case 'pause-resume': {
      const codes: number[] = [];
      // Commands are slow on a busy machine, and the episode waits for them.
      const end = Date.now() + PAUSES_MS;
      for (let n = 0; n < shock.times && Date.now() < end; n++) {
        codes.push((await place.call('pause', 'chaos')).code, (await place.call('resume')).code);
      }
      return `exit codes ${codes.join(' ')}`;
    }
  }
}

const said = (hit: { target: string; pid: number }[]): string =>
  hit.length === 0 ? 'nothing was there' : hit.map(({ target, pid }) => `${target} ${pid}`).join(', ');

/** Takes all the room that is left. */
async function fill(path: string, holdMs: number): Promise<string> {
  const file = await open(path, 'w');
  let bytes = 0;
  try {
    for (const size of [1 << 20, 1 << 12, 1]) {
      const block = Buffer.alloc(size, 1);
      for (;;) {
        const { bytesWritten } = await file.write(block).catch(() => ({ bytesWritten: 0 }));
        bytes += bytesWritten;
        if (bytesWritten < size) break;
      }
    }
    await sleep(holdMs);
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
  return `${bytes} bytes`;
}
