/** Finds a sandbox's processes in /proc, from outside: nothing of ralphctl's own code is asked. Linux only. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Target } from './plan.js';

export interface Process {
  pid: number;
  start: string;
  args: string[];
  parent: number;
}

const read = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};

/** Living processes, zombies left out. */
export function processes(): Process[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const stat = read(`/proc/${name}/stat`);
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === undefined || fields[0] === '' || fields[0] === 'Z' || fields[0] === 'X') return [];
    const args = read(`/proc/${name}/cmdline`).split('\0').slice(0, -1);
    return [{ pid: Number(name), start: fields[19] ?? '', parent: Number(fields[1]), args }];
  });
}

/** Those whose environment has the variable with this value, or one below it. */
export function withToken(all: readonly Process[], prefix: string): Process[] {
  return all.filter(({ pid }) =>
    read(`/proc/${pid}/environ`)
      .split('\0')
      .some((line) => line === `RALPHCTL_ATTEMPT=${prefix}` || line.startsWith(`RALPHCTL_ATTEMPT=${prefix}/`)),
  );
}

/** All that belongs to a state folder: by its environment, its arguments, or an agent's token. */
export function everything({ project, root }: { project: string; root: string }): Process[] {
  const all = processes();
  const tokens = new Set(withToken(all, project).map(({ pid }) => pid));
  const home = `RALPHCTL_HOME=${root}`;
  return all.filter(
    ({ pid, args }) =>
      tokens.has(pid) ||
      args.some((arg) => arg.startsWith(root)) ||
      read(`/proc/${pid}/environ`).split('\0').includes(home),
  );
}

export function find(target: Target, where: { project: string; root: string }): Process[] {
  const all = processes();
  const has = (one: Process, ...words: string[]): boolean => words.every((word) => one.args.includes(word));
  const workers = all.filter((one) => has(one, 'worker', '--child', where.project));
  switch (target) {
    case 'worker':
      return workers;
    case 'supervisor':
      return all.filter((one) => has(one, 'worker', '--supervise', where.project));
    case 'launcher':
      return all.filter(
        (one) =>
          one.args.some((arg) => arg.endsWith('/launcher.js')) && workers.some((worker) => worker.pid === one.parent),
      );
    case 'server':
      return all.filter((one) => one.args.includes('start-dev') && one.args.some((arg) => arg.startsWith(where.root)));
    case 'agent':
      return withToken(all, where.project).filter((one) => one.args.some((arg) => arg.endsWith('/agent.mjs')));
  }
}

export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}
