/**
 * Encrypted payloads of whole runs: what the server stores, what people read, keys that rotate, come late, are missing or
 * wrong, and the codec server under Temporal's own command and its Web UI. Feature: G9.
 */
import { randomBytes } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, expect, inject, it } from 'vitest';
import { readRecord } from '../../src/server/files.js';
import { browser, inBrowser } from '../support/chromium.js';
import { DONE, Held, type HeldStep } from '../support/held.js';
import { projectOf } from '../support/news.js';
import { pidsWith } from '../support/processes.js';
import { until, yaml } from '../support/program.js';
import { freePort } from '../support/prometheus.js';
import { type Stored, storedOf } from '../support/stored.js';

const opened: Held[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.box.dispose();
});

/** Each is in one text of the run only. */
const WORDS = ['Xylophone', 'Walrus', 'Quokka', 'Ocelot', 'Platypus', 'Wombat'];
const GATE = '! grep -q 2 e-1.txt || grep -q 3 e-1.txt || { echo the Platypus is red; exit 1; }';
const ASKS: HeldStep[] = [
  { signal: 'NEEDS_HUMAN: which Quokka?', free: true },
  { signal: 'COMPLETE', free: true },
  { signal: 'COMPLETE' },
];

const keyFile = (held: Held, id: string): string => join(held.box.env.HOME ?? '', `${id}.key`);
const makeKey = (held: Held, id: string): Promise<void> =>
  writeFile(keyFile(held, id), randomBytes(32).toString('base64'), { mode: 0o600 });
const keysOf = (...ids: string[]) => ids.map((id) => ({ id, file: `~/${id}.key` }));
const config = (payloads: object, gate = 'true') => ({
  ...{ version: 1, agent: 'scripted', slots: 1, stepDelayMs: 0, gate: [gate] },
  payloads,
});

async function open(steps: HeldStep[], payloads: object, gate?: string): Promise<Held> {
  const idea = { id: 'e-1', text: 'Paint the Xylophone', success: 'the Walrus is seen', steps };
  const held = await Held.open(inject('stateRoot'), [idea], config(payloads, gate));
  opened.push(held);
  for (const id of ['k1', 'k2']) await makeKey(held, id);
  return held;
}

async function reload(held: Held, payloads: object, gate?: string) {
  await held.box.write({ 'ralphctl.yaml': yaml(config(payloads, gate)) });
  return held.box.run('config', 'reload');
}

const stored = (held: Held): Promise<Stored> => storedOf(inject('address'), projectOf(held.box.repo), 'e-1');
const asked = (held: Held): Promise<unknown> => held.idea('e-1', 'needs-human');
async function killWorker(held: Held): Promise<void> {
  for (const pid of await pidsWith('worker', '--child', '--project', projectOf(held.box.repo)))
    process.kill(pid, 'SIGKILL');
}
const says = (held: Held, ...args: string[]): Promise<string> =>
  held.box.run(...args).then(({ code, stdout, stderr }) => `${code}\n${stdout}${stderr}`);

/** Temporal needs them, so they are clear. */
const NEEDED = /searchAttributes|patch-data/;

