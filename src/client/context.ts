/** What every command starts from: where state lives and which repository is meant. */
import { cacheRoot, stateRoot } from '../config/paths.js';
import { forPeople } from './terminal.js';

export interface Context {
  root: string;
  cacheRoot: string;
  env: NodeJS.ProcessEnv;
  /** Folder the command was given or runs in. */
  cwd: string;
  json: boolean;
}

export function makeContext(options: { repo?: string; json?: boolean }): Context {
  const { env } = process;
  return {
    root: stateRoot(env),
    cacheRoot: cacheRoot(env),
    env,
    cwd: options.repo ?? process.cwd(),
    json: options.json ?? false,
  };
}

/** Results go to stdout, talk goes to stderr, so that output can be piped. */
export const print = (text: string): void => void process.stdout.write(`${forPeople(text, process.stdout)}\n`);
export const say = (text: string): void => void process.stderr.write(`${forPeople(text, process.stderr)}\n`);
export const printJson = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);
