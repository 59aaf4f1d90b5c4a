/** Before the matrix: the CLIs that it is for, and a server for the cases in which a worker ends. */
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import globalServer from '../../support/global-server.js';
import { CLI_NAMES, install, isCli } from '../rig/install.js';

/** Not being able to install one of these is a failure; the others are left out with the reason in the table. */
const NEEDED = ['claude', 'codex', 'gemini', 'opencode'];

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const named = (process.env.RIG_CLIS ?? '').split(',').filter(isCli);
  const failed = await install(named.length > 0 ? named : CLI_NAMES);
  for (const [cli, missing] of Object.entries(failed)) {
    if (NEEDED.includes(cli)) throw new Error(`cannot install ${cli}: ${missing}`);
    console.error(`${cli} cannot be installed and is left out: ${missing}`);
    const row = JSON.stringify({ commit: process.env.RIG_COMMIT, missing });
    if (process.env.RIG_ROWS) await appendFile(join(process.env.RIG_ROWS, `${cli}.jsonl`), `${row}\n`);
  }
  return globalServer(project);
}
