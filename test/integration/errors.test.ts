/** Every error a person can cause is one clear sentence with its fix, and nothing is started. Features: A3 F1 G8. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { roadmap, type Sandbox, sandbox, yaml } from '../support/program.js';

let box: Sandbox;
let empty: string;

beforeAll(async () => {
  empty = await mkdtemp(join(tmpdir(), 'ralphctl-none-'));
  // A state of its own that must stay empty: nothing may be started by a command that refuses.
  box = await sandbox(join(empty, 'state'), { 'roadmap.md': roadmap([{ id: 'a-1' }, { id: 'b-1', depends: 'a-1' }]) });
});
afterAll(async () => {
  expect(await readdir(join(empty, 'state')).catch(() => [])).toEqual([]);
  await box?.dispose();
  await rm(empty, { recursive: true, force: true });
});

/** Runs with these files in the working tree and gives what the person is told. */
async function told(files: Record<string, string>, ...args: string[]): Promise<string> {
  await box.write(files);
  try {
    const { code, stderr, stdout } = await box.run(...args);
    expect(stdout).toBe('');
    return `${code} ${stderr.trim()}`;
  } finally {
    await box.git('checkout', '--quiet', '.');
    await box.git('clean', '-fdq');
  }
}

describe('errors before anything starts', () => {
  it.each<[string, string[], Record<string, string>, RegExp]>([
    ['unknown agent', ['start', '--agent', 'cloude'], {}, /^2 .*unknown agent "cloude".*did you mean "?claude/is],
    ['agent program missing', ['start', '--agent', 'codex'], {}, /^2 .*program "codex".*not on PATH.*--agent/s],
    [
      'agent program missing at its path',
      ['start'],
      {
        'ralphctl.yaml': yaml({
          version: 1,
          agent: 'mine',
          agents: { mine: { adapter: 'command', command: ['/no/such/agent'] } },
        }),
      },
      /^2 .*program \/no\/such\/agent of agent mine does not exist or is not executable.*agents\.mine\.command/s,
    ],
    ['target missing', ['start', '--target', 'release'], {}, /^2 .*no branch release.*git branch release/is],
    ['slots', ['start', '--slots', '0'], {}, /^2 .*whole number from 1/s],
    ['a mode that there is not', ['mode', 'turbo'], {}, /^2 .*modes are autopilot, semi-auto, step/s],
    ['unknown command', ['strat'], {}, /^2 .*unknown command 'strat'.*start/s],
    [
      'config key',
      ['start'],
      { 'ralphctl.yaml': 'version: 1\nslotz: 3\n' },
      /^2 .*ralphctl\.yaml:2: unknown key "slotz".*"slots"/s,
    ],
    ['config type', ['start'], { 'ralphctl.yaml': 'version: 1\nslots: many\n' }, /^2 .*ralphctl\.yaml:2: .*number/s],
    ['config no YAML', ['start'], { 'ralphctl.yaml': 'a: [1\n' }, /^2 .*ralphctl\.yaml:\d+/s],
    ['no such backlog', ['start', 'none.md'], {}, /^2 .*none\.md.*no such file/s],
    [
      'cycle',
      ['start'],
      {
        'roadmap.md': roadmap([
          { id: 'a-1', depends: 'b-1' },
          { id: 'b-1', depends: 'a-1' },
        ]),
      },
      /^2 .*roadmap\.md:5: .*a-1 -> b-1 -> a-1/s,
    ],
    [
      'duplicate id',
      ['start'],
      { 'roadmap.md': roadmap([{ id: 'a-1' }, { id: 'a-1' }]) },
      /^2 .*roadmap\.md:7: .*"a-1".*line 5/s,
    ],
    [
      'unknown dependency',
      ['start'],
      { 'roadmap.md': roadmap([{ id: 'a-1', depends: 'b-2' }]) },
      /^2 .*roadmap\.md:\d+: .*b-2/s,
    ],
    [
      'unknown property',
      ['start'],
      { 'roadmap.md': roadmap([{ id: 'a-1', max_iteration: 3 }]) },
      /^2 .*max_iterations/s,
    ],
    [
      'template',
      ['start', '--agent', 'scripted'],
      { 'ralphctl.yaml': yaml({ version: 1, prompt: { template: 'p.md' } }), 'p.md': '{{nonsense}}' },
      /^2 .*nonsense/s,
    ],
  ])('%s', async (_name, args, files, expected) => {
    expect(await told(files, ...args)).toMatch(expected);
  });

  it('not a git repository, and one without a commit', async () => {
    const outside = await box.run('-C', empty, 'start');
    expect([outside.code, outside.stderr]).toEqual([
      2,
      expect.stringMatching(/not inside a git repository.*git init/s),
    ]);
  });

  it('a branch that stands where the branches of ideas go', async () => {
    await box.git('branch', 'ralph');
    expect(await told({}, 'start', '--agent', 'scripted')).toMatch(
      /^2 .*branch named ralph.*git branch -m ralph ralph-old/,
    );
    await box.git('branch', '-D', 'ralph');
  });

  it('says what is wrong as JSON, too', async () => {
    const { code, json } = await box.run('start', '--agent', 'cloude', '--json');
    expect(code).toBe(2);
    expect(json).toEqual([{ kind: 'error', exitCode: 2, message: expect.stringContaining('cloude') }]);
  });

  it('server unreachable: names address and where it came from, exit code 5', async () => {
    box.env.TEMPORAL_ADDRESS = '127.0.0.1:1';
    try {
      const { code, stderr } = await box.run('status');
      expect([code, stderr]).toEqual([5, expect.stringMatching(/cannot reach 127\.0\.0\.1:1.*TEMPORAL_ADDRESS/s)]);
    } finally {
      delete box.env.TEMPORAL_ADDRESS;
    }
  });

  it('commands that look never start a server', async () => {
    for (const args of [
      ['status'],
      ['why', 'a-1'],
      ['start', '--agent', 'scripted', '--dry-run'],
      ['version'],
      ['server', 'status'],
    ]) {
      const { code } = await box.run(...args);
      // The dry run says that the script of the agent is missing.
      expect([0, 2, 5, 6], args.join(' ')).toContain(code);
    }
    expect((await box.run('pause')).code).not.toBe(0);
    expect((await box.run('logs')).code).toBe(6);
  });
});

describe('with a server', () => {
  it('honours TEMPORAL_ADDRESS and starts no server of its own', async () => {
    const other = await sandbox(join(empty, 'external'), {
      'roadmap.md': roadmap([{ id: 'x-1' }]),
      'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', stepDelayMs: 0, gate: ['true'] }),
      '.ralph-script.yaml': yaml({ default: [{ do: [{ write: { path: 'x.txt', text: 'x' } }], signal: 'COMPLETE' }] }),
    });
    try {
      other.env.TEMPORAL_ADDRESS = inject('address');
      const { code, stderr } = await other.run('start', '--json');
      expect(code, stderr).toBe(0);
      expect(await readdir(join(empty, 'external'))).not.toContain('server');
    } finally {
      await other.dispose();
      await rm(join(empty, 'external'), { recursive: true, force: true });
    }
  });

  it('a port that is taken is no reason to fail: the next free one is used and recorded', async () => {
    const busy = createServer();
    await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
    const { port } = busy.address() as { port: number };
    const root = join(empty, 'ports');
    const other = await sandbox(root, { 'a.txt': 'a' });
    other.env.RALPHCTL_PORT = String(port);
    try {
      const { code, json, stderr } = await other.run('server', 'start', '--json');
      expect(code, stderr).toBe(0);
      expect(json[0]?.address).not.toBe(`127.0.0.1:${port}`);
      expect((await other.run('server', 'status', '--json')).json[0]).toMatchObject({ state: 'running' });
      expect((await other.run('server', 'logs')).code).toBe(0);
      expect((await other.run('server', 'stop')).stdout).toContain('stopped');
    } finally {
      busy.close();
      await other.dispose();
      await rm(root, { recursive: true, force: true });
    }
  });

  it('what is told while no worker polls is kept by the server; what needs one says so', async () => {
    const other = await sandbox(inject('stateRoot'), {
      'roadmap.md': roadmap([{ id: 'x-1' }]),
      'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', gate: ['true'] }),
      '.ralph-script.yaml': yaml({ default: [{ signal: 'none' }] }),
    });
    try {
      expect((await other.run('start', '--no-worker', '--detach')).code).toBe(0);
      await other.write({ 'roadmap.md': roadmap([{ id: 'x-1' }, { id: 'x-2' }]) });
      const { code, stderr } = await other.run('enqueue');
      expect([code, stderr]).toEqual([5, expect.stringMatching(/no worker.*ralphctl start/s)]);
      // The server queues a command, and it applies later.
      const paused = await other.run('pause');
      expect([paused.code, paused.stdout]).toEqual([0, expect.stringContaining('No worker is running')]);
      const status = await other.run('status');
      expect([status.code, status.stdout]).toEqual([0, expect.stringContaining('no worker answers')]);
    } finally {
      await other.dispose();
    }
  });
});
