/**
 * How each CLI's own tools are called: found by name among what the request offers, arguments by the tool's own schema.
 */
import type { ToolCall, ToolOffer } from './protocol.js';

export interface Write {
  /** Relative to the working directory. */
  path: string;
  text: string;
}

type Args = Record<string, unknown>;

/** Name of the tool, and its arguments. `has` asks for a property of the offered schema. */
const WRITERS: Record<string, (file: string, text: string, has: (name: string) => boolean) => Args> = {
  Write: (file, text) => ({ file_path: file, content: text }),
  write: (file, text, has) => ({ [has('path') ? 'path' : 'filePath']: file, content: text }),
  write_file: (file, text, has) => ({ [has('path') ? 'path' : 'file_path']: file, content: text }),
  create_file: (file, text) => ({ path: file, content: text }),
  create: (file, text) => ({ path: file, file_text: text }),
};

const SHELLS: Record<string, (command: string, has: (name: string) => boolean) => Args> = {
  Bash: (command) => ({ command, description: 'run a command', timeout: 600_000 }),
  bash: (command, has) => ({
    command,
    ...(has('description') ? { description: 'run a command' } : {}),
    ...(has('mode') ? { mode: 'sync' } : {}),
    ...(has('initial_wait') ? { initial_wait: 300 } : {}),
    // Seconds in one CLI, milliseconds in another: both mean "long".
    ...(has('timeout') ? { timeout: has('workdir') ? 600_000 : 600 } : {}),
  }),
  exec_command: (cmd, has) => ({ cmd, ...(has('yield_time_ms') ? { yield_time_ms: 30_000 } : {}) }),
  run_shell_command: (command, has) => ({
    command,
    description: 'run a command',
    ...(has('is_background') ? { is_background: false } : {}),
  }),
  shell_command: (command) => ({ command }),
  shell: (command) => ({ command: ['bash', '-lc', command] }),
};

const find = <T>(table: Record<string, T>, offers: ToolOffer[]): { offer: ToolOffer; make: T } | undefined => {
  for (const [name, make] of Object.entries(table)) {
    const offer = offers.find((one) => one.name === name);
    if (offer) return { offer, make };
  }
  return undefined;
};
const asks = (offer: ToolOffer) => (name: string) => offer.properties.includes(name);

export function shellCall(offers: ToolOffer[], command: string): ToolCall | undefined {
  const found = find(SHELLS, offers);
  return found && { name: found.offer.name, args: found.make(command, asks(found.offer)) };
}

/** Some tools take absolute paths only, so the call needs the working directory. */
export function writeCall(offers: ToolOffer[], cwd: string, { path, text }: Write): ToolCall | undefined {
  const found = find(WRITERS, offers);
  if (found) return { name: found.offer.name, args: found.make(`${cwd}/${path}`, text, asks(found.offer)) };
  const patch = offers.find((one) => one.name === 'apply_patch');
  if (patch) {
    const lines = text.replace(/\n$/, '').split('\n');
    const body = ['*** Begin Patch', `*** Add File: ${path}`, ...lines.map((line) => `+${line}`), '*** End Patch'];
    const input = body.join('\n');
    return patch.freeform ? { name: patch.name, args: {}, freeform: input } : { name: patch.name, args: { input } };
  }
  // A CLI whose only tool is a shell.
  return shellCall(
    offers,
    `mkdir -p "$(dirname '${path}')" && cat > '${path}' <<'RIG_END'\n${text.replace(/\n?$/, '\n')}RIG_END`,
  );
}

const OPTIONS = [
  { label: 'Red', description: 'as it was' },
  { label: 'Blue', description: 'as it could be' },
];

/** A question to the person in front of it, by the tool that the CLI has for that; or by its name, where it offers none. */
export function questionCall(offers: ToolOffer[]): ToolCall {
  const offer = offers.find(({ name }) => /(?:^|_)ask|question|user_input/i.test(name));
  const name = offer?.name ?? (offers.some((one) => one.name === 'Bash') ? 'AskUserQuestion' : 'ask_user');
  const question = 'Which colour is it to be?';
  const one = { id: 'colour', header: 'Colour', question, type: 'choice', options: OPTIONS, multiSelect: false };
  return { name, args: { question, questions: [one] } };
}
