/** How much of the output of gates and set-up stays on disk. Features: B4. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ideaDir } from '../../src/config/paths.js';
import { bench, say } from './bench.js';

it('B4: the limit of the configuration holds for the logs of gate and set-up', async () => {
  const b = await bench({
    agent: `cat > /dev/null; echo x > work.txt\n${say('COMPLETE')}`,
    config: {
      logs: { maxMegabytesPerRun: 1 },
      setup: { run: 'yes set-up | head -c 3000000' },
      gate: ['yes gate | head -c 3000000'],
    },
  });
  const at = await b.prepare();
  await b.call(b.activities.runAgent, b.agentInput(at)).done;
  const input = { ...b.ref, idea: 't-1', serial: 1, worktree: at.worktree, base: at.base };
  const { log = '' } = await b.call(b.activities.runGate, input).done;
  const setUp = join(ideaDir(b.root, b.project, b.ref.runId, 't-1'), 'setup/setup.log');
  for (const one of [log, setUp]) {
    const text = await b.read(one);
    expect(text.length).toBeLessThan((1 << 20) + 500);
    expect(text).toContain('bytes left out here');
  }
});
