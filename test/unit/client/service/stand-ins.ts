/** Programs on a PATH of their own that record how they are called, in place of the service managers. */
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import type { Context } from '../../../../src/client/context.js';
import { NEW_REPOSITORY } from '../../../support/program.js';

export interface Place {
  base: string;
  repo: string;
  /** In place of the built program. */
  cli: string;
  context: Context;
  /** One line for each call: program and arguments. */
  calls(): Promise<string[]>;
  /** Replaces a program. `body` of a shell script; `$*` are its arguments. */
  program(name: string, body: string): Promise<void>;
  dispose(): Promise<void>;
}

/** Like systemd: knows a unit once its file is there, and whether it is enabled. */
const SYSTEMCTL = `
[ "$1" = --version ] && { echo "systemd \${SYSTEMD_VERSION:-252} (252.1)"; exit; }
shift
unit="$HOME/.config/systemd/user/$2"; [ "$2" = --now ] && unit="$HOME/.config/systemd/user/$3"
wants="$HOME/.config/systemd/user/default.target.wants"
case "$1" in
  enable) [ -f "$unit" ] || { echo "Failed to enable unit: Unit file $2 does not exist." >&2; exit 1; }
    mkdir -p "$wants"; ln -sf "$unit" "$wants/$2";;
  disable) rm -f "$wants/$(basename "$unit")";;
  start) echo "ExecMainCode=1
ExecMainStatus=0
ExecMainExitTimestamp=Fri 2026-11-27 09:00:00 UTC
Result=success" > "$HOME/exit";;
  show) [ -L "$wants/$2" ] && echo UnitFileState=enabled || echo UnitFileState=disabled
    echo ActiveState=\${ACTIVE:-inactive}; echo SubState=\${SUB:-dead}; cat "$HOME/exit" 2>/dev/null;;
esac
exit 0`;

const LOGINCTL = `
[ "$1" = show-user ] && { [ -f "$HOME/linger" ] && echo yes || echo no; exit; }
[ "$2" = enable-linger ] && touch "$HOME/linger"
[ "$2" = disable-linger ] && rm -f "$HOME/linger"
exit 0`;

const LAUNCHCTL = `
case "$1 $2" in
  "print gui/501") exit 0;;
  "print "*) [ -f "$HOME/loaded" ] && { printf '\\tstate = %s\\n\\tlast exit code = 0\\n' "\${STATE:-not running}"; exit 0; }
    echo "Could not find service" >&2; exit 113;;
  "bootstrap "*) touch "$HOME/loaded";;
  "bootout "*) rm -f "$HOME/loaded";;
esac
exit 0`;

/** @param name of the folder that everything is in */
export async function place(name = 'plain'): Promise<Place> {
  const top = await realpath(await mkdtemp(join(tmpdir(), 'ralphctl-service-')));
  const base = join(top, name);
  const [repo, bin, home] = [join(base, 'my shop'), join(top, 'bin'), join(base, 'home')];
  for (const dir of [repo, bin, home]) await mkdir(dir, { recursive: true });
  await execa('sh', ['-c', `${NEW_REPOSITORY} && git commit --quiet --allow-empty -m start`], { cwd: repo });
  const env = { PATH: `${bin}${delimiter}${process.env.PATH}`, HOME: home, RALPHCTL_HOME: join(base, 'state') };
  const program = async (name: string, body: string): Promise<void> => {
    const record = `echo "${name} $*" >> "${top}/calls"`;
    await writeFile(join(bin, name), `#!/bin/sh\n${record}\n${body}\n`);
    await chmod(join(bin, name), 0o755);
  };
  await program('systemctl', SYSTEMCTL);
  await program('loginctl', LOGINCTL);
  await program('launchctl', LAUNCHCTL);
  const cli = join(base, 'cli.js');
  await writeFile(cli, '');
  return {
    base,
    repo,
    cli,
    context: { root: env.RALPHCTL_HOME, cacheRoot: join(base, 'cache'), env, cwd: repo, json: false },
    calls: async () => (await readFile(join(top, 'calls'), 'utf8').catch(() => '')).split('\n').filter(Boolean),
    program,
    dispose: () => rm(top, { recursive: true, force: true }),
  };
}

/** What a command prints on stdout and stderr while `work` runs. */
export async function printed(work: () => Promise<unknown>): Promise<string> {
  let text = '';
  const [out, err] = [process.stdout.write, process.stderr.write];
  const take = (chunk: unknown): boolean => {
    text += String(chunk);
    return true;
  };
  process.stdout.write = take as typeof out;
  process.stderr.write = take as typeof err;
  try {
    await work();
  } finally {
    process.stdout.write = out;
    process.stderr.write = err;
  }
  return text;
}
