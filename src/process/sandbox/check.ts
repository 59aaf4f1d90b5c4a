/** Whether this machine can run programs in a sandbox, and what to do where it cannot. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { bubblewrap, type Inside } from './plan.js';

export interface SandboxProblem {
  problem: string;
  /** What a person does about it, as part of a sentence. */
  fix: string;
}

const ANSWER_MS = 10_000;

/** The same separation as a run's, around a program that does nothing. */
const NOTHING: Omit<Inside, 'program'> = {
  rules: [{ path: '/', access: 'read', kind: 'folder' }],
  cwd: '/',
  bridge: ['true'],
};

type Env = Readonly<Record<string, string | undefined>>;

/** Its absolute path: an agent may have another PATH. */
export function bubblewrapIn({ PATH = '' }: Env): string {
  const places = PATH.split(delimiter).filter(isAbsolute);
  return places.map((dir) => join(dir, 'bwrap')).find((path) => existsSync(path)) ?? 'bwrap';
}

/** Undefined: it can. */
export async function sandboxProblem(
  env: Env,
  platform: NodeJS.Platform = process.platform,
): Promise<SandboxProblem | undefined> {
  if (platform !== 'linux')
    return {
      problem: 'ralphctl can run agents in a sandbox on Linux only',
      fix: 'run ralphctl in a container or a virtual machine instead',
    };
  const [file = '', ...args] = bubblewrap({ ...NOTHING, program: bubblewrapIn(env) }, []);
  const said = await new Promise<{ code: unknown; text: string } | undefined>((resolve) => {
    execFile(file, args, { env: { PATH: env.PATH }, timeout: ANSWER_MS }, (error, _out, text) =>
      resolve(error ? { code: error.code, text: text.trim().split('\n')[0] || error.message } : undefined),
    );
  });
  if (!said) return undefined;
  if (said.code === 'ENOENT')
    return {
      problem: 'bubblewrap (bwrap) is not on PATH',
      fix: 'install it: apt install bubblewrap, dnf install bubblewrap or pacman -S bubblewrap',
    };
  return {
    problem: `bubblewrap does not work here: ${said.text.slice(0, 300)}`,
    fix: 'allow user namespaces: on Ubuntu 24.04 and later an AppArmor profile for bwrap with "userns,"; in a container --security-opt seccomp=unconfined and --security-opt apparmor=unconfined, or run ralphctl on the host',
  };
}
