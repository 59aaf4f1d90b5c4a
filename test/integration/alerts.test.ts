/** Alerts of real runs to a real web server: signed, once, grouped, and over the death of the worker. Features: G7 A7. */
import { afterEach, expect, inject, it } from 'vitest';
import { pidsWith } from '../support/processes.js';
import { events, roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';
import { isSigned, type Receiver, receiver } from '../support/receiver.js';

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
      command: 'ralphctl answer ask-1 "…"',
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
  'G7 A7: ten failures and the review that they need are one alert',
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
    expect(body.events.find(({ idea }) => idea === 'bad-0')?.command).toBe('ralphctl retry bad-0');
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
    expect((await run('notify', 'test', 'opps')).stderr).toContain('did you mean "ops"?');
    spawn('start');
    await until('the agent', async () => events(await run('logs', '--json')).some(({ kind }) => kind === 'iteration'));
    await run('worker', '--stop');
    await until('the alert', async () => (hook?.received.length ?? 0) > 1, SLOW);
    expect(hook.bodies()[1]).toMatchObject({
      ...{ title: 'ralphctl: nothing moves: no worker runs', command: 'ralphctl start', urgent: true },
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
