/** The units as text: what is in a path comes back as it was, read by systemd itself where it is installed. */
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchdPlist, plistProblem } from '../../../../src/client/service/launchd-plist.js';
import { execWord, type ServiceSpec, systemdUnit, unitProblem } from '../../../../src/client/service/systemd-unit.js';
import {
  environmentFile,
  notPassed,
  readEnvironment,
  serviceVariables,
} from '../../../../src/client/service/variables.js';
import { defaultConfig } from '../../../../src/config/load.js';

const ODD = `a b%h "q" 'p' $HOME \${X} \\n ; # ü*[x]?`;
let base: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'ralphctl-units-'));
});
afterAll(() => rm(base, { recursive: true, force: true }));

const spec = (dir: string, more: Partial<ServiceSpec> = {}): ServiceSpec => ({
  project: 'shop-12ab34cd',
  repo: join(dir, 'repo'),
  node: join(dir, 'node'),
  program: join(dir, 'cli.js'),
  envFile: join(dir, 'service.env'),
  logs: join(dir, 'logs'),
  variables: new Map([['PATH', '/usr/bin']]),
  ...more,
});

/** Undoes what systemd undoes: quotes and C escapes, specifiers, then dollars but in the first word. */
function wordsOf(line: string): string[] {
  const quoted = [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text);
  return quoted.map((text, at) => {
    const plain = text.replace(/\\(.)/g, (_, c: string) => ({ n: '\n', t: '\t', r: '\r' })[c] ?? c);
    const specified = plain.replaceAll('%%', '%');
    return at === 0 ? specified : specified.replaceAll('$$', '$');
  });
}

const setting = (unit: string, key: string): string =>
  unit
    .split('\n')
    .find((line) => line.startsWith(`${key}=`))
    ?.slice(key.length + 1) ?? '';

describe('a systemd unit', () => {
  it('gives back every path as it was', () => {
    const unit = systemdUnit(spec(`/${ODD}`));
    const rest = [`/${ODD}/cli.js`, 'service', 'run', '--project', 'shop-12ab34cd'];
    expect(wordsOf(setting(unit, 'ExecStart'))).toEqual([
      ...['/bin/sh', '-c', 'exec "$0" "$@"', `/${ODD}/node`],
      ...rest,
    ]);
    const usual = systemdUnit(spec(`/${ODD}`, { node: '/opt/my $node 100%/node' }));
    expect(wordsOf(setting(usual, 'ExecStart'))).toEqual(['/opt/my $node 100%/node', ...rest]);
    const pattern = setting(unit, 'EnvironmentFile');
    expect(pattern.replaceAll('%%', '%').replace(/\\(.)/g, '$1')).toBe(`/${ODD}/service.env`);
    // Whether or not a shell would: systemd expands this path as a pattern of file names.
    expect(pattern).toContain('\\*\\[x\\]\\?');
  });

  it('doubles the dollars of arguments, and not those of the program', () => {
    expect(execWord('$a 100%', true)).toBe('"$a 100%%"');
    expect(execWord('$a\n"')).toBe('"$$a\\n\\""');
  });

  it('restarts with growing delays where systemd can, and never after code 0 or bad settings', () => {
    const old = systemdUnit(spec('/x', { systemd: 252 }));
    expect(old).not.toContain('RestartSteps');
    expect(setting(old, 'RestartSec')).toBe('60');
    const current = systemdUnit(spec('/x', { systemd: 256 }));
    expect(setting(current, 'RestartSteps')).toBe('8');
    expect(setting(current, 'RestartMaxDelaySec')).toBe('600');
    for (const unit of [old, current]) {
      expect(setting(unit, 'Restart')).toBe('on-failure');
      expect(setting(unit, 'RestartPreventExitStatus')).toBe('2');
      expect(setting(unit, 'StartLimitIntervalSec')).toBe('0');
      // The server serves other projects, and the worker ends its agents itself.
      expect(setting(unit, 'KillMode')).toBe('process');
    }
  });

  it('cannot have a path with a line break for its variables', () => {
    expect(unitProblem(spec('/a\nb'))).toContain('control characters');
    expect(unitProblem(spec('/a b'))).toBeUndefined();
  });

  it('is right to systemd-analyze verify, in a folder of an odd name', async (test) => {
    if ((await execa('systemd-analyze', ['--version'], { reject: false })).exitCode !== 0) test.skip();
    const dir = join(base, ODD.replaceAll('/', ''));
    await mkdir(dir);
    await symlink(process.execPath, join(dir, 'node'));
    await writeFile(join(dir, 'service.env'), 'PATH="/usr/bin"\n');
    const verify = async (text: string): Promise<{ exitCode?: number | undefined; stderr: string }> => {
      const unit = join(base, 'ralphctl-shop-12ab34cd.service');
      await writeFile(unit, text);
      await chmod(unit, 0o644);
      const env = { PATH: process.env.PATH, HOME: base, XDG_RUNTIME_DIR: base };
      return execa('systemd-analyze', ['--user', '--man=no', 'verify', unit], { env, extendEnv: false, reject: false });
    };
    expect(await verify(systemdUnit(spec(dir)))).toMatchObject({ exitCode: 0, stderr: '' });
    const plain = join(base, 'a b%h $HOME $X ; # ü*[x]?');
    await mkdir(plain);
    await symlink(process.execPath, join(plain, 'node'));
    await writeFile(join(plain, 'service.env'), '');
    const unit = systemdUnit(spec(plain));
    expect(await verify(unit)).toMatchObject({ exitCode: 0, stderr: '' });
    // It sees a program that is not there, and a key that it does not know.
    expect((await verify(unit.replace('/node"', '/nothing"'))).stderr).toContain('not executable');
    expect((await verify(`${unit}[Service]\nRestartt=no\n`)).stderr).toContain('Unknown key');
  });
});

