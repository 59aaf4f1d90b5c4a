/** `doctor --probe` and the real CLIs: one real turn each, with a model that answers and with one that refuses. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { roadmap } from '../support/program.js';
import { type Mock, type Run, startMock } from './mock/server.js';
import { setupFor } from './rig/drivers.js';
import { install, versionOf } from './rig/install.js';
import { processesOf } from './rig/left.js';
import { type AgentsBox, agentsBox } from './rig/program.js';

const CLIS = ['claude', 'codex', 'gemini', 'opencode'] as const;

interface Check {
  what: string;
  state: string;
  found: string;
  fix?: string;
}

describe.skipIf(process.env.RALPHCTL_REAL_CLIS === '0')('doctor --probe with the real CLIs', () => {
  let mock: Mock;
  let box: AgentsBox;
  let plays: Record<string, Run>;

  beforeAll(async () => {
    expect(await install(CLIS), 'RALPHCTL_REAL_CLIS=0 npm test leaves these tests out').toEqual({});
    mock = await startMock();
    plays = Object.fromEntries(CLIS.map((cli) => [cli, mock.play(`doctor-${cli}-${Date.now()}`, { answer: 'OK' })]));
    const setups = Object.fromEntries(CLIS.map((cli) => [cli, setupFor(cli, plays[cli] as Run)]));
    const [agent, ...fallback] = CLIS;
    const files = { 'roadmap.md': roadmap([{ id: 't-1' }]) };
    box = await agentsBox(inject('stateRoot'), setups, files, { agent, fallback, gate: ['true'] });
  }, 900_000);

  afterAll(async () => {
    await box?.dispose();
    await mock?.close();
  });

  async function doctor(): Promise<{ code: number; checks: Check[] }> {
    const { code, json, stderr } = await box.run('doctor', '--probe', '--json');
    const checks = json[0]?.checks as Check[] | undefined;
    expect(checks, stderr).toBeDefined();
    return { code, checks: checks ?? [] };
  }

  it('is content with each whose model answers, also where the CLI itself says that nobody is logged in', async () => {
    const { code, checks } = await doctor();
    expect(checks.filter(({ state }) => state === 'fail')).toEqual([]);
    expect(code).toBe(0);
    for (const cli of CLIS) {
      const found = (what: string): string[] => checks.filter((one) => one.what === what).map((one) => one.found);
      expect(found(`agent ${cli}`)[0]).toBe(`${versionOf(cli)}, the version that the adapter was tested with`);
      expect(found(`agent ${cli}, a real turn`)[0]).toMatch(/^answered in /);
      expect(plays[cli]?.asked()).toBeGreaterThanOrEqual(1);
    }
    const left = (await processesOf(box.env.HOME ?? '')).filter(({ ofAgent }) => ofAgent);
    expect(left.map(({ command }) => command)).toEqual([]);
    expect(await box.git('status', '--porcelain')).toBe('');
  }, 180_000);

  it('names a refused key and a used-up plan, each with what to do', async () => {
    for (const cli of CLIS) {
      const run = plays[cli] as Run;
      run.scenario = { fault: { kind: cli === 'codex' ? 'usage-subscription' : '401' } };
    }
    const { code, checks } = await doctor();
    expect(code).toBe(2);
    for (const cli of CLIS) {
      const turn = checks.find(({ what }) => what === `agent ${cli}, a real turn`);
      expect(turn, cli).toMatchObject({ state: 'fail' });
      expect(turn?.found).toMatch(cli === 'codex' ? /^limited: / : /^auth: /);
      expect(turn?.fix).toMatch(cli === 'codex' ? /wait for the limit/ : /log in again/);
    }
  }, 300_000);
});
