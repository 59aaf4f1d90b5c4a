/**
 * Pipes for a child's output.
 * Node's own are socket pairs, and a script that writes to /dev/stdout or /dev/stderr (or pipes through `tee
 * /dev/stderr`) fails on a socket. Each pipe here is a named pipe that is opened and then unlinked.
 * Invariant: no file is left behind. Undefined when this system cannot do it, and the caller lets Node make its own.
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
  /** For the child's stdout and stderr. */
  writeEnds: [number, number];
  /** Closes the parent's copies of the write ends, once the child has its own; otherwise the readers never end. */
  release(): Promise<void>;
  /** Gives everything up. */
  destroy(): Promise<void>;
}

interface Ends {
  read: [number, number];
  write: [number, number];
}

/**
 * Pairs that one run of mkfifo makes, because starting a process dominates the cost (decision 026). Each holds four
 * descriptors.
 */
const AT_ONCE = 6;

const spares: Ends[] = [];
let making: Promise<number> | undefined;

/**
 * Two pipes; undefined where named pipes are unavailable.
 * Invariant: no pair is given out twice: it is taken from the spares in one turn of the event loop. Two agents that
 * started at the same moment once shared a pair: one lost its output, and with it its signal.
 */
export async function openPipes(): Promise<OutputPipes | undefined> {
  for (;;) {
    const ends = spares.pop();
    if (spares.length === 0) making ??= makeSpares();
    if (ends) return asPipes(ends);
    // If none could be made, waiting is useless; otherwise others may have taken them all meanwhile.
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

/** As many as could be made; none without named pipes. */
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
    // Pairs that were made are usable.
  } finally {
    await rm(dir, { recursive: true, force: true }).catch(() => undefined);
  }
  return made;
}

async function openBoth(paths: readonly [string, string]): Promise<Ends | undefined> {
  const fds: number[] = [];
  try {
    // Readers first and non-blocking, so that opening a writer does not block either.
    for (const path of paths) fds.push(await open(path, constants.O_RDONLY | constants.O_NONBLOCK));
    for (const path of paths) fds.push(await open(path, constants.O_WRONLY));
  } catch {
    await closeAll(fds);
    return undefined;
  }
  const [outFd, errFd, outEnd, errEnd] = fds as [number, number, number, number];
  return { read: [outFd, errFd], write: [outEnd, errEnd] };
}
