/** Runs for record-histories.mjs whose ideas come from a tracker that is down at first, and has one item elsewhere. */
import { join } from 'node:path';
import { onForge, PR } from './history-scenarios-delivery.mjs';

const held = (scratch, id, n, signal) => ({
  do: [{ waitFor: { path: join(scratch, `go-${id}-${n}`) } }, { append: { path: `${id}.txt`, text: `${n}\n` } }],
  signal,
});

/** Each request is refused once, for a moment. */
const PROGRAM = `
import { existsSync, writeFileSync } from 'node:fs';
let input = '';
for await (const part of process.stdin) input += part;
const { op, ref = '' } = JSON.parse(input);
const say = (line) => console.log(JSON.stringify(line));
const asked = process.argv[2] + '/asked-' + op + '-' + ref;
if (op === 'list') {
  for (const one of ['1', '2', '3']) say({ item: { ref: one, title: 'Do ' + one, member: true } });
  say({ ok: true });
} else if (op === 'claim' && ref === '3') say({ taken: 'run 7' });
else if (op !== 'check' && !existsSync(asked)) {
  writeFileSync(asked, '');
  say({ error: 'the tracker is down', retryAt: new Date(Date.now() + 1500).toISOString() });
} else say({ ok: true });
`;

/** One item, and no trouble. */
const CALM = `
let input = '';
for await (const part of process.stdin) input += part;
if (JSON.parse(input).op === 'list') console.log('{"item":{"ref":"1","title":"Do 1","member":true}}');
console.log('{"ok":true}');
`;

export const trackerScenariosOn = ({ project, base, until, connected, bundled, env }) => ({
  /** One item asks and lands, one is blocked and given back, one is taken elsewhere. */
  async tracked() {
    const scratch = join(base, 'tracked-scratch');
    const p = await project('tracked', {
      ideas: {
        'item-1': { script: (s) => [{ signal: 'NEEDS_HUMAN: which colour?' }, held(s, 'item-1', 2, 'COMPLETE')] },
        'item-2': { script: () => [{ signal: 'BLOCKED: no key' }] },
      },
      config: { backlog: { tracker: 'command', run: [process.execPath, 'tracker.mjs', scratch], write: true } },
      files: { 'tracker.mjs': PROGRAM },
    });
    await p.run('start', '--detach');
    const asks = async () => (await p.status()).status?.attention.some((line) => line.id === 'item-1' && line.reason);
    await until('item-1 asks', asks);
    await p.run('answer', 'item-1', 'green');
    await p.touch('go-item-1-2');
    await until('the end', async () => (await p.status()).facts?.open === false);
    const id = await p.id();
    const handle = (await connected()).workflow.getHandle(`ralph:${id}:tracker`);
    await until('the tracker to know', async () => (await handle.describe()).status.name === 'COMPLETED');
    return {
      'autopilot-tracked': `ralph:${id}:autopilot`,
      'idea-tracked': `ralph:${id}:idea:item-1`,
      'idea-taken': `ralph:${id}:idea:item-3`,
      'tracker-tracked': `ralph:${id}:tracker`,
    };
  },

  /** Its pull request has red checks, then it is merged: the tracker hears of both reviews. */
  async 'tracked-review'() {
    const works = { do: [{ append: { path: 'item-1.txt', text: 'one\n' } }], signal: 'COMPLETE' };
    const p = await project('tracked-review', {
      ideas: { 'item-1': { script: () => [works, works] } },
      config: {
        landing: { mode: 'pr', pr: PR },
        backlog: { tracker: 'command', run: [process.execPath, 'tracker.mjs'], write: true },
      },
      files: { 'tracker.mjs': CALM },
    });
    const { forge, repo, numberOf, check, mergePull } = await onForge(p, { bundled, env, until });
    try {
      await p.run('start', '--detach');
      const number = await numberOf('item-1');
      const told = async (part) => (await p.run('logs', '--json')).split('\n').filter((line) => line.includes(part));
      const heard = (times) => async () => (await told('"kind":"tracker"')).length >= times;
      await until('the tracker to hear of the review', heard(2));
      check(repo, 7, 'ralph/item-1', 'failure', 'Error: 3 is not 4');
      await until('another review', async () => (await told('"state":"open"')).length > 1);
      await until('the tracker to hear of it', heard(3));
      mergePull(repo, number, 'me');
      await until('the end', async () => (await p.status()).facts?.open === false);
    } finally {
      await forge.close();
    }
    return { 'autopilot-tracked-review': `ralph:${await p.id()}:autopilot` };
  },
});

export const TRACKER_KINDS = {
  tracked: ['autopilot-tracked', 'idea-tracked', 'idea-taken', 'tracker-tracked'],
  'tracked-review': ['autopilot-tracked-review'],
};