it('hide all texts of a run from its server and none from its people, through a rotation and a killed worker', async () => {
  const port = await freePort();
  const codecServer = { listen: `127.0.0.1:${port}` };
  const held = await open(ASKS, { encryption: { keys: keysOf('k1') }, codecServer }, GATE);
  expect(await says(held, 'doctor', '--quick')).toMatch(/payload key k1 +\S+k1\.key; encrypts and decrypts/);
  await held.start();
  await asked(held);
  expect(await says(held, 'status')).toContain('which Quokka?');
  expect((await held.box.run('hint', 'e-1', 'mind the Ocelot')).code).toBe(0);
  const before = await stored(held);
  expect([...before.keys]).toEqual(['k1']);

  // Another key, and another worker.
  expect((await reload(held, { encryption: { keys: keysOf('k2', 'k1') }, codecServer }, GATE)).code).toBe(0);
  await killWorker(held);
  expect((await held.box.run('answer', 'e-1', 'the Wombat one')).code).toBe(0);
  // The gate was red once, so what it printed is in the prompt.
  await held.began('e-1', 3);
  expect(await held.prompt('e-1', 3)).toContain('the Platypus is red');
  expect(await held.prompt('e-1', 2)).toMatch(/Ocelot[\s\S]*Wombat|Wombat[\s\S]*Ocelot/);
  const working = await stored(held);
  expect([...working.keys].sort()).toEqual(['k1', 'k2']);

  await temporalReads(held, port);
  if (browser) await webUiReads(held, port);

  await held.go('e-1-3');
  expect((await held.finish()).landed).toBe(1);
  const shown = await says(held, 'show', 'e-1');
  for (const word of ['Xylophone', 'Quokka', 'Wombat']) expect(shown).toContain(word);
  expect(await says(held, 'logs', 'e-1')).toMatch(/^0\n/);
  expect(await says(held, 'report')).toContain('Xylophone');
  expect(await says(held, 'status')).toContain('1 landed');

  const after = await stored(held);
  for (const all of [before, working, after]) {
    expect(all.text.length).toBeGreaterThan(10_000);
    for (const word of WORDS) expect(all.text, word).not.toContain(word);
    expect([...all.clear].filter((place) => !NEEDED.test(place))).toEqual([]);
    expect(all.failed).toEqual([]);
  }
}, 300_000);

/** Temporal's own command, whose program is that of the server. */
async function temporalReads(held: Held, port: number): Promise<void> {
  const { binary = '' } = (await readRecord(inject('stateRoot'))) ?? {};
  const id = `ralph:${projectOf(held.box.repo)}:idea:e-1`;
  const show = async (...more: string[]) => {
    const args = ['workflow', 'show', '--address', inject('address'), '--workflow-id', id, '--output', 'json', ...more];
    const { stdout } = await execa(binary, args, { env: { HOME: held.box.env.HOME }, maxBuffer: 64 << 20 });
    return stdout.replace(/"data": ?"([A-Za-z0-9+/=]+)"/g, (_all, data: string) =>
      Buffer.from(data, 'base64').toString('utf8'),
    );
  };
  expect(await show()).not.toMatch(/Xylophone|Quokka/);
  const read = await show('--codec-endpoint', `http://127.0.0.1:${port}`);
  for (const word of ['Xylophone', 'Quokka', 'Wombat', 'Platypus']) expect(read).toContain(word);
}

