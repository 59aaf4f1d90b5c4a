/**
 * Pipes for a child's output.
 * Why not the ones that Node makes: those are socket pairs, and a script that writes to /dev/stdout or /dev/stderr (or
 * pipes through `tee /dev/stderr`) fails on a socket. Here each is a named pipe without a name: opened, then unlinked.
 * Invariant: no file is left behind; undefined when this system cannot do it, and the caller lets Node make its own.
 */
import { execFile } from 'node:child_process';
import { close as closeFd, constants, open as openFd } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const open = promisify(openFd);
const close = promisify(closeFd);

export interface OutputPipes {
  stdout: Socket;
  stderr: Socket;
  /** To be handed to the child as its stdout and stderr. */
  writeEnds: [number, number];
  /** Closes our copies of the write ends, once the child has its own: else the readers would never end. */
  release(): Promise<void>;
  /** Gives everything up. */
  destroy(): Promise<void>;
}

interface Ends {
  read: [number, number];
  write: [number, number];
}

/** Pairs that one run of mkfifo makes: starting a process costs more than all the rest here. Each holds four descriptors. */
const AT_ONCE = 6;

const spares: Ends[] = [];
let making: Promise<number> | undefined;

/**
 * Two pipes; undefined where named pipes are not to be had.
 * Invariant: no pair is given out twice: it is taken from the spares in one turn of the event loop. Two agents that
 * started in the same moment once shared a pair: one lost its output, and with it the signal that it was done.
 */
export async function openPipes(): Promise<OutputPipes | undefined> {
  for (;;) {
    const ends = spares.pop();
    if (spares.length === 0) making ??= makeSpares();
    if (ends) return asPipes(ends);
    // With none made there is no use in waiting on; otherwise others may have taken them all meanwhile.
    if ((await making) === 0 && spares.length === 0) return undefined;
  }
}

async function makeSpares(): Promise<number> {
  const made = await makeEnds();
  spares.push(...made);
  making = undefined;
  return made.length;
}

function asPipes({ read, write }: Ends): OutputPipes {
  const [stdout, stderr] = read.map((fd) => new Socket({ fd, readable: true, writable: false })) as [Socket, Socket];
  let open = true;
  const release = async (): Promise<void> => {
    if (!open) return;
    open = false;
    await closeAll(write);
  };
  const destroy = async (): Promise<void> => {
    await release();
    stdout.destroy();
    stderr.destroy();
  };
  return { stdout, stderr, writeEnds: write, release, destroy };
}

const closeAll = async (fds: readonly number[]): Promise<void> => {
  await Promise.all(fds.map((fd) => close(fd).catch(() => undefined)));
};

/** As many as could be made; none where there are no named pipes. */
async function makeEnds(): Promise<Ends[]> {
  if (process.platform === 'win32') return [];
  const dir = await mkdtemp(join(tmpdir(), 'ralph-pipe-')).catch(() => undefined);
  if (dir === undefined) return [];
  const made: Ends[] = [];
  try {
    const names = Array.from({ length: AT_ONCE }, (_, n) => [join(dir, `${n}-out`), join(dir, `${n}-err`)] as const);
    await promisify(execFile)('mkfifo', ['-m', '600', ...names.flat()]);
    for (const paths of names) {
      const ends = await openBoth(paths);
      if (!ends) break;
      made.push(ends);
    }
  } catch {
    // What could be made is good.
  } finally {
    await rm(dir, { recursive: true, force: true }).catch(() => undefined);
  }
  return made;
}

async function openBoth(paths: readonly [string, string]): Promise<Ends | undefined> {
  const fds: number[] = [];
  try {
    // Readers first and without waiting, so that opening a writer does not wait either.
    for (const path of paths) fds.push(await open(path, constants.O_RDONLY | constants.O_NONBLOCK));
    for (const path of paths) fds.push(await open(path, constants.O_WRONLY));
  } catch {
    await closeAll(fds);
    return undefined;
  }
  const [outFd, errFd, outEnd, errEnd] = fds as [number, number, number, number];
  return { read: [outFd, errFd], write: [outEnd, errEnd] };
}
