/** More runs that record-histories.mjs records: gates beside the slots. */
import { join } from 'node:path';

const held = (scratch, id, n, text) => ({
  do: [
    { write: { path: join(scratch, `began-${id}-${n}`), text: '' } },
    { waitFor: { path: join(scratch, `go-${id}-${n}`) } },
    { write: { path: `${id}.txt`, text } },
  ],
  signal: 'COMPLETE',
});

export const besideScenariosOn = ({ project, until }) => ({
  /** An agent begins while the gate of another idea runs. That one is red and waits for a slot; then it goes on. */
  async beside() {
    const p = await project('beside', {
      ideas: {
        'g-1': { script: (s) => [held(s, 'g-1', 1, 'bad'), held(s, 'g-1', 2, 'good')] },
        'g-2': { script: (s) => [held(s, 'g-2', 1, 'good')] },
        'g-3': { script: (s) => [held(s, 'g-3', 1, 'good')] },
      },
      config: { slots: 1 },
    });
    await p.run('start', '--detach');
    await p.there('began-g-1-1');
    await p.touch('go-g-1-1');
    await p.there('began-g-2-1');
    await until('g-1 waits for a slot', async () =>
      (await p.status()).status?.active.some((line) => line.id === 'g-1' && line.status === 'wants-slot'),
    );
    for (const file of ['go-g-2-1', 'go-g-1-2', 'go-g-3-1']) await p.touch(file);
    await until('the end', async () => (await p.status()).facts?.open === false);
    const id = await p.id();
    return { 'autopilot-beside': `ralph:${id}:autopilot`, 'idea-beside': `ralph:${id}:idea:g-1` };
  },
});

export const BESIDE_KINDS = { beside: ['autopilot-beside', 'idea-beside'] };
