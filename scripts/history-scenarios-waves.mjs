/** Runs for record-histories.mjs with waves: a person is asked between them, and the source is not there at first. */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const REPORTS = [
  ['1', 'Save on invoices', 'Clicked Save on an invoice without lines, got a white page.'],
  ['2', 'Export', 'The CSV export drops the last row of the list, always.'],
  ['3', 'Login', 'Enter in the password field does nothing, only the button logs in.'],
  ['4', 'test', 'asdf'],
];

export const wavesScenariosOn = ({ project, until, connected }) => ({
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
});

export const WAVES_KINDS = { waves: ['autopilot-waves'] };
