/** The deployment files as the tests read them: from the top of this checkout, with compose's variables filled in. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

export const top = fileURLToPath(new URL('../../../', import.meta.url));

export const read = (path: string): Promise<string> => readFile(join(top, path), 'utf8');

export interface Service {
  image: string;
  command?: string[];
  restart: string;
  environment?: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  healthcheck?: { test: string[]; interval: string; timeout: string; retries: number };
  depends_on?: Record<string, { condition: string }>;
  profiles?: string[];
  network_mode?: string;
}

export interface Compose {
  name: string;
  services: Record<string, Service>;
  volumes: Record<string, { name?: string; external?: boolean } | null>;
}

const VARIABLE = /\$\{(\w+)(?::-([^}]*))?\}/g;

/** Every `${NAME:-default}` of a compose file; an entry without a default is undefined. */
export const variables = (text: string): [name: string, fallback: string | undefined][] =>
  [...text.matchAll(VARIABLE)].map(([, name = '', fallback]) => [name, fallback]);

/** docker-compose.yml as compose sees it with the given environment. */
export async function compose(env: Record<string, string> = {}): Promise<Compose> {
  const text = await read('docker-compose.yml');
  const filled = text.replace(VARIABLE, (_all, name: string, fallback = '') => env[name] || fallback);
  return parse(filled, { merge: true }) as Compose;
}

/** `NAME=value` lines. */
export const settings = (text: string): Map<string, string> =>
  new Map([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]));

/** Every fenced block of a Markdown text that says it is in this language. */
export const blocks = (markdown: string, language: string): string[] =>
  [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    .filter(([, name]) => name === language)
    .map(([, , body = '']) => body);
