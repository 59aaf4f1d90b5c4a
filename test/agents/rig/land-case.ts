/** A whole idea by one real CLI through the real program: `ralphctl start`, a file by a tool call, gate, landing. */
import type { RunSummary } from '../../../src/protocol/run.js';
import { roadmap } from '../../support/program.js';
import type { Mock } from '../mock/server.js';
import { setupFor } from './drivers.js';
import type { CliName } from './install.js';
import { processesOf } from './left.js';
import { agentsBox } from './program.js';

export interface LandRow {
  wallMs: number;
  requests: number;
  left: string[];
  landed: string;
  outcome: RunSummary['outcome'] | undefined;
}

export async function landCase(mock: Mock, stateRoot: string, cli: CliName): Promise<LandRow> {
  const text = `made by ${cli}\n`;
  const run = mock.play(`land-${cli}-${Date.now()}`, { calls: [{ write: { path: 'made.txt', text } }] });
  const gate = { commands: ['grep -q "^made by" made.txt'] };
  const files = { 'roadmap.md': roadmap([{ id: 'l-1' }]) };
  const box = await agentsBox(stateRoot, { [cli]: setupFor(cli, run) }, files, { agent: cli, slots: 1, gate });
  try {
    const started = Date.now();
    const done = await box.run('start', '--json', '--wait');
    const left = (await processesOf(box.env.HOME ?? '')).filter(({ ofAgent }) => ofAgent);
    return {
      ...{ wallMs: Date.now() - started, requests: run.asked() },
      left: left.map(({ command }) => command),
      landed: await box.git('show', 'main:made.txt').catch(() => ''),
      outcome: (done.json.at(-1) as unknown as RunSummary | undefined)?.outcome,
    };
  } finally {
    await box.dispose();
    mock.forget(run);
  }
}
