/** The activity that delivers alerts, against a real web server and real programs. Features: G7. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApplicationFailure } from '@temporalio/common';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { alertJsonSchema, alertPayload } from '../../src/config/schema/alert.js';
import type { Alert } from '../../src/protocol/alerts.js';
import { isSigned, type Receiver, receiver } from '../support/receiver.js';
import { type Bench, bench } from './bench.js';

const TOKEN = 'sk-aaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const alert: Alert = {
  id: '20260101-000000-aaaa.t-1.question.1',
  counts: { question: 1, failed: 30 },
  items: [
    {
      id: '20260101-000000-aaaa.t-2.failed.2',
      kind: 'failed',
      run: '20260101-000000-aaaa',
      idea: 't-2',
      command: 'ralphctl retry t-2',
      at: 0,
    },
    {
      ...{
        id: '20260101-000000-aaaa.t-1.question.1',
        kind: 'question',
        run: '20260101-000000-aaaa',
        idea: 't-1',
        at: 0,
      },
      ...{ title: 'First', text: `is <${TOKEN}> right?\u001b[2J`, command: 'ralphctl answer t-1 "…"' },
    },
  ],
};

async function rig(row: Record<string, unknown>): Promise<Bench> {
  const b = await bench({ config: { notify: { rows: [{ name: 'ops', ...row }] } } });
  Object.assign(b.env, { OPS_SIGNING: 'a secret of this test', OPS_TOKEN: 'bearer-of-this-test' });
  return b;
}
async function listening(...args: Parameters<typeof receiver>): Promise<Receiver> {
  const hook = await receiver(...args);
  onTestFinished(() => hook.close());
  return hook;
}
const deliver = (b: Bench, more: object = {}) =>
  b.call(b.activities.deliverAlert, { ...b.ref, row: 'ops', alert, ...more }).done;
const failureOf = (promise: Promise<unknown>): Promise<ApplicationFailure> =>
  promise.then(
    () => Promise.reject(new Error('it was delivered')),
    (error: unknown) => error as ApplicationFailure,
  );

describe('a webhook', () => {
  it('G7 C5: has a long question whole, and its one line names the command that shows it', async () => {
    const hook = await listening();
    const b = await rig({ to: 'webhook', url: hook.url });
    const question = `which?\n${'one or two\n'.repeat(800)}`.trim();
    const dir = join(b.root, 'projects', b.project, 'runs', '20260101-000000-aaaa', 'ideas', 't-1', '003');
    await mkdir(dir, { recursive: true });
    await writeFile(join(dir, 'result.json'), JSON.stringify({ signal: { kind: 'needs-human', question } }));
    const item = {
      id: 'q',
      kind: 'question' as const,
      run: '20260101-000000-aaaa',
      idea: 't-1',
      at: 0,
      command: 'ralphctl answer t-1',
    };
    const items = [{ ...item, text: `${question.slice(0, 299)}…` }];
    await deliver(b, { alert: { id: 'q', counts: { question: 1 }, items } });
    const body = alertPayload.parse(JSON.parse(hook.received[0]?.text ?? ''));
    expect(body.events[0]?.text).toBe(question);

    const lines = await rig({ to: 'webhook', url: hook.url, format: 'discord' });
    await deliver(lines, { alert: { id: 'q', counts: { question: 1 }, items } });
    expect(hook.received[1]?.text).toMatch(
      /asks you: which\? one or two .*… \(whole: ralphctl why t-1\) → ralphctl answer t-1/,
    );
  });

  it('G7: gets a signed body of the published shape, without secrets, and what waits for a person first', async () => {
    const hook = await listening();
    const b = await rig({ to: 'webhook', url: hook.url, secretEnv: 'OPS_SIGNING', tokenEnv: 'OPS_TOKEN' });
    expect(await deliver(b)).toEqual({ outcome: 'delivered', to: 'webhook' });
    const [one] = hook.received;
    const body = alertPayload.parse(JSON.parse(one?.text ?? ''));
    expect(body).toMatchObject({
      title: 'ralphctl: t-1 asks you, 30 failed',
      command: 'ralphctl answer t-1 "…"',
      events: [{ idea: 't-1', text: 'is <[redacted]> right?' }, { idea: 't-2' }],
    });
    expect(one?.text).not.toContain(TOKEN);
    expect(one && isSigned(one, 'a secret of this test')).toBe(true);
    expect(one?.headers).toMatchObject({ 'webhook-id': alert.id, authorization: 'Bearer bearer-of-this-test' });
    const published = await readFile(new URL('../../schemas/alert.schema.json', import.meta.url), 'utf8');
    expect(JSON.parse(published)).toEqual(JSON.parse(JSON.stringify(alertJsonSchema())));
  });

  it('G7: that has taken an alert does not get it again, whoever asks', async () => {
    const hook = await listening();
    const b = await rig({ to: 'webhook', url: hook.url });
    await deliver(b);
    expect(await deliver(b)).toEqual({ outcome: 'before', to: 'webhook' });
    expect(hook.received).toHaveLength(1);
    expect(await deliver(b, { row: 'other' })).toEqual({ outcome: 'gone', to: 'other' });
  });

  it('G7: that has answered is noted before anything of the answer is waited for', async () => {
    const hook = await listening((response) => void response.writeHead(200).write('the rest never comes'));
    const b = await rig({ to: 'webhook', url: hook.url });
    const cancel = vi.spyOn(ReadableStream.prototype, 'cancel').mockReturnValue(new Promise(() => {}));
    onTestFinished(() => cancel.mockRestore());
    expect(await deliver(b)).toEqual({ outcome: 'delivered', to: 'webhook' });
    expect(cancel).toHaveBeenCalledOnce();
    expect(await deliver(b)).toEqual({ outcome: 'before', to: 'webhook' });
    expect(hook.received).toHaveLength(1);
  }, 20_000);

  it.each([
    [500, true],
    [429, true],
    [400, false],
    [404, false],
    [302, false],
  ])('G7: that answers %i is asked again: %s; a redirect is not followed', async (status, again) => {
    const target = await listening();
    const hook = await listening((response) => void response.writeHead(status, { location: target.url }).end());
    const b = await rig({ to: 'webhook', url: hook.url });
    const failure = await failureOf(deliver(b));
    expect(failure).toMatchObject({ type: 'ralph.AlertNotDelivered', nonRetryable: !again });
    expect(failure.message).toContain(String(status));
    expect(failure.message).not.toContain(hook.url);
    expect(target.received).toEqual([]);
    expect(hook.received).toHaveLength(1);
  });

  it('G7: that hangs ends with its time, that is gone at once; both are asked again, and then take it', async () => {
    let hangs = true;
    const hook = await listening((response) => void (hangs || response.writeHead(200).end()));
    const b = await rig({ to: 'webhook', url: hook.url, timeoutSeconds: 1 });
    expect(await failureOf(deliver(b))).toMatchObject({ nonRetryable: false, message: 'no answer within 1 s' });
    hangs = false;
    const patient = await rig({ to: 'webhook', url: hook.url });
    expect(await deliver(patient)).toMatchObject({ outcome: 'delivered' });
    expect(new Set(hook.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    await hook.close();
    const failure = await failureOf(deliver(b, { alert: { ...alert, id: 'another' } }));
    expect(failure).toMatchObject({ nonRetryable: false, message: expect.stringContaining('could not be reached') });
  });

  it('G7: whose secret is not set gets nothing, and the message names the variable and the fix', async () => {
    const hook = await listening();
    const b = await rig({ to: 'webhook', url: hook.url, secretEnv: 'NOT_SET' });
    expect(await failureOf(deliver(b))).toMatchObject({
      nonRetryable: true,
      message: expect.stringMatching(/NOT_SET \(secretEnv\) is not set for the worker.*ralphctl worker --stop/),
    });
    expect(hook.received).toEqual([]);
  });

  it.each([
    [
      'slack',
      (body: { text: string }) => body.text,
      '*ralphctl: t-1 asks you, 30 failed*',
      'is &lt;[redacted]&gt; right?',
    ],
    ['discord', (body: { content: string }) => body.content, '**ralphctl: t-1 asks you, 30 failed**', 'right?'],
    [
      'ntfy',
      (body: { message: string; topic: string }) => `${body.topic} ${body.message}`,
      'alerts t-1 asks you',
      '[redacted]',
    ],
  ] as const)('G7: for %s has its body', async (format, text, title, part) => {
    const hook = await listening();
    const b = await rig({ to: 'webhook', url: hook.url, format });
    await deliver(b);
    const said = text(JSON.parse(hook.received[0]?.text ?? '') as never);
    expect(said).toContain(title);
    expect(said).toContain(part);
    expect(said).toContain('and 29 more');
    expect(hook.received[0]?.path).toBe(format === 'ntfy' ? '/' : '/alerts');
  });
});

describe('a command', () => {
  it('G7: gets the alert as JSON and in variables, never through a shell, and no secret of the worker', async () => {
    const script = 'cat > got.json; printf "%s|%s" "$RALPHCTL_ALERT_COMMAND" "$OPS_SIGNING" > got.txt';
    const b = await rig({ to: 'command', run: ['/bin/sh', '-c', script, '; touch shell'] });
    expect(await deliver(b)).toMatchObject({ outcome: 'delivered' });
    expect(alertPayload.parse(JSON.parse(await b.read(join(b.repo, 'got.json'))))).toMatchObject({ id: alert.id });
    expect(await b.read(join(b.repo, 'got.txt'))).toBe('ralphctl answer t-1 "…"|');
    await expect(b.read(join(b.repo, 'shell'))).rejects.toThrow();
  });

  it.each([
    [['/bin/sh', '-c', 'echo no; exit 3'], 60, false, 'failed with exit code 3: no'],
    [['/bin/sh', '-c', 'sleep 60'], 1, false, 'timed out after 1 s'],
    [['/nonexistent/program'], 60, true, '/nonexistent/program'],
  ])('G7: that fails as %j within %i s says why; final: %s', async (run, timeoutSeconds, final, why) => {
    const b = await rig({ to: 'command', run, timeoutSeconds });
    expect(await failureOf(deliver(b))).toMatchObject({ nonRetryable: final, message: expect.stringContaining(why) });
  });
});

describe.skipIf(process.platform !== 'linux')('what else works in the repository', () => {
  it('G7: goes on when the command of an alert ends, though it began meanwhile and nobody waits for it', async () => {
    const wait = 'touch begun; while [ ! -e go ]; do sleep 0.05; done';
    const b = await rig({ to: 'command', run: ['/bin/sh', '-c', wait] });
    const done = deliver(b);
    await expect.poll(() => b.read(join(b.repo, 'begun')).catch(() => 'not yet'), { timeout: 30_000 }).toBe('');
    // As a script of the user does it, without a terminal and without a session.
    const env = { PATH: process.env.PATH };
    const { stdout } = await execa('/bin/sh', ['-c', 'setsid sleep 300 > /dev/null 2>&1 & echo $!'], {
      ...{ cwd: b.repo, env, extendEnv: false },
    });
    const pid = Number(stdout);
    onTestFinished(() => void process.kill(pid, 'SIGKILL'));
    await b.write({ go: '' });
    expect(await done).toMatchObject({ outcome: 'delivered' });
    expect(await b.read(`/proc/${pid}/stat`)).toMatch(/ [RS] /);
  });
});

describe('the desktop and its sound', () => {
  /** Programs in a folder that is all of PATH: they write their arguments down. */
  async function withPrograms(b: Bench, programs: Record<string, string>): Promise<void> {
    const bin = join(b.base, 'bin');
    await mkdir(bin, { recursive: true });
    for (const [name, then] of Object.entries(programs)) {
      const script = `#!/bin/sh\nfor part in "${name}" "$@"; do printf '%s\\n' "$part" >> ${join(b.base, 'said')}; done\n${then}\n`;
      await writeFile(join(bin, name), script, { mode: 0o755 });
    }
    b.env.PATH = bin;
  }
  const said = async (b: Bench): Promise<string[]> => (await b.read(join(b.base, 'said'))).trimEnd().split('\n');
  const TITLE = 'ralphctl: t-1 asks you, 30 failed';

  it('G7: notify-send gets title and text as arguments, with markup taken out and no secret', async () => {
    const b = await rig({ to: 'desktop' });
    await withPrograms(b, { 'notify-send': '' });
    expect(await deliver(b)).toEqual({ outcome: 'delivered', to: 'desktop' });
    expect(await said(b)).toEqual([
      ...['notify-send', '--app-name=ralphctl', '--urgency=critical', '--', TITLE],
      't-1 asks you: is &lt;[redacted]&gt; right? → ralphctl answer t-1 "…"',
      't-2 failed → ralphctl retry t-2',
      'and 29 more: ralphctl status',
    ]);
    expect(await deliver(b)).toEqual({ outcome: 'before', to: 'desktop' });
    expect(await said(b)).toHaveLength(8);
  });

  it('G7: osascript gets them as arguments of a script that never changes', async () => {
    const b = await rig({ to: 'desktop' });
    await withPrograms(b, { osascript: '' });
    expect(await deliver(b)).toMatchObject({ outcome: 'delivered' });
    const lines = await said(b);
    expect(lines.slice(0, 8)).toEqual([
      ...['osascript', '-e', 'on run argv', '-e'],
      ...['display notification (item 2 of argv) with title (item 1 of argv)', '-e', 'end run', TITLE],
    ]);
    expect(lines[8]).toBe('t-1 asks you: is <[redacted]> right? → ralphctl answer t-1 "…"');
  });

  it('G7: where neither is installed, the alert is given up with what to do; where one fails, it is tried again', async () => {
    const b = await rig({ to: 'desktop' });
    await withPrograms(b, {});
    expect(await failureOf(deliver(b))).toMatchObject({
      nonRetryable: true,
      message: 'none of these programs is installed: notify-send, osascript. Install one, or remove the row',
    });
    await withPrograms(b, { 'notify-send': 'echo "no bus" >&2; exit 1' });
    expect(await failureOf(deliver(b))).toMatchObject({
      nonRetryable: false,
      message: expect.stringContaining('notify-send failed with exit code 1: no bus'),
    });
  });

  it('G7: a sound is played by the first program that can', async () => {
    const b = await rig({ to: 'sound', file: '/usr/share/ding.oga' });
    await withPrograms(b, { 'pw-play': 'exit 1', paplay: '', aplay: '' });
    expect(await deliver(b)).toEqual({ outcome: 'delivered', to: 'sound' });
    expect(await said(b)).toEqual(['pw-play', '/usr/share/ding.oga', 'paplay', '/usr/share/ding.oga']);
    const usual = await rig({ to: 'sound' });
    await withPrograms(usual, { 'canberra-gtk-play': '' });
    await deliver(usual);
    expect(await said(usual)).toEqual(['canberra-gtk-play', '--id=complete']);
  });
});
