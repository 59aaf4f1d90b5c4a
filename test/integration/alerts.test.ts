/** Alerts of real runs to a real web server: signed, once, grouped, and over the death of the worker. Features: G7 A7. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, inject, it } from 'vitest';
import { pidsWith } from '../support/processes.js';
import { cliPath, events, roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';
import { PtyScreen } from '../support/pty.js';
import { isSigned, type Receiver, receiver } from '../support/receiver.js';
import { whenOver } from '../support/told.js';

const SLOW = 180_000;
const SECRET = 'a secret of this test';
let box: Sandbox | undefined;
let hook: Receiver | undefined;
afterEach(async () => {
  await hook?.close();
  await box?.dispose();
});

interface Body {
  id: string;
  title: string;
  command: string;
  link?: string;
  counts: Record<string, number>;
  events: { kind: string; idea?: string; text?: string; command: string }[];
}

interface Rig {
  ideas: Record<string, unknown[]>;
  notify?: Record<string, unknown>;
  config?: Record<string, unknown>;
}

async function rig({ ideas, notify = {}, config = {} }: Rig): Promise<Sandbox> {
  const rows = [{ to: 'webhook', name: 'ops', url: hook?.url, secretEnv: 'OPS_SIGNING' }];
  box = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap(Object.keys(ideas).map((id) => ({ id }))),
    'ralphctl.yaml': yaml({
      ...{ version: 1, agent: 'scripted', slots: 3, stepDelayMs: 0, gate: ['true'] },
      notify: { groupSeconds: 0, rows, ...notify },
      ...config,
    }),
    '.ralph-script.yaml': yaml({ ideas }),
  });
  box.env.OPS_SIGNING = SECRET;
  return box;
}

const ASKS = [
  { signal: 'NEEDS_HUMAN: which colour?' },
  { do: [{ write: { path: 'a', text: 'a' } }], signal: 'COMPLETE' },
];

it(
  'G7: a question reaches the webhook once, signed, with the command that answers it; the end of the run follows',
  async () => {
    hook = await receiver();
    const { run } = await rig({ ideas: { 'ask-1': ASKS } });
    expect((await run('start')).code).toBe(4);
    const asked = await until('the question', async () => hook?.bodies<Body>()[0]);
    expect(asked).toMatchObject({
      title: 'ralphctl: ask-1 asks you',
      command: expect.stringMatching(/^ralphctl answer ask-1 --question [0-9a-f]{4} "…"$/),
      link: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/namespaces\/default\/workflows\/ralph%3A/),
      counts: { question: 1 },
      events: [{ kind: 'question', idea: 'ask-1', text: expect.stringContaining('which colour?') }],
    });
    expect((await run('answer', 'ask-1', 'green')).code).toBe(0);
    await until('the end', async () => (hook?.received.length ?? 0) >= 2, SLOW);
    const [, over] = hook.bodies<Body>();
    expect(over).toMatchObject({ counts: { 'run-done': 1 }, title: 'ralphctl: the run is over' });
    expect(hook.received.every((one) => isSigned(one, SECRET))).toBe(true);
    expect(new Set(hook.received.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
    expect(hook.received).toHaveLength(2);
  },
  SLOW,
);

it(
  'G7: an alert whose worker is killed between event and delivery is delivered by the next one, with the same id',
  async () => {
    // It does not answer while the first worker lives, so that the kill comes before any delivery.
    let takes = false;
    hook = await receiver((response) => void (takes && response.writeHead(204).end()));
    const { run } = await rig({ ideas: { 'ask-1': ASKS } });
    expect((await run('start')).code).toBe(4);
    await until('the first try', async () => hook?.received[0]);
    const { project } = (await run('status', '--json')).json[0] as { project: string };
    const workers = await pidsWith('worker', '--child', '--project', project);
    expect(workers).toHaveLength(1);
    for (const pid of workers) process.kill(pid, 'SIGKILL');
    takes = true;
    const [first, second] = await until(
      'the second try',
      async () => hook?.received.length === 2 && hook.received,
      SLOW,
    );
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    const noted = await until('the note of its delivery', async () =>
      events(await run('logs', '--json')).find((event) => event.kind === 'alert'),
    );
    expect(noted).toMatchObject({ row: 'ops', state: 'delivered', events: 1 });
    expect(hook.received).toHaveLength(2);
  },
  SLOW,
);

it(
  'G7: ten blocked ideas and the end of their run are one alert',
  async () => {
    hook = await receiver();
    const ids = Array.from({ length: 10 }, (_, at) => `bad-${at}`);
    const { run } = await rig({
      ideas: Object.fromEntries(ids.map((id) => [id, [{ signal: 'BLOCKED: no access' }]])),
      notify: { groupSeconds: 3600 },
      config: { slots: 10 },
    });
    await run('start');
    // The end of the run closes the group.
    const body = await until('the alert', async () => hook?.bodies<Body>()[0], SLOW);
    expect(body.counts).toEqual({ blocked: 10, 'run-done': 1 });
    expect(body.events.map(({ idea }) => idea)).toEqual(expect.arrayContaining(ids));
    expect(body.events.find(({ idea }) => idea === 'bad-0')?.command).toBe('ralphctl unblock bad-0');
    expect(hook.received).toHaveLength(1);
  },
  SLOW,
);

it(
  'G7: a stopped worker is told by the attached start, and notify test says what each row did',
  async () => {
    hook = await receiver();
    const held = [{ do: [{ waitFor: { path: 'never' } }], signal: 'COMPLETE' }];
    const { run, spawn } = await rig({ ideas: { 'held-1': held } });
    const tested = await run('notify', 'test', '--json');
    expect(tested.json).toMatchObject([{ rows: [{ row: 'ops', to: 'webhook', ok: true }] }]);
    expect(hook.bodies()).toMatchObject([{ test: true }]);
    expect((await run('notify', 'test', 'opps')).stderr).toContain(
      'notify.rows has no row opps. Did you mean ops? Its rows: ops',
    );
    expect((await run('notify', 'test', 'nope')).stderr).toContain('notify.rows has no row nope. Its rows: ops');
    spawn('start');
    await until('the agent', async () => events(await run('logs', '--json')).some(({ kind }) => kind === 'iteration'));
    await run('worker', '--stop');
    await until('the alert', async () => (hook?.received.length ?? 0) > 1, SLOW);
    expect(hook.bodies()[1]).toMatchObject({
      ...{ title: 'ralphctl: nothing moves', command: 'ralphctl start', urgent: true },
      counts: { 'nothing-moves': 1 },
    });
    await hook.close();
    const failed = await run('notify', 'test');
    expect([failed.code, failed.stdout]).toEqual([
      2,
      expect.stringMatching(/^✗ ops \(webhook\): .*could not be reached/),
    ]);
  },
  SLOW,
);

it(
  'G7: an alert of a question that was answered meanwhile is not sent, neither in a group nor by a later try',
  async () => {
    let takes = false;
    const taken: Body[] = [];
    hook = await receiver((response, number) => {
      if (takes) taken.push(hook?.bodies<Body>()[number - 1] as Body);
      response.writeHead(takes ? 204 : 503).end();
    });
    const { run } = await rig({
      ideas: { 'ask-1': ASKS, 'ask-2': ASKS, 'bad-1': [{ signal: 'BLOCKED: no access' }] },
      notify: {
        rows: [
          { to: 'webhook', name: 'now', url: hook.url, events: ['question'] },
          { to: 'webhook', name: 'all', url: `${hook.url}-all`, events: ['question', 'blocked', 'run-done'] },
        ],
        groupSeconds: 1,
      },
    });
    expect((await run('start')).code).toBe(4);
    // Each row was refused with a question. The other one is in the same alert, or waits behind it.
    await until('the first tries', async () => {
      const asked = hook?.received.filter(({ text }) => /"idea":"ask-[12]"/.test(text)).map(({ path }) => path) ?? [];
      return asked.includes('/alerts') && asked.includes('/alerts-all');
    });
    for (const idea of ['ask-1', 'ask-2']) expect((await run('answer', idea, 'green')).code).toBe(0);
    await whenOver(box as Sandbox, SLOW);
    takes = true;
    await until('the end, told', async () => taken.some(({ counts }) => counts['run-done'] === 1), SLOW);
    expect(taken.flatMap((body) => body.events.map(({ kind }) => kind)).sort()).toEqual(['blocked', 'run-done']);
  },
  SLOW,
);

const STILL = { groupSeconds: 3600, stillMinutes: 0.05 };
const nothingMoves = () =>
  hook?.bodies<Body>().flatMap((body) => body.events.filter(({ kind }) => kind === 'nothing-moves')) ?? [];

it(
  'G7: nothing moves while an agent hangs, is told once, and told again after it moved',
  async () => {
    hook = await receiver();
    const hangs = [
      { do: [{ waitFor: { path: 'never-1' } }], signal: 'COMPLETE' },
      { do: [{ waitFor: { path: 'never-2' } }], signal: 'COMPLETE' },
    ];
    // Longer than a slow start of an agent on a busy machine, which would be a standstill of its own.
    const { run } = await rig({ ideas: { 'held-1': hangs }, notify: { ...STILL, stillMinutes: 0.25 } });
    expect((await run('start', '--detach')).code).toBe(0);
    await until('the agent', async () => events(await run('logs', '--json')).some(({ kind }) => kind === 'iteration'));
    // A worker that is slow to start can be a standstill of its own.
    const before = nothingMoves().length;
    const deliveries = hook.received.length;
    const [first] = await until(
      'the alert',
      async () => nothingMoves().length > before && nothingMoves().slice(before),
      SLOW,
    );
    expect(first?.text).toMatch(/^no agent and no gate has done anything for \d+ seconds$/);
    expect(first?.command).toBe('ralphctl status');
    // Something moves: a hint is taken.
    expect((await run('hint', 'held-1', 'go on')).code).toBe(0);
    await until('the second alert', async () => nothingMoves().length > before + 1, SLOW);
    // The note of a delivery follows the receiver's answer.
    const told = await until('the notes of both deliveries', async () => {
      const noted = events(await run('logs', '--json')).filter((event) => event.kind === 'alert');
      return noted.length >= before + 2 && noted.slice(-2);
    });
    expect(told).toMatchObject([
      { row: 'ops', state: 'delivered' },
      { row: 'ops', state: 'delivered' },
    ]);
    const ids = hook.received.slice(deliveries).map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(2);
    expect(nothingMoves()).toHaveLength(before + 2);
  },
  SLOW,
);

it(
  'G7: nothing moves while everything waits for a person',
  async () => {
    hook = await receiver();
    const { run } = await rig({ ideas: { 'ask-1': ASKS }, notify: STILL });
    expect((await run('start')).code).toBe(4);
    // On a busy machine the slow start of the agent is a standstill of its own, and is told before.
    const waited = () => nothingMoves().find(({ text }) => text?.startsWith('everything has waited'));
    expect((await until('the alert', async () => waited(), SLOW)).text).toMatch(
      /^everything has waited for you for \d+ seconds$/,
    );
  },
  SLOW,
);

it(
  'G7: nothing moves while the worker dies again and again: the supervisor tells it',
  async () => {
    hook = await receiver();
    const held = [{ do: [{ waitFor: { path: 'never' } }], signal: 'COMPLETE' }];
    // Longer than a slow start of an agent on a busy machine: one standstill is told once.
    const { run } = await rig({ ideas: { 'held-1': held }, notify: { ...STILL, stillMinutes: 0.25 } });
    expect((await run('start', '--detach')).code).toBe(0);
    await until('the agent', async () => events(await run('logs', '--json')).some(({ kind }) => kind === 'iteration'));
    const { project } = (await run('status', '--json')).json[0] as { project: string };
    const told = await until(
      'the alert',
      async () => {
        for (const pid of await pidsWith('worker', '--child', '--project', project)) process.kill(pid, 'SIGKILL');
        return nothingMoves().find(({ text }) => text?.startsWith('the worker ended'));
      },
      SLOW,
    );
    expect(told.text).toMatch(/^the worker ended \d+ times in a row \(SIGKILL; log: .*\), so the run is not moving$/);
    expect(told.command).toBe('ralphctl start');
  },
  SLOW,
);

/** Programs that only write down that they ran, before all others in PATH. */
async function withPrograms(of: Sandbox, ...names: string[]): Promise<void> {
  const bin = join(of.scratch, 'bin');
  await mkdir(bin, { recursive: true });
  for (const name of names)
    await writeFile(join(bin, name), `#!/bin/sh\necho "$@" >> ${join(of.scratch, name)}\n`, { mode: 0o755 });
  of.env.PATH = `${bin}:${of.env.PATH}`;
}

