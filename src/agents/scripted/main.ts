/**
 * The scripted agent: a program that follows its script. It takes the prompt on stdin and prints a message that ends
 * with a signal, like any agent CLI. Usage: node scripted-agent.js [--script FILE] (else $RALPHCTL_SCRIPT, else
 * .ralph-script.yaml in the current folder). Exit code 2: the script is wrong.
 */
import { text } from 'node:stream/consumers';
import { MIB, readInput } from '../../config/read-input.js';
import { choose, type Entry, readScript, ScriptError } from './script.js';
import { perform } from './steps.js';

/** Scripts of rehearsals may hold whole files. */
const MOST_SCRIPT = 64 * MIB;
const NONCE_IN_PROMPT = /The word for this iteration is (\w+)/;

function scriptPath(argv: readonly string[]): string {
  const at = argv.indexOf('--script');
  const given = at >= 0 ? argv[at + 1] : process.env.RALPHCTL_SCRIPT;
  if (at >= 0 && !given) throw new ScriptError('--script needs the name of a file.');
  return given || '.ralph-script.yaml';
}

function signalLine(signal: Entry['signal'], nonce: string, fill: (text: string) => string): string | undefined {
  if (signal === undefined || signal === null || signal === 'none') return undefined;
  const mark = nonce === '' ? '' : ` nonce="${nonce}"`;
  if (typeof signal !== 'object') return `<ralph${mark}>${fill(String(signal))}</ralph>`;
  if (signal.promise !== undefined) return `<promise${mark}>${fill(String(signal.promise))}</promise>`;
  return fill(String(signal.raw ?? ''));
}

async function main(): Promise<number> {
  const prompt = process.stdin.isTTY ? '' : await text(process.stdin);
  const path = scriptPath(process.argv.slice(2));
  const source = await readInput(path, MOST_SCRIPT).then(
    (bytes) => bytes.toString('utf8'),
    (error: Error) => {
      throw new ScriptError(`It cannot be read: ${error.message}. Name it with --script FILE or RALPHCTL_SCRIPT.`);
    },
  );
  const idea = process.env.RALPHCTL_IDEA ?? '';
  const iteration = Number(process.env.RALPHCTL_ITERATION ?? '1') || 1;
  const nonce = process.env.RALPHCTL_NONCE ?? NONCE_IN_PROMPT.exec(prompt)?.[1] ?? '';
  const names: Record<string, string> = { IDEA: idea, ITERATION: String(iteration), NONCE: nonce };
  const fill = (value: string): string =>
    value.replace(/\$\{(IDEA|ITERATION|NONCE)\}/g, (_all, name) => names[name] ?? '');

  const entry = choose(readScript(source), idea, iteration, prompt);
  if (!entry) throw new ScriptError(`It has nothing for the idea "${idea}" and no "default".`);
  for (const [index, step] of (entry.do ?? []).entries()) {
    await perform(step, { prompt, fill }).catch((error: unknown) => {
      const what = `${Object.keys(step)[0]} (step ${index + 1} of ${idea || 'default'}, iteration ${iteration})`;
      throw new ScriptError(`${what}: ${error instanceof Error ? error.message : String(error)}`);
    });
  }
  if (entry.crash) process.kill(process.pid, entry.crash as NodeJS.Signals);
  if (entry.hang) await new Promise(() => setInterval(() => undefined, 2 ** 30));
  const line = signalLine(entry.signal, nonce, fill);
  if (line !== undefined) await new Promise<void>((resolve) => process.stdout.write(`\n${line}\n`, () => resolve()));
  return entry.exit ?? 0;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    const where = error instanceof ScriptError ? `script ${process.argv.slice(2).join(' ')}`.trim() : 'scripted agent';
    process.stderr.write(`${where}: ${error instanceof Error ? error.message : String(error)}\n`, () =>
      process.exit(2),
    );
  },
);
