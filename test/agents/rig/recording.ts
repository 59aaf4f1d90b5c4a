/** Makes a fixture of what the recorder wrote down: a heading, and nothing of this machine. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { homeOf } from './install.js';
import type { Row } from './run-case.js';
import type { Kind } from './scenarios.js';

/** Longest recorded line that is kept, in characters. */
const LONGEST = 64 << 10;

/** `good`: a run that went wrong, or was understood wrongly, is nothing to hold on to. */
export async function finishRecording(file: string, row: Row, expected: Kind, good: boolean): Promise<void> {
  if (!good) return rm(`${file}.new`, { force: true });
  const { cli, version, name } = row;
  const lines = (await readFile(`${file}.new`, 'utf8')).split('\n').filter((line) => line !== '');
  // A recorder that was killed together with its CLI wrote no ending.
  if (!/^\{"(?:exit|signal)":/.test(lines.at(-1) ?? '')) lines.push('{"signal":"SIGKILL"}');
  const heading = JSON.stringify({ cli, version, case: name, expected });
  const kept = lines.filter((line) => line.length < LONGEST);
  await writeFile(file, `${[heading, ...kept].map((line) => anonymous(line, cli)).join('\n')}\n`);
  await rm(`${file}.new`);
}

function anonymous(line: string, cli: Row['cli']): string {
  return line
    .replaceAll(homeOf(cli), `/opt/${cli}`)
    .replaceAll(dirname(homeOf(cli)), '/opt')
    .replace(/\/[\w./-]*\/ralphctl-act-\w+/g, '/home/user')
    .replace(/-[\w-]*-ralphctl-act-\w+/g, '-home-user')
    .replace(/\bact-[0-9a-f]{8}\b/g, 'project')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:1')
    .replaceAll(process.cwd(), '/home/user/ralphctl')
    .replace(new RegExp(`${homedir()}(?=/)`, 'g'), '/home/user');
}
