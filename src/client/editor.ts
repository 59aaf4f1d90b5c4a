/**
 * Opens a file in the person's editor: $VISUAL, $EDITOR, else the one that git would open.
 * Invariant: git answers outside of the repository. Agents can write the configuration of a repository, and an editor of
 * theirs must not run.
 */
import { execa } from 'execa';
import { UserError } from '../protocol/user-error.js';
import { type Context, TELLER_ENV } from './context.js';

/** `instead`: how to go on without an editor. */
export interface Edited {
  file: string;
  instead: string;
}

/** @returns the exit code of the editor */
export async function openEditor({ env }: Pick<Context, 'env'>, { file, instead }: Edited): Promise<number> {
  const editor = env.VISUAL || env.EDITOR || (await editorOfGit(env));
  if (editor === undefined)
    throw new UserError(`there is no editor: set EDITOR, for example: export EDITOR=nano. ${instead}`);
  const command = `${editor} "$RALPHCTL_EDIT"`;
  // The full screen reads the output of this command, and lends its terminal to the editor alone.
  const own = env[TELLER_ENV] === 'screen' ? `{ ${command}\n} </dev/tty >/dev/tty 2>/dev/tty` : command;
  const ended = await execa(own, {
    ...{ shell: true, stdio: 'inherit', extendEnv: false, reject: false },
    env: { ...env, RALPHCTL_EDIT: file },
  });
  return ended.exitCode ?? 1;
}

/** As git finds it: GIT_EDITOR, core.editor of the person, vi. Undefined where that program does not exist. */
async function editorOfGit(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const { GIT_DIR: _, GIT_WORK_TREE: __, ...rest } = env;
  const options = { env: rest, extendEnv: false, cwd: '/', reject: false } as const;
  const asked = await execa('git', ['var', 'GIT_EDITOR'], options);
  const editor = asked.exitCode === 0 ? asked.stdout.trim() : '';
  if (editor === '' || editor === ':') return undefined;
  const [program = ''] = editor.split(' ');
  const found = await execa('sh', ['-c', 'command -v "$1"', 'sh', program.replace(/^["']|["']$/g, '')], options);
  // A quoted path with spaces is tried: the shell says what is wrong with it.
  return found.exitCode === 0 || /["'\\]/.test(editor) ? editor : undefined;
}
