/** Runs for record-histories.mjs with waves: a person is asked between them, and the source is not there at first. */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const REPORTS = [
  ['1', 'Save on invoices', 'Clicked Save on an invoice without lines, got a white page.'],
  ['2', 'Export', 'The CSV export drops the last row of the list, always.'],
  ['3', 'Login', 'Enter in the password field does nothing, only the button logs in.'],
  ['4', 'test', 'asdf'],
];

/** Its second list comes only once somebody ends it. */
const HANGS = `
import { existsSync, writeFileSync } from 'node:fs';
let input = '';
for await (const part of process.stdin) input += part;
const say = (line) => console.log(JSON.stringify(line));
const { op } = JSON.parse(input);
if (op === 'list' && existsSync(process.argv[2] + '/hang')) {
  writeFileSync(process.argv[2] + '/hangs', '');
  setInterval(() => {}, 1000);
} else {
  if (op === 'list') for (const ref of ['1', '2']) say({ item: { ref, title: 'Save ' + ref, body: 'Clicked Save on an invoice without lines, got a white page ' + ref, member: true } });
  say({ ok: true });
}
`;

export const wavesScenariosOn = ({ project, base, until, connected }) => ({
  /** One wave lands, the source cannot be read for the second one, a person resumes, and the third finds nothing. */
  async waves() {
    const p = await project('waves', {
      ideas: { 'report-1': { script: () => [] } },
      config: { waves: { batchSize: 2, confirm: true } },
      files: {
        'reports.jsonl': REPORTS.map(([id, title, body]) => `${JSON.stringify({ id, title, body })}\n`).join(''),
        '.ralph-script.yaml': JSON.stringify({
          default: [{ do: [{ append: { path: 'work.txt', text: 'x\n' } }], signal: 'COMPLETE' }],
        }),
      },
    });
    const file = join(p.repo, 'reports.jsonl');
    const asks = (words) => async () => {
      const { status } = await p.status();
      return status?.state === 'paused' && status.why?.includes(words);
    };
    await p.run('run', 'reports.jsonl', '--detach');
    await until('the question', asks('Another wave?'));
    await rename(file, `${file}.away`);
    await p.run('resume');
    await until('the missing source', asks('cannot be read'));
    await rename(`${file}.away`, file);
    await p.run('resume');
    await until('the second question', asks('wave 2 of 5'));
    await writeFile(file, '');
    await p.run('resume');
    const id = await p.id();
    const handle = (await connected()).workflow.getHandle(`ralph:${id}:autopilot`);
    await until('the end', async () => (await handle.describe()).status.name === 'COMPLETED');
    return { 'autopilot-waves': `ralph:${id}:autopilot` };
  },

  /**
   * A wave ends while the run is paused, and its question follows the resume. The next wave waits for an idea that asks
   * a person.
   */
  async 'waves-later'() {
    const works = (id) => ({ do: [{ append: { path: `${id}.txt`, text: 'x\n' } }], signal: 'COMPLETE' });
    const p = await project('waves-later', {
      ideas: {
        'z-1': {
          script: () => [
            { whenPrompt: { contains: 'take the second' }, ...works('z-1') },
            { do: [], signal: 'NEEDS_HUMAN: Which one?' },
          ],
        },
        'z-3': { script: (s) => [{ ...works('z-3'), do: [{ waitFor: { path: join(s, 'go') } }, ...works('z-3').do] }] },
        'z-2': { script: () => [works('z-2')], depends: 'z-1' },
      },
      config: { waves: { batchSize: 2, confirm: true } },
    });
    const state = async () => (await p.status()).status ?? {};
    const asks = (words) => async () => {
      const { state: now, why } = await state();
      return now === 'paused' && why?.includes(words);
    };
    await p.run('run', '--detach');
    await until('the question of z-1', async () => (await state()).counts?.['needs-human'] === 1);
    await until('z-3 to work', async () => (await state()).counts?.running === 1);
    await p.run('pause');
    await p.run('skip', 'z-3');
    await until('the end of the first wave', async () => (await p.run('logs', '--json')).includes('"state":"ended"'));
    await p.run('resume');
    await until('its question', asks('wave 1 of 5'));
    await p.run('resume');
    await until('nothing to take', async () => (await p.run('logs', '--json')).includes('"state":"empty"'));
    await p.run('answer', 'z-1', 'take the second');
    await until('the second question', asks('wave 2 of 5'));
    await p.run('resume');
    const id = await p.id();
    const handle = (await connected()).workflow.getHandle(`ralph:${id}:autopilot`);
    await until('the end', async () => (await handle.describe()).status.name === 'COMPLETED');
    return { 'autopilot-waves-later': `ralph:${id}:autopilot` };
  },

  /** A landing waits for an approval (`mode step`), and the next wave begins all the same. */
  async 'waves-approval'() {
    const works = (id) => ({ do: [{ append: { path: `${id}.txt`, text: 'x\n' } }], signal: 'COMPLETE' });
    const p = await project('waves-approval', {
      ideas: {
        'y-1': { script: (s) => [{ ...works('y-1'), do: [{ waitFor: { path: join(s, 'go') } }, ...works('y-1').do] }] },
        'y-2': { script: () => [works('y-2')] },
      },
      config: { waves: { batchSize: 1 } },
    });
    const counts = async () => (await p.status()).status?.counts ?? {};
    await p.run('run', '--detach');
    await until('y-1 to work', async () => (await counts()).running === 1);
    await p.run('mode', 'step');
    await p.touch('go');
    await until('the end of the first wave', async () => (await p.run('logs', '--json')).includes('"state":"ended"'));
    await until('the second wave', async () => (await p.run('logs', '--json')).includes('"idea":"y-2"'));
    await p.run('mode', 'autopilot');
    const id = await p.id();
    const handle = (await connected()).workflow.getHandle(`ralph:${id}:autopilot`);
    await until('the end', async () => (await handle.describe()).status.name === 'COMPLETED');
    return { 'autopilot-waves-approval': `ralph:${id}:autopilot` };
  },

  /** The source hangs while the second wave is planned, and a person stops the run. */
  async 'plan-stopped'() {
    const scratch = join(base, 'plan-stopped-scratch');
    const p = await project('plan-stopped', {
      ideas: { 'item-1': { script: () => [] } },
      config: {
        waves: { batchSize: 1, confirm: true },
        backlog: { tracker: 'command', run: [process.execPath, 'tracker.mjs', scratch], timeoutSeconds: 600 },
      },
      files: {
        'tracker.mjs': HANGS,
        '.ralph-script.yaml': JSON.stringify({
          default: [{ do: [{ append: { path: 'work.txt', text: 'x\n' } }], signal: 'COMPLETE' }],
        }),
      },
    });
    await p.run('run', '--detach');
    await until('the question', async () => (await p.status()).status?.why?.includes('Another wave?'));
    await p.touch('hang');
    await p.run('resume');
    await p.there('hangs');
    await p.run('stop', '--reason', 'enough');
    const id = await p.id();
    const handle = (await connected()).workflow.getHandle(`ralph:${id}:autopilot`);
    await until('the end', async () => (await handle.describe()).status.name === 'COMPLETED');
    return { 'autopilot-plan-stopped': `ralph:${id}:autopilot` };
  },
});

export const WAVES_KINDS = {
  waves: ['autopilot-waves'],
  'waves-later': ['autopilot-waves-later'],
  'waves-approval': ['autopilot-waves-approval'],
  'plan-stopped': ['autopilot-plan-stopped'],
};