describe('a launchd agent', () => {
  it('has every text escaped for XML, and its variables', async () => {
    const odd = '/a & <b> "c" \'d\' %h $X';
    const list = launchdPlist(spec(odd, { variables: new Map([['KEY', 'a&b<c>"d"']]) }));
    expect(list).toContain("<string>/a &amp; &lt;b&gt; &quot;c&quot; 'd' %h $X/cli.js</string>");
    expect(list).toContain('<key>KEY</key><string>a&amp;b&lt;c&gt;&quot;d&quot;</string>');
    const file = join(base, 'agent.plist');
    await writeFile(file, list);
    const read = await execa('python3', ['-c', READ, file], { reject: false });
    if (read.failed && /ENOENT|not found/.test(read.shortMessage ?? '')) return;
    expect(JSON.parse(read.stdout)).toMatchObject({
      Label: 'ralphctl.shop-12ab34cd',
      ProgramArguments: [`${odd}/node`, `${odd}/cli.js`, 'service', 'run', '--project', 'shop-12ab34cd'],
      EnvironmentVariables: { KEY: 'a&b<c>"d"' },
      RunAtLoad: true,
      KeepAlive: { SuccessfulExit: false },
    });
  });

  it('refuses what XML cannot write', () => {
    expect(plistProblem(spec('/x', { variables: new Map([['A', 'a\u0001b']]) }))).toContain('control characters');
    expect(plistProblem(spec('/x'))).toBeUndefined();
  });
});

const READ = 'import json, plistlib, sys; print(json.dumps(plistlib.load(open(sys.argv[1], "rb"))))';

describe('the variables', () => {
  it('are PATH and settings of ralphctl without secrets, and else only those that a person names', () => {
    const env = {
      PATH: '/p',
      HOME: '/h',
      ANTHROPIC_API_KEY: 'k',
      TEMPORAL_API_KEY: 's',
      TEMPORAL_ADDRESS: 'a:1',
      X: '',
    };
    const none = serviceVariables(env, { before: new Map() });
    expect([...none]).toEqual([
      ['PATH', '/p'],
      ['TEMPORAL_ADDRESS', 'a:1'],
    ]);
    const named = serviceVariables(
      { ...env, RALPHCTL_HOME: '/s' },
      { names: ['ANTHROPIC_API_KEY'], before: new Map() },
    );
    expect(Object.fromEntries(named)).toMatchObject({ RALPHCTL_HOME: '/s', ANTHROPIC_API_KEY: 'k' });
    expect(named.has('TEMPORAL_API_KEY')).toBe(false);
  });

  it('keep what an earlier install was given, with the value of this shell first', () => {
    const before = new Map([
      ['PATH', '/old'],
      ['A', '1'],
      ['B', '2'],
      ['TEMPORAL_ADDRESS', 'gone:1'],
    ]);
    expect(Object.fromEntries(serviceVariables({ PATH: '/new', A: '9' }, { before }))).toEqual({
      ...{ PATH: '/new', A: '9', B: '2' },
    });
    expect(Object.fromEntries(serviceVariables({ PATH: '/new' }, { names: ['B'], before }))).toEqual({
      ...{ PATH: '/new', B: '2' },
    });
  });

  it('are refused by name, with the fix', () => {
    const wanted = (name: string) => () => serviceVariables({ PATH: '/p' }, { names: [name], before: new Map() });
    expect(wanted('KEY')).toThrow('export KEY=…, then: ralphctl service install --env KEY');
    expect(wanted('KEY=secret')).toThrow('Export it in this shell, then: --env KEY');
    expect(() => serviceVariables({ PATH: '/p', A: 'a\u0007' }, { names: ['A'], before: new Map() })).toThrow('of A');
  });

  it('that agents, gates and Temporal would miss are told', () => {
    const env = {
      ...{ PATH: '/p', HOME: '/h', LANG: 'C', ANTHROPIC_API_KEY: 'k', TEMPORAL_API_KEY: 's', JAVA_HOME: '/j' },
      ...{ NPM_TOKEN: 't', OTHER: 'o', SSH_AUTH_SOCK: '/s' },
    };
    const config = defaultConfig();
    config.setup.passEnv = ['NPM_TOKEN'];
    const passed = serviceVariables(env, { before: new Map() });
    expect(notPassed(env, passed, config)).toEqual(['ANTHROPIC_API_KEY', 'JAVA_HOME', 'NPM_TOKEN', 'TEMPORAL_API_KEY']);
  });

  it('come back from the file as they were, to a shell, too', async () => {
    const values = new Map([
      ['A', `it's "q" $HOME \`x\` \\ \\n 100%`],
      ['B', 'two\nlines'],
      ['C', ''],
      ['D', ' ends with a blank \\'],
    ]);
    const text = environmentFile(values);
    expect(readEnvironment(text)).toEqual(values);
    const file = join(base, 'x.env');
    await writeFile(file, text);
    const shell = await execa('sh', ['-c', `. "${file}"; printf '%s|' "$A" "$B" "$C" "$D"`]);
    expect(shell.stdout).toBe([...values.values()].map((value) => `${value}|`).join(''));
    // As a person may write it.
    expect(readEnvironment("# c\nA=plain \nB='x y'\n").get('A')).toBe('plain');
    expect(readEnvironment("# c\nA=plain \nB='x y'\n").get('B')).toBe('x y');
  });
});
