/** Processes of a run, seen without any of ralphctl's own book-keeping: whose home or folder is the run's. */
import { readdir, readFile, readlink } from 'node:fs/promises';

export interface Process {
  pid: number;
  parent: number;
  command: string;
  /** It is an agent, or was started by one that hands its variables on. A command line tells less: some CLIs rename themselves. */
  ofAgent: boolean;
}

async function lookAt(pid: number, folder: string): Promise<Process | undefined> {
  const read = (name: string): Promise<string> => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
  const [environ, cmdline, stat] = await Promise.all([read('environ'), read('cmdline'), read('stat')]);
  const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '');
  // Zombies hold nothing; they wait for their parent.
  const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const mine = environ.split('\0').includes(`HOME=${folder}`) || `${cwd}/`.startsWith(`${folder}/`);
  if (!mine || state === 'Z' || cmdline === '') return undefined;
  const ofAgent = environ.split('\0').some((line) => line.startsWith('RALPHCTL_AGENT='));
  return { pid, parent: Number(parent), command: cmdline.replaceAll('\0', ' ').trim(), ofAgent };
}

/** Processes with this home folder or working below it; not this one. */
export async function processesOf(folder: string): Promise<Process[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0 && pid !== process.pid);
  const seen = await Promise.all(pids.map((pid) => lookAt(pid, folder)));
  return seen.filter((one) => one !== undefined);
}
