/** The steps of the scripted agent, one function each. Paths are relative to its working folder. */
import { spawn } from 'node:child_process';
import { access, appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ScriptError, type STEPS, type Step } from './script.js';

export interface StepContext {
  prompt: string;
  /** Replaces `${IDEA}`, `${ITERATION}` and `${NONCE}`. */
  fill: (text: string) => string;
}

type StepName = (typeof STEPS)[number];
type Run = (value: unknown, ctx: StepContext) => Promise<void>;

function part(value: unknown, name: string, ctx: StepContext): string {
  const found = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  if (found === undefined || found === null || typeof found === 'object') throw new ScriptError(`It needs "${name}".`);
  return ctx.fill(String(found));
}

const number = (value: unknown, name: string): number => {
  const found = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  const result = found === undefined ? Number.NaN : Number(found);
  if (!Number.isFinite(result)) throw new ScriptError(`"${name}" must be a number.`);
  return result;
};

const text = (value: unknown, ctx: StepContext): string => {
  if (value === undefined || value === null || typeof value === 'object') throw new ScriptError('It needs a text.');
  return ctx.fill(String(value));
};

/** Writes with backpressure, so that a flood does not accumulate in this process. */
function print(stream: NodeJS.WriteStream, chunk: string | Buffer): Promise<void> {
  return new Promise((resolve, reject) => stream.write(chunk, (error) => (error ? reject(error) : resolve())));
}

function execute(file: string, args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new ScriptError(`"${[file, ...args].join(' ')}" ended with ${signal ?? `exit code ${code}`}.`));
    });
  });
}

async function put(path: string, write: (path: string) => Promise<void>): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await write(path);
}

async function flood(value: unknown): Promise<void> {
  const bytes = number(value, 'mb') * 2 ** 20;
  const lineBytes = Math.max(
    2,
    (value as { lineBytes?: unknown }).lineBytes === undefined ? 80 : number(value, 'lineBytes'),
  );
  // Long lines consist of blocks, so that memory stays small here too.
  const block = Buffer.alloc(Math.min(lineBytes - 1, 2 ** 16), 'x');
  const perBlock = Math.max(1, Math.floor(2 ** 16 / lineBytes));
  const line =
    lineBytes <= 2 ** 16 ? Buffer.from(`${block.toString('latin1')}\n`.repeat(perBlock), 'latin1') : undefined;
  let inLine = 0;
  for (let written = 0; written < bytes; ) {
    const chunk = line ?? block;
    await print(process.stdout, chunk);
    written += chunk.length;
    inLine += chunk.length;
    if (!line && inLine >= lineBytes) {
      await print(process.stdout, '\n');
      inLine = 0;
    }
  }
  if (!line) await print(process.stdout, '\n');
}

async function waitFor(value: unknown, ctx: StepContext): Promise<void> {
  const path = part(value, 'path', ctx);
  for (;;) {
    const found = await access(path).then(
      () => true,
      () => false,
    );
    if (found) return;
    await sleep(25);
  }
}

const RUN: Record<StepName, Run> = {
  write: (value, ctx) => put(part(value, 'path', ctx), (path) => writeFile(path, part(value, 'text', ctx))),
  append: (value, ctx) => put(part(value, 'path', ctx), (path) => appendFile(path, part(value, 'text', ctx))),
  replace: async (value, ctx) => {
    const path = part(value, 'path', ctx);
    const before = await readFile(path, 'utf8');
    const from = part(value, 'from', ctx);
    if (!before.includes(from)) throw new ScriptError(`"${from}" does not occur in ${path}.`);
    await writeFile(path, before.split(from).join(part(value, 'to', ctx)));
  },
  delete: (value, ctx) => rm(text(value, ctx), { recursive: true, force: true }),
  mkdir: async (value, ctx) => {
    await mkdir(text(value, ctx), { recursive: true });
  },
  run: (value, ctx) => execute('/bin/sh', ['-c', text(value, ctx)]),
  commit: async (value, ctx) => {
    const message = text(value, ctx);
    await execute('git', ['add', '-A']);
    const clean = await execute('git', ['diff', '--cached', '--quiet']).then(
      () => true,
      () => false,
    );
    if (clean) return;
    const who = [
      '-c',
      'user.name=Scripted Agent',
      '-c',
      'user.email=scripted@agent.invalid',
      '-c',
      'commit.gpgsign=false',
    ];
    await execute('git', [...who, 'commit', '--quiet', '-m', message]);
  },
  say: (value, ctx) => print(process.stdout, `${text(value, ctx)}\n`),
  complain: (value, ctx) => print(process.stderr, `${text(value, ctx)}\n`),
  echoPrompt: (_value, ctx) => print(process.stdout, ctx.prompt),
  sleep: async (value, ctx) => {
    await sleep(Number(text(value, ctx)) * 1000);
  },
  flood,
  spawn: async (value, ctx) => {
    // Outlives this agent and keeps its stdout open, like a forgotten server.
    spawn('/bin/sh', ['-c', text(value, ctx)], { stdio: ['ignore', 'inherit', 'inherit'], detached: true }).unref();
  },
  waitFor,
  ignoreSignals: async () => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  },
};

/** Does one step. Rejects with a ScriptError that names the mistake. */
export async function perform(step: Step, ctx: StepContext): Promise<void> {
  const [name, value] = Object.entries(step)[0] ?? [];
  await RUN[name as StepName](value, ctx);
}
