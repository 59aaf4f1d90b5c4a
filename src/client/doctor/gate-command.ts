/** Checks that the commands of the gate can run: their programs and their scripts. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { MIB, readInput } from '../../config/read-input.js';
import type { Config } from '../../config/schema/config.js';
import { which } from '../../server/install/probe.js';
import type { Context } from '../context.js';
import { proposeCommands } from '../init/commands.js';
import { type Check, fail, info, ok, warn } from './check.js';

interface ConfigPlace {
  folder: string;
  /** `init` does not replace an existing file. */
  exists: boolean;
}

/** Names `init` only where it helps, because `init` sends people to `doctor`. */
async function gateFix(context: Context, root: string, { folder, exists: there }: ConfigPlace): Promise<string> {
  const installed = async (program: string) => (await which(program, context.env)) !== undefined;
  const { gate, missing } = await proposeCommands({ dir: folder, root, installed });
  const commands = gate.map(({ run }) => JSON.stringify(run)).join(', ');
  if (gate.length > 0)
    return there ? `add to ralphctl.yaml: gate: [${commands}]` : `ralphctl init, which proposes ${commands}`;
  const [first] = missing;
  if (first) return `install ${first.program}, then add to ralphctl.yaml: gate: [${JSON.stringify(first.run)}]`;
  return 'write the command that runs your tests into ralphctl.yaml, e.g. gate: [make test]';
}

export async function checkGate(context: Context, root: string, config: Config, place: ConfigPlace): Promise<Check[]> {
  const { commands } = config.gate;
  if (commands.length === 0) {
    return [warn('gate', 'none: only the agent says that work is done', await gateFix(context, root, place))];
  }
  return Promise.all(commands.map((command) => checkCommand(context, root, command, Boolean(config.setup.run))));
}

const SHELL_WORDS = new Set([
  'if',
  'for',
  'while',
  'case',
  'test',
  '[',
  'cd',
  'export',
  'set',
  'exec',
  'true',
  'false',
  ':',
  '!',
  '{',
  '(',
]);

async function checkCommand(
  context: Context,
  root: string,
  { name, run }: Config['gate']['commands'][number],
  setUp: boolean,
): Promise<Check> {
  const words = typeof run === 'string' ? run.trim().split(/\s+/) : [...run];
  const program = words.find((word) => !/^[A-Za-z_]\w*=/.test(word)) ?? '';
  const what = `gate: ${name}`;
  const shell = typeof run === 'string' && (SHELL_WORDS.has(program) || !/^[\w@%+.,/-]+$/.test(program));
  if (shell) return ok(what, 'a shell runs it');
  const path = program.includes('/') ? join(root, program) : await which(program, context.env);
  const there = path !== undefined && (program.startsWith('/') || !program.includes('/') || (await exists(path)));
  if (!there && program.includes('/') && setUp)
    return info(what, `${program} is not in the checkout; set-up may create it`);
  if (!there)
    return fail(
      what,
      `${program} is not ${program.includes('/') ? 'in the repository' : 'on PATH'}`,
      'install it, or fix gate: in ralphctl.yaml',
    );
  const script = /^(?:npm|pnpm|yarn|bun)$/.test(program) ? scriptOf(words) : undefined;
  if (script === undefined) return ok(what, path ?? program);
  const known = await scripts(root);
  if (known && !known.includes(script)) {
    return fail(
      what,
      `package.json has no script "${script}"`,
      `add it, or choose one of: ${known.join(', ') || 'none'}`,
    );
  }
  return ok(what, `script "${script}" of package.json`);
}

function scriptOf([, verb, next]: readonly string[]): string | undefined {
  if (verb === 'test' || verb === 't') return 'test';
  return verb === 'run' || verb === 'run-script' ? next : undefined;
}

async function scripts(root: string): Promise<string[] | undefined> {
  try {
    const whole = JSON.parse((await readInput(join(root, 'package.json'), MIB)).toString('utf8')) as {
      scripts?: Record<string, string>;
    };
    return Object.keys(whole.scripts ?? {});
  } catch {
    return undefined;
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
