/**
 * The real CLIs in a sandbox, from `ralphctl start` to the landing: the model API mock is the only port of this machine
 * that they reach. Features: A1 B1 B2.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { sandboxProblem } from '../../src/process/sandbox/check.js';
import type { RunSummary } from '../../src/protocol/run.js';
import { roadmap } from '../support/program.js';
import { type Mock, startMock } from './mock/server.js';
import { setupFor } from './rig/drivers.js';
import { CLI_NAMES, homeOf, versionOf } from './rig/install.js';
import { processesOf } from './rig/left.js';
import { type AgentsBox, agentsBox } from './rig/program.js';

const cannot = await sandboxProblem(process.env);
/** Those that another test, or `npm run test:agents`, has installed. */
const CLIS = process.env.RALPHCTL_REAL_CLIS === '0' ? [] : CLI_NAMES.filter((cli) => existsSync(homeOf(cli)));
const why = cannot?.problem ?? (CLIS.length === 0 ? 'no CLI is installed' : undefined);
if (why !== undefined) console.log(`test/agents/real-sandbox.test.ts is skipped: ${why}`);

describe.skipIf(why !== undefined).each(['on', 'strict'] as const)('real CLIs, sandbox: %s', (mode) => {
  let mock: Mock;
  let box: AgentsBox;
  let summary: RunSummary;
  let said = '';

  beforeAll(async () => {
    mock = await startMock();
    const setups = Object.fromEntries(
      CLIS.map((cli) => {
        const write = { path: `made/${cli}.txt`, text: `made by ${cli}\n` };
        return [cli, setupFor(cli, mock.play(`sandbox-${mode}-${cli}-${Date.now()}`, { calls: [{ write }] }))];
      }),
    );
    box = await agentsBox(
      inject('stateRoot'),
      setups,
      { 'roadmap.md': roadmap(CLIS.map((cli) => ({ id: `by-${cli}`, cli }))) },
      ({ scratch }) => ({
        slots: 2,
        gate: { commands: [{ name: 'made', run: 'ls made/*.txt && ! grep -L "^made by" made/*.txt | grep .' }] },
        // The folder of the wrapper's notes.
        sandbox: { mode, allow: [`127.0.0.1:${mock.port}`], write: [scratch] },
      }),
    );
    const done = await box.run('start', '--json', '--wait');
    summary = done.json.at(-1) as unknown as RunSummary;
    said = done.stdout + done.stderr;
  }, 600_000);

  afterAll(async () => {
    await box?.dispose();
    await mock?.close();
  });

  it.each(CLIS)('%s: its work is gated and landed (A1, B1)', async (cli) => {
    const landed = await box.git('show', `main:made/${cli}.txt`).catch(() => '');
    expect(
      landed,
      `${cli} ${versionOf(cli)}: ${said
        .split('\n')
        .filter((line) => line.includes(`by-${cli}`))
        .slice(-5)
        .join('\n')}`,
    ).toBe(`made by ${cli}`);
  });

  it('in one iteration each, with nothing left of them and a clean checkout', async () => {
    expect(summary.outcome).toBe('completed');
    const starts = (await readFile(join(box.marks, 'agents'), 'utf8')).split('\n').filter(Boolean);
    expect(starts.sort()).toEqual([...CLIS].sort());
    const left = (await processesOf(box.env.HOME ?? '')).filter(({ ofAgent }) => ofAgent);
    expect(left.map(({ command }) => command)).toEqual([]);
    expect(await box.git('status', '--porcelain')).toBe('');
  });
});
