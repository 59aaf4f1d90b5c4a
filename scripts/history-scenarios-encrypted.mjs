/** A run with encrypted payloads that record-histories.mjs records. Its keys are in test/histories: they protect nothing. */
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const TEST_KEYS = ['test-key-1', 'test-key-2'];

export const encryptedScenariosOn = ({ env, out, project, until }) => ({
  /** It asks, its keys are rotated, and its worker is another one when the answer comes. Its gate is red once. */
  async encrypted() {
    for (const id of TEST_KEYS) await cp(join(out, `${id}.txt`), join(env.HOME, `${id}.txt`));
    const keys = (...ids) => ({
      payloads: { encryption: { keys: ids.map((id) => ({ id, file: `~/${id}.txt` })) } },
    });
    const [first, second] = TEST_KEYS;
    const append = (text) => ({ append: { path: 'e-1.txt', text } });
    const p = await project('encrypted', {
      ideas: {
        'e-1': {
          script: () => [
            { do: [append('draft\n')], signal: 'NEEDS_HUMAN: which colour?' },
            { do: [append('bad\n')], signal: 'COMPLETE' },
            { do: [{ write: { path: 'e-1.txt', text: 'good\n' } }], signal: 'COMPLETE' },
          ],
        },
      },
      config: keys(first),
    });
    await p.run('start', '--detach');
    await until('the question', async () => (await p.status()).status?.attention.some(({ id }) => id === 'e-1'));
    await p.run('hint', 'e-1', 'blue is taken');
    const config = { version: 1, agent: 'scripted', slots: 2, stepDelayMs: 0, gate: ['! grep -q bad *.txt'] };
    await writeFile(join(p.repo, 'ralphctl.json'), JSON.stringify({ ...config, ...keys(second, first) }));
    await p.run('config', 'reload', '--json');
    await p.run('worker', '--stop');
    await p.run('answer', 'e-1', 'green');
    await p.run('start', '--json', '--wait');
    const id = await p.id();
    return { 'autopilot-encrypted': `ralph:${id}:autopilot`, 'idea-encrypted': `ralph:${id}:idea:e-1` };
  },
});

export const ENCRYPTED_KINDS = { encrypted: ['autopilot-encrypted', 'idea-encrypted'] };
