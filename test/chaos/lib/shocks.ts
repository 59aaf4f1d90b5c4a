/** Carries a shock out on real processes. Says what it hit, so that a violation can be understood. */
import { open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Shock, Target } from './plan.js';
import type { HeldGit } from './points.js';
import { everything, find, signal } from './processes.js';
import type { Place } from './sandbox.js';

const PAUSES_MS = 15_000;

export interface Scene {
  place: Place;
  project: string;
  /** The git command that stands still for this shock. */
  held?: HeldGit;
  /** Told of every agent that was killed: that alone may cost its idea something. */
  onAgent: () => void;
  /** Says something to the run as a person would. */
  say: (what: Extract<Shock, { do: 'say' }>['what']) => Promise<string>;
}

export async function strike(shock: Shock, scene: Scene): Promise<string> {
  const { place, project, held } = scene;
  const where = { project, root: place.root };
  const found = (targets: readonly Target[]) =>
    targets.flatMap((target) => find(target, where).map(({ pid }) => ({ target, pid })));
  switch (shock.do) {
    case 'kill': {
      const hit = found(shock.targets).filter(({ pid }) => signal(pid, 'SIGKILL'));
      for (const { target } of hit) if (target === 'agent') scene.onAgent();
      // With everything else a git command ends, too, as in a power cut; alone it outlives whoever started it.
      await held?.release(shock.targets.length > 2 ? 'die' : undefined);
      return said(hit);
    }
    case 'freeze': {
      const frozen = found(shock.targets).filter(({ pid }) => signal(pid, 'SIGSTOP'));
      await held?.release();
      await sleep(shock.holdMs);
      for (const { pid } of frozen) signal(pid, 'SIGCONT');
      return said(frozen);
    }
    case 'suspend': {
      // One more round for what was started between looking and stopping.
      const frozen = new Set<number>();
      for (let round = 0; round < 3; round++)
        for (const { pid } of everything(where)) if (!frozen.has(pid) && signal(pid, 'SIGSTOP')) frozen.add(pid);
      await held?.release();
      await sleep(shock.holdMs);
      for (const pid of frozen) signal(pid, 'SIGCONT');
      return `${frozen.size} processes`;
    }
    case 'clock':
      await held?.release();
      await writeFile(place.clock, String(shock.offsetMs));
      return 'the clock jumped';
    case 'say': {
      await held?.release();
      return scene.say(shock.what);
    }
    case 'second-worker': {
      await held?.release();
      const pid = place.launch('worker', '--child', '--project', project);
      await sleep(shock.holdMs);
      signal(pid, 'SIGKILL');
      return `second worker ${pid}`;
    }
    case 'disk-full': {
      await held?.release();
      return fill(join(place.root, 'filler'), shock.holdMs);
    }
    case 'pause-resume': {
      await held?.release();
      const codes: number[] = [];
      // Commands are slow on a busy machine, and the episode waits for them.
      const end = performance.now() + PAUSES_MS;
      for (let n = 0; n < shock.times && performance.now() < end; n++) {
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