/** As docs/deploy.md says: in the dialogue, then a reload of the page. */
async function webUiReads(held: Held, port: number): Promise<void> {
  const { uiUrl = '' } = (await readRecord(inject('stateRoot'))) ?? {};
  const id = encodeURIComponent(`ralph:${projectOf(held.box.repo)}:idea:e-1`);
  const page = `${uiUrl}/namespaces/default/workflows/${id}`;
  await inBrowser(join(held.box.scratch, 'profile'), page, async ({ send, measure }) => {
    const has = (pattern: RegExp) => measure<boolean>(`${pattern}.test(document.body.innerText)`);
    const click = (selector: string) => measure(`document.querySelector('${selector}').click()`);
    const field = 'document.querySelector(\'textarea[placeholder^="Paste your endpoint"]\')';
    await until('the encrypted input', () => has(/encryption-key-id/));
    expect(await has(/Xylophone|Quokka/)).toBe(false);
    await click('button[aria-label="Configure Codec Server"]');
    await until('the dialogue', () => measure<boolean>(`${field} !== null`));
    await measure(`${field}.focus()`);
    await send('Input.insertText', { text: `http://127.0.0.1:${port}` });
    await click('[data-testid=confirm-data-encoder-button]');
    await until('the setting', () => measure<boolean>(`(localStorage.getItem('endpoint') ?? '').includes(':${port}')`));
    await send('Page.reload');
    await until('the decrypted input', () => has(/"title": "Paint the Xylophone/));
    await until('the decrypted summary of the workflow', () => has(/e-1: Paint the Xylophone/));
    await until('a decrypted result', () => has(/"kind":"needs-human"/));
    expect(await has(/encryption-key-id/)).toBe(false);
  });
}

it('that are missing or wrong are refused before anything starts, and an open run waits for them unharmed', async () => {
  const held = await open([{ signal: 'NEEDS_HUMAN: which Quokka?', free: true }, DONE], {
    encryption: { keys: keysOf('k1') },
  });
  const [file, away] = [keyFile(held, 'k1'), `${keyFile(held, 'k1')}.away`];
  const MISSING =
    /^2\n[\s\S]*cannot read the payload key "k1" \(payloads\.encryption\.keys\): \S+k1\.key: there is no such file\. Put the key back\. If it never encrypted anything, make it: openssl rand -base64 32/;
  await rename(file, away);
  expect(await says(held, 'start', '--detach')).toMatch(MISSING);
  expect(await says(held, 'doctor', '--quick')).toMatch(
    /^2\n[\s\S]*payload key k1[\s\S]*there is no such file[\s\S]*openssl rand/,
  );
  expect((await held.box.run('runs', '--json')).stdout).not.toContain('"runId"');

  await rename(away, file);
  await held.start();
  await asked(held);
  await rename(file, away);
  for (const command of [['answer', 'e-1', 'red'], ['why', 'e-1'], ['stop']])
    expect(await says(held, ...command)).toMatch(MISSING);
  await killWorker(held);
  const TAKES_NONE = /the worker takes no work: cannot read the payload key "k1"/;
  await until('the worker to wait', async () => TAKES_NONE.test(await says(held, 'doctor', '--quick')));

  // Another key under the same name.
  await makeKey(held, 'k1');
  const WRONG = /a payload does not decrypt with the key "k1"[\s\S]*Put the right key back; a new key needs a new id/;
  await until('the worker to find the other key', async () => WRONG.test(await says(held, 'doctor', '--quick')));
  expect(await says(held, 'answer', 'e-1', 'red')).toMatch(/^2\n[\s\S]*does not decrypt with the key "k1"/);

  await rename(away, file);
  await until('the worker to go on', async () => (await held.box.run('answer', 'e-1', 'red')).code === 0);
  expect((await held.finish()).landed).toBe(1);
  expect((await stored(held)).failed).toEqual([]);

  // Between runs nothing is open that shows it.
  await rename(file, away);
  await makeKey(held, 'k1');
  const ANOTHER =
    /^2\n[\s\S]*\S+k1\.key does not hold the key that encrypted what Temporal stores[\s\S]*Put the right key back\. A new key needs a new id/;
  expect(await says(held, 'doctor', '--quick')).toMatch(ANOTHER);
  expect(await says(held, 'start', '--detach')).toMatch(/^2\n[\s\S]*does not decrypt with the key "k1"/);
  await rename(away, file);
  expect(await says(held, 'doctor', '--quick')).toMatch(/payload key k1 +\S+k1\.key; encrypts and decrypts/);
}, 300_000);

it('begin and end in an open run: what was stored before stays readable', async () => {
  const asks = { signal: 'NEEDS_HUMAN: which Quokka?' };
  const held = await open([{ ...asks, free: true }, asks, asks, DONE], {});
  await held.start();
  await asked(held);
  expect((await stored(held)).keys.size).toBe(0);
  expect((await reload(held, { encryption: { keys: keysOf('k1') } })).code).toBe(0);
  await killWorker(held);
  expect((await held.box.run('answer', 'e-1', 'the Ocelot one')).code).toBe(0);
  await held.began('e-1', 2);
  await held.go('e-1-2');
  await asked(held);
  const on = await stored(held);
  expect([...on.keys]).toEqual(['k1']);
  expect(on.text).not.toContain('Ocelot');

  const lost = await reload(held, {});
  expect([lost.code, lost.stderr]).toEqual([7, expect.stringContaining('payloads.encryption.encrypt: false')]);
  expect((await reload(held, { encryption: { encrypt: false, keys: keysOf('k1') } })).code).toBe(0);
  await killWorker(held);
  expect((await held.box.run('answer', 'e-1', 'the Wombat one')).code).toBe(0);
  await held.began('e-1', 3);
  await held.go('e-1-3');
  await asked(held);
  expect((await held.box.run('answer', 'e-1', 'none')).code).toBe(0);
  expect((await held.finish()).landed).toBe(1);
  const off = await stored(held);
  expect(off.text).toContain('the Wombat one');
  expect(off.failed).toEqual([]);
}, 300_000);