it(
  'G7: doctor says how each row stands, and notify test rings, shows, plays, sends and runs',
  async () => {
    hook = await receiver();
    const rows = [
      { to: 'bell' },
      { to: 'desktop' },
      { to: 'sound', file: '/nowhere/ding.oga' },
      { to: 'webhook', urlEnv: 'NO_SUCH_ADDRESS' },
      { to: 'webhook', url: hook.url, format: 'slack' },
      { to: 'command', run: ['./page-me.sh'] },
      { to: 'command', run: ['true'] },
    ];
    const { run, env, repo } = await rig({ ideas: { 'ask-1': ASKS }, notify: { rows } });
    const state = async () => {
      const { json } = await run('doctor', '--quick', '--json');
      const { checks } = json[0] as { checks: { what: string; state: string; found: string; fix?: string }[] };
      return Object.fromEntries(
        checks.filter(({ what }) => what.startsWith('alert ')).map(({ what, ...rest }) => [what, rest]),
      );
    };
    expect(await state()).toMatchObject({
      'alert bell': { state: 'ok' },
      'alert sound': { state: 'warn', found: '/nowhere/ding.oga does not exist' },
      'alert webhook': { state: 'warn', found: 'not set here: NO_SUCH_ADDRESS' },
      'alert webhook-2': {
        state: 'ok',
        found: expect.stringMatching(/^slack to http:\/\/127\.0\.0\.1:\d+, not signed$/),
      },
      'alert command': { state: 'warn', found: './page-me.sh is not an executable program' },
      'alert command-2': { state: 'ok', found: 'true' },
    });
    await withPrograms(box as Sandbox, 'notify-send', 'pw-play');
    expect((await state())['alert desktop']).toMatchObject({ state: 'ok', found: 'notify-send' });
    const screen = new PtyScreen(process.execPath, [cliPath, 'notify', 'test'], { cwd: repo, env, columns: 200 });
    expect(await screen.exited).toBe(2);
    expect(screen.raw.split('\u0007')).toHaveLength(2);
    const text = await screen.text();
    for (const line of [
      '✓ bell (bell): rang in this terminal',
      '✓ desktop (desktop): the desktop took it',
      '✓ sound (sound): played',
      '✗ webhook (webhook): the variable NO_SUCH_ADDRESS (urlEnv) is not set',
      '✓ webhook-2 (webhook): taken by the receiver, not signed (no secretEnv)',
      '✗ command (command): The program ./page-me.sh was not found',
      '✓ command-2 (command): true succeeded',
    ])
      expect(text).toContain(line);
    expect(hook.bodies()).toMatchObject([{ text: expect.stringContaining('ralphctl') }]);
  },
  SLOW,
);

it(
  'G7: an attached start rings its terminal, once, and the desktop shows the question',
  async () => {
    const rows = [{ to: 'bell', events: ['question'] }, { to: 'desktop' }];
    const { env, repo } = await rig({ ideas: { 'ask-1': ASKS }, notify: { rows } });
    await withPrograms(box as Sandbox, 'notify-send');
    const screen = new PtyScreen(process.execPath, [cliPath, 'start', '--plain'], { cwd: repo, env });
    await until('the bell', async () => screen.raw.includes('\u0007'), SLOW);
    await until('the desktop', async () =>
      (await readFile(join(box?.scratch ?? '', 'notify-send'), 'utf8')).includes('ask-1 asks you'),
    );
    const answered = await box?.run('answer', 'ask-1', 'green');
    expect(answered?.code, answered?.stderr).toBe(0);
    expect(await screen.exited).toBe(0);
    expect(screen.raw.split('\u0007')).toHaveLength(2);
  },
  SLOW,
);
