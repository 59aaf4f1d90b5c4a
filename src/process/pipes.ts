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

let spare: Promise<OutputPipes | undefined> | undefined;

/**
 * Two pipes; undefined where named pipes are not to be had. The next pair is made while this one is in use.
 * Invariant: no pair is given out twice, so the spare is taken before anything is waited for. Two agents that started in
 * the same moment once shared a pair: one lost its output, and with it the signal that it was done.
 */
export async function openPipes(): Promise<OutputPipes | undefined> {
  const mine = spare ?? makePipes();
  // A waiting pair must not keep the program alive.
  spare = makePipes().then((next) => {
    next?.stdout.unref();
    next?.stderr.unref();
    return next;
  });
  const pipes = await mine;
  pipes?.stdout.ref();
  pipes?.stderr.ref();
  return pipes;
}

async function makePipes(): Promise<OutputPipes | undefined> {
  if (process.platform === 'win32') return undefined;
  const dir = await mkdtemp(join(tmpdir(), 'ralph-pipe-')).catch(() => undefined);
  if (dir === undefined) return undefined;
  const fds: number[] = [];
  try {
    const paths = [join(dir, 'out'), join(dir, 'err')];
    await promisify(execFile)('mkfifo', ['-m', '600', ...paths]);
    // Readers first and without waiting, so that opening a writer does not wait either.
    for (const path of paths) fds.push(await open(path, constants.O_RDONLY | constants.O_NONBLOCK));
    for (const path of paths) fds.push(await open(path, constants.O_WRONLY));
    const [outFd, errFd, outEnd, errEnd] = fds as [number, number, number, number];
    const [stdout, stderr] = [outFd, errFd].map((fd) => new Socket({ fd, readable: true, writable: false }));
    if (!stdout || !stderr) return undefined;
    const release = async (): Promise<void> => {
      await Promise.all(fds.splice(2).map((fd) => close(fd).catch(() => undefined)));
    };
    const destroy = async (): Promise<void> => {
      await release();
      stdout.destroy();
      stderr.destroy();
    };
    return { stdout, stderr, writeEnds: [outEnd, errEnd], release, destroy };
  } catch {
    await Promise.all(fds.map((fd) => close(fd).catch(() => undefined)));
    return undefined;
  } finally {
    await rm(dir, { recursive: true, force: true }).catch(() => undefined);
  }
}
