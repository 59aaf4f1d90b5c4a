/**
 * The real CLIs end to end: `ralphctl start`, a model that writes a file through the CLI's own tool, the gate, the landing.
 * Only the model is not real. Features: A1 B1 B2 B8 F4. Everything else that is tried with them: npm run test:agents.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { RunSummary } from '../../src/protocol/run.js';
import { roadmap } from '../support/program.js';
import { type Mock, type Run, startMock } from './mock/server.js';
import { setupFor } from './rig/drivers.js';
import { type CliName, install, versionOf } from './rig/install.js';
import { processesOf } from './rig/left.js';
import { type AgentsBox, agentsBox } from './rig/program.js';

const CLIS = ['claude', 'codex', 'gemini', 'opencode'] as const satisfies readonly CliName[];
/** Without a network, or where half a gigabyte of CLIs is too much. */
const wanted = process.env.RALPHCTL_REAL_CLIS !== '0';

describe.skipIf(!wanted)('real CLIs', () => {
  let mock: Mock;

  beforeAll(async () => {
    const failed = await install(CLIS);
    const hint = 'RALPHCTL_REAL_CLIS=0 npm test leaves these tests out';
    expect(failed, hint).toEqual({});
    mock = await startMock();
  }, 900_000);

  afterAll(() => mock?.close());

  describe('one idea each', () => {
    let box: AgentsBox;
    let summary: RunSummary;
    let plays: Record<string, Run>;

    beforeAll(async () => {
      plays = Object.fromEntries(
        CLIS.map((cli) => {
          const text = `made by ${cli}\n`;
          return [
            cli,
            mock.play(`landed-${cli}-${Date.now()}`, { calls: [{ write: { path: `made/${cli}.txt`, text } }] }),
          ];
        }),
      );
      const setups = Object.fromEntries(CLIS.map((cli) => [cli, setupFor(cli, plays[cli] as Run)]));
      box = await agentsBox(
        inject('stateRoot'),
        setups,
        { 'roadmap.md': roadmap(CLIS.map((cli) => ({ id: `by-${cli}`, cli }))) },
        {
          slots: 2,
          gate: { commands: [{ name: 'made', run: 'ls made/*.txt && ! grep -L "^made by" made/*.txt | grep .' }] },
        },
      );
      const done = await box.run('start', '--json', '--wait');
      summary = done.json.at(-1) as unknown as RunSummary;
      if (done.code !== 0) console.log(done.stdout, done.stderr);
    }, 300_000);

    afterAll(() => box?.dispose());

    it.each(CLIS)(`%s: its work is gated and landed, in one iteration (A1, B1, F4)`, async (cli) => {
      expect(summary.outcome).toBe('completed');
      expect(summary.notLanded).toEqual([]);
      expect(await box.git('show', `main:made/${cli}.txt`), versionOf(cli)).toBe(`made by ${cli}`);
      const subject = await box.git('log', '-1', '--format=%s', 'main', '--', `made/${cli}.txt`);
      expect(subject).toMatch(new RegExp(`#by-${cli}@ed-\\d{3}$`));
      const starts = (await readFile(join(box.marks, 'agents'), 'utf8')).split('\n').filter((name) => name === cli);
      expect(starts).toHaveLength(1);
      // The tool was offered by the CLI and used by the model; a second request brought its result.
      const tools = plays[cli]?.requests.find((one) => (one.tools?.length ?? 0) > 0)?.tools;
      expect(tools).not.toEqual([]);
      expect(plays[cli]?.asked()).toBeGreaterThanOrEqual(2);
    });

    it('none of them got to see Temporal’s credentials or where ours lies', async () => {
      expect(await readFile(join(box.marks, 'leaks'), 'utf8')).toBe('');
    });

    it('nothing of the CLIs is left, and the checkout is clean (B8)', async () => {
      const left = (await processesOf(box.env.HOME ?? '')).filter(({ ofAgent }) => ofAgent);
      expect(left.map(({ command }) => command)).toEqual([]);
      expect(await box.git('status', '--porcelain')).toBe('');
      expect(await box.git('show', 'main:roadmap.md')).not.toContain('- [ ]');
    });
  });
});
