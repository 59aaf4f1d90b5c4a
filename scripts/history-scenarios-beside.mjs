/** More runs that record-histories.mjs records: gates and settling beside the slots, ideas that nobody waits for, open ideas. */
import { join } from 'node:path';

const held = (scratch, id, n, text) => ({
  do: [
    { write: { path: join(scratch, `began-${id}-${n}`), text: '' } },
    { waitFor: { path: join(scratch, `go-${id}-${n}`) } },
    { write: { path: `${id}.txt`, text } },
  ],
  signal: 'COMPLETE',
});

export const besideScenariosOn = ({ project, until, connected }) => ({
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

  /** The slot of an agent goes back before its run is settled. It had changed nothing, so its idea waits for a slot. */
  async settled() {
    const idle = (scratch, id) => {
      const { do: steps, signal } = held(scratch, id, 1, '');
      return { do: steps.slice(0, -1), signal };
    };
    const p = await project('settled', {
      ideas: {
        's-1': { script: (s) => [idle(s, 's-1'), held(s, 's-1', 2, 'good')] },
        's-2': { script: (s) => [held(s, 's-2', 1, 'good')] },
        's-3': { script: (s) => [held(s, 's-3', 1, 'good')] },
      },
      config: { slots: 1 },
    });
    await p.run('start', '--detach');
    await p.there('began-s-1-1');
    await p.touch('go-s-1-1');
    await p.there('began-s-2-1');
    for (const file of ['go-s-2-1', 'go-s-1-2', 'go-s-3-1']) await p.touch(file);
    await until('the end', async () => (await p.status()).facts?.open === false);
    const id = await p.id();
    return { 'autopilot-settled': `ralph:${id}:autopilot`, 'idea-settled': `ralph:${id}:idea:s-1` };
  },

  /** A person stops an idea while its agent works. The work is finished and green, and does not land. */
  async 'stopped-ready'() {
    const p = await project('stopped-ready', { ideas: { 't-1': { script: (s) => [held(s, 't-1', 1, 'good')] } } });
    await p.run('start', '--detach');
    await p.there('began-t-1-1');
    await p.run('stop', 't-1', '--reason', 'not this one');
    await p.touch('go-t-1-1');
    await until('the end', async () => (await p.status()).facts?.open === false);
    const id = await p.id();
    return { 'idea-stopped-ready': `ralph:${id}:idea:t-1` };
  },

  /** A paused idea gives its slot back. When it resumes it waits for one, and keeps its number. */
  async rested() {
    const half = (s, id) => ({ ...held(s, id, 1, 'half'), signal: 'PROGRESS:50' });
    const p = await project('rested', {
      ideas: {
        'p-1': { script: (s) => [half(s, 'p-1'), held(s, 'p-1', 2, 'good')] },
        'p-2': { script: (s) => [held(s, 'p-2', 1, 'good')] },
      },
      config: { slots: 1 },
    });
    await p.run('start', '--detach');
    await p.there('began-p-1-1');
    await p.run('pause', 'p-1');
    await p.touch('go-p-1-1');
    await p.there('began-p-2-1');
    await p.run('resume', 'p-1');
    await until('p-1 waits for a slot', async () =>
      (await p.status()).status?.active.some((line) => line.id === 'p-1' && line.status === 'wants-slot'),
    );
    for (const file of ['go-p-2-1', 'go-p-1-2']) await p.touch(file);
    await until('the end', async () => (await p.status()).facts?.open === false);
    const id = await p.id();
    return { 'autopilot-rested': `ralph:${id}:autopilot`, 'idea-rested': `ralph:${id}:idea:p-1` };
  },

  /** In a paused run a person resumes one idea, which goes on alone. */
  async alone() {
    const half = (s, id) => ({ ...held(s, id, 1, 'half'), signal: 'PROGRESS:50' });
    const one = (id) => ({ script: (s) => [half(s, id), held(s, id, 2, 'good')] });
    const p = await project('alone', { ideas: { 'a-1': one('a-1'), 'a-2': one('a-2') } });
    await p.run('start', '--detach');
    for (const id of ['a-1', 'a-2']) await p.there(`began-${id}-1`);
    await p.run('pause');
    for (const id of ['a-1', 'a-2']) await p.touch(`go-${id}-1`);
    await until('the pause', async () => (await p.status()).status?.state === 'paused');
    await p.run('resume', 'a-1');
    await p.there('began-a-1-2');
    await p.touch('go-a-1-2');
    await until('a-1 to wait for the run', async () => (await p.status()).status?.counts.landing === 1);
    await p.run('resume');
    await p.touch('go-a-2-2');
    await until('the end', async () => (await p.status()).facts?.open === false);
    return { 'autopilot-alone': `ralph:${await p.id()}:autopilot` };
  },

  /** One is paused in its last iteration and lands once it resumes; the other leaves its conflict unsolved, and asks. */
  async unsolved() {
    const first = (s, id) => ({
      do: [
        { write: { path: join(s, `began-${id}-1`), text: '' } },
        { waitFor: { path: join(s, `go-${id}-1`) } },
        { write: { path: 'shared.txt', text: `${id}\n` } },
      ],
      signal: 'COMPLETE',
    });
    const more = { do: [{ append: { path: 'shared.txt', text: 'more\n' } }], signal: 'COMPLETE' };
    const p = await project('unsolved', {
      ideas: { 'u-1': { script: (s) => [first(s, 'u-1')] }, 'u-2': { script: (s) => [first(s, 'u-2'), more] } },
      config: { slots: 2, escalation: { after: 2, every: 1, steps: ['ask'] } },
      more: { 'shared.txt': 'first\n' },
    });
    await p.run('start', '--detach');
    for (const id of ['u-1', 'u-2']) await p.there(`began-${id}-1`);
    await p.run('pause', 'u-1');
    await p.touch('go-u-1-1');
    await until('u-1 to wait', async () => (await p.run('why', 'u-1')).includes('it lands once it resumes'));
    await p.run('resume', 'u-1');
    await until('u-1 landed', async () => (await p.git('log', '--format=%s', 'main')).includes('u-1'));
    await p.touch('go-u-2-1');
    await until('u-2 to ask', async () => (await p.run('why', 'u-2')).includes('made no progress'));
    await p.run('stop');
    await until('the end', async () => (await p.status()).facts?.open === false);
    const id = await p.id();
    return { 'autopilot-unsolved': `ralph:${id}:autopilot`, 'idea-unsolved': `ralph:${id}:idea:u-2` };
  },

  /** A second run takes over what the terminated one left open, before the idea that a person put first. */
  async 'left-open'() {
    const one = (id) => ({ script: (s) => [held(s, id, 1, `${id}\n`)] });
    const names = ['l-1', 'l-2', 'l-3', 'l-4'];
    const p = await project('left-open', {
      ideas: Object.fromEntries(names.map((id) => [id, one(id)])),
      config: { slots: 2 },
    });
    await p.run('start', '--detach');
    await p.touch('go-l-1-1');
    // It works under the number of the first one, and the second one under its own.
    await p.there('began-l-3-1');
    const client = await connected();
    const id = await p.id();
    await client.workflow.getHandle(`ralph:${id}:autopilot`).terminate('taken away');
    await p.run('bump', 'l-4');
    await p.run('start', '--detach');
    await until('both to be taken over', async () => (await p.status()).status?.counts.running === 2);
    for (const name of names) await p.touch(`go-${name}-1`);
    await until('the end', async () => (await p.status()).facts?.open === false);
    return { 'autopilot-left-open': `ralph:${id}:autopilot` };
  },
});

export const BESIDE_KINDS = {
  beside: ['autopilot-beside', 'idea-beside'],
  settled: ['autopilot-settled', 'idea-settled'],
  'stopped-ready': ['idea-stopped-ready'],
  rested: ['autopilot-rested', 'idea-rested'],
  alone: ['autopilot-alone'],
  unsolved: ['autopilot-unsolved', 'idea-unsolved'],
  'left-open': ['autopilot-left-open'],
};
