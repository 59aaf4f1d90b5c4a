/** An agent whose autopilot was terminated attacks before or after the next start: nothing of it counts as a person's. Features: C5 D2. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterEach, expect, inject, it } from 'vitest';
import { autopilotId } from '../../src/protocol/names.js';
import { dataConverter } from '../../src/server/codec.js';
import { roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';

let box: Sandbox | undefined;
afterEach(() => box?.dispose());

/** It waits for `attack`, attacks, and waits for `go`. `$0`: the folder of these files. */
const ATTACK = `touch "$0/there"
until [ -e "$0/attack" ]; do sleep 0.1; done
common=$(git rev-parse --path-format=absolute --git-common-dir)
printf '[filter "x"]\\n\\tclean = touch %s/canary\\n\\tsmudge = touch %s/canary\\n[core]\\n\\thooksPath = %s/hooks\\n' "$0" "$0" "$0" >> "$common/config"
mkdir -p "$common/info"
echo '*.txt filter=x' >> "$common/info/attributes"
touch "$0/attacked"
until [ -e "$0/go" ]; do sleep 0.1; done`;

async function terminate(project: string): Promise<void> {
  const connection = await Connection.connect({ address: inject('address') });
  const { workflow } = new Client({ connection, dataConverter });
  await workflow.getHandle(autopilotId(project)).terminate('a test');
  await connection.close();
}

it.each(['before', 'after'])('C5: settings that it makes %s the next start', { timeout: 160_000 }, async (when) => {
  const { repo, scratch, run, git, commit } = await started();
  const mark = (name: string) => writeFile(join(scratch, name), '');
  const marked = (name: string) => until(name, async () => (await readdir(scratch)).includes(name));
  const attack = async () => {
    await mark('attack');
    await marked('attacked');
  };
  const onMain = (name: string) => git('ls-tree', '--name-only', 'main', name);
  await commit('script');
  const config = await readFile(join(repo, '.git/config'), 'utf8');
  expect((await run('start', '--detach')).code).toBe(0);
  await marked('there');
  await marked('there-b');
  await terminate(String((await run('status', '--json')).json[0]?.project));
  if (when === 'before') await attack();
  const again = await run('start', '--detach');
  expect(again.code, again.stderr).toBe(0);
  await mark('go-b');
  // It has no slot before b-1 ends, so it is one of the next run.
  await until('c-1 to land', async () => (await onMain('c-1.txt')) !== '');
  if (when === 'after') await attack();
  await mark('go');
  const status = await until('the question', async () => {
    const { stdout } = await run('status');
    return /waits for you/.test(stdout) && stdout;
  });
  expect(status).toMatch(/set filter\.x\.clean/);
  expect(await readdir(scratch)).not.toContain('canary');
  expect(await readFile(join(repo, '.git/config'), 'utf8')).toBe(config);
  expect(await onMain('a-1.txt')).toBe('');
});

async function started(): Promise<Sandbox> {
  box = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap(['a-1', 'b-1', 'c-1'].map((id) => ({ id }))),
    'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', slots: 2, stepDelayMs: 0, gate: ['true'] }),
  });
  const { scratch, write } = box;
  await writeFile(join(scratch, 'attack.sh'), ATTACK.replaceAll('$0', scratch));
  const script = (id: string, ...first: string[]) => [
    { do: [...first.map((one) => ({ run: one })), { write: { path: `${id}.txt`, text: 'x' } }], signal: 'COMPLETE' },
  ];
  const wait = `touch ${scratch}/there-b; until [ -e ${scratch}/go-b ]; do sleep 0.1; done`;
  const ideas = { 'a-1': script('a-1', `sh ${scratch}/attack.sh`), 'b-1': script('b-1', wait), 'c-1': script('c-1') };
  await write({ '.ralph-script.yaml': yaml({ ideas }) });
  return box;
}
