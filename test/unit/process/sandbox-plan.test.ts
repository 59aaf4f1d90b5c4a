/** What a sandbox shows, what it lets a program write and reach: the pure parts. Features: B2 D2. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownPlaces } from '../../../src/agents/own-places.js';
import { AGENT_ADAPTERS } from '../../../src/config/agent-spec.js';
import { parseConfig } from '../../../src/config/load.js';
import { allowed, isOwn, placeIn } from '../../../src/process/sandbox/allowed.js';
import { withItsPackage } from '../../../src/process/sandbox/known-places.js';
import { isWithin, mountArguments, ordered, type Rule, ruleFor } from '../../../src/process/sandbox/mounts.js';
import {
  bubblewrap,
  environmentInside,
  placesIn,
  rulesOf,
  type SandboxFacts,
} from '../../../src/process/sandbox/plan.js';
import { upstreamFor, upstreamsIn } from '../../../src/process/sandbox/upstream.js';

const FILES = new Set([
  '/home/u/.gitconfig',
  '/home/u/.claude/settings.json',
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow-',
  '/etc/krb5.keytab',
  '/repo/.git/worktrees/a/gitdir',
]);

const facts = (more: Partial<SandboxFacts> = {}): SandboxFacts => ({
  mode: 'on',
  home: '/home/u',
  stateRoot: '/home/u/.local/state/ralphctl',
  cwd: '/home/u/.local/state/ralphctl/projects/p/worktrees/t-1',
  git: {
    commonDir: '/repo/.git',
    privateDir: '/repo/.git/worktrees/a',
    branches: 'ralph',
    commits: true,
    borrowed: [],
  },
  readable: ['/home/u/.local/state/ralphctl/projects/p/runs/r/ideas/t-1'],
  writable: ['/home/u/.local/state/ralphctl/projects/p/runs/r/ideas/t-1/001/git-trace.jsonl'],
  temporary: '/home/u/.local/state/ralphctl/projects/p/runs/r/ideas/t-1/001/tmp',
  sockets: '/tmp/ralphctl-sandbox-1',
  agent: { state: ['/home/u/.claude'], settings: ['/home/u/.claude/settings.json'] },
  read: [],
  write: [],
  programs: ['/usr/bin/node', '/home/u/.nvm/versions/node/v20/bin/claude', '/home/u/work/bin/program'],
  listening: ['/home/u/.docker/run/docker.sock'],
  kindOf: (path) => (FILES.has(path) || path.endsWith('.sock') ? 'file' : 'folder'),
  ...more,
});

const accessOf = (path: string, one: SandboxFacts) => ruleFor(path, rulesOf(one))?.access;

describe('the plan of a sandbox', () => {
  const STATE = '/home/u/.local/state/ralphctl';

  it.each([
    ['the worktree', `${STATE}/projects/p/worktrees/t-1/src/a.js`, 'write', 'write'],
    ["the worktree's link to its repository", `${STATE}/projects/p/worktrees/t-1/.git`, 'read', 'read'],
    ['the worktree of another idea', `${STATE}/projects/p/worktrees/t-2/a.js`, 'hidden', 'hidden'],
    ['the state folder', `${STATE}/projects/p/runs/r/run.json`, 'hidden', 'hidden'],
    ['the result of its own iteration', `${STATE}/projects/p/runs/r/ideas/t-1/001/result.json`, 'read', 'read'],
    ["git's trace of the run", `${STATE}/projects/p/runs/r/ideas/t-1/001/git-trace.jsonl`, 'write', 'write'],
    ['objects', '/repo/.git/objects/ab/cd', 'write', 'write'],
    ['where objects are borrowed from', '/repo/.git/objects/info/alternates', 'read', 'read'],
    ['branches of ideas', '/repo/.git/refs/heads/ralph/t-1', 'write', 'write'],
    ['the target', '/repo/.git/refs/heads/main', 'read', 'read'],
    ['hooks', '/repo/.git/hooks/post-commit', 'read', 'read'],
    ['settings of git', '/repo/.git/config', 'read', 'read'],
    ['settings of git for attributes', '/repo/.git/info/attributes', 'read', 'read'],
    ["the worktree's HEAD", '/repo/.git/worktrees/a/HEAD', 'write', 'write'],
    ["the worktree's way to the repository", '/repo/.git/worktrees/a/commondir', 'read', 'read'],
    ["another worktree's index", '/repo/.git/worktrees/b/index', 'read', 'read'],
    ['a project beside a folder of PATH', '/home/u/work/other/.env', 'read', 'hidden'],
    ['a script in a folder of PATH', '/home/u/work/bin/x', 'read', 'read'],
    ["sources of the user's own in Go", '/home/u/go/src/secret/a.go', 'read', 'hidden'],
    ['modules of Go', '/home/u/go/pkg/mod/example.com/a.go', 'read', 'read'],
    ['logins of uv', '/home/u/.local/share/uv/credentials/x', 'read', 'hidden'],
    ['Pythons of uv', '/home/u/.local/share/uv/python/x', 'read', 'read'],
    ['keys of .NET', '/home/u/.dotnet/corefx/cryptography/x509stores/my/x.pfx', 'read', 'hidden'],
    ['a backup of the passwords', '/etc/shadow-', 'read', 'hidden'],
    ['a backup of the group passwords', '/etc/gshadow-', 'read', 'hidden'],
    ['certificates of this machine', '/etc/letsencrypt/live/x/privkey.pem', 'read', 'hidden'],
    ['a login of a cluster', '/etc/kubernetes/admin.conf', 'read', 'hidden'],
    ['another login of a cluster', '/etc/rancher/k3s/k3s.yaml', 'read', 'hidden'],
    ['passwords of wireless networks', '/etc/NetworkManager/system-connections/x', 'read', 'hidden'],
    ['keys of tunnels', '/etc/wireguard/wg0.conf', 'read', 'hidden'],
    ['keys of the realm', '/etc/krb5.keytab', 'read', 'hidden'],
    ["the user's checkout", '/repo/src/a.js', 'read', 'hidden'],
    ['keys', '/home/u/.ssh/id_ed25519', 'read', 'hidden'],
    ['a login of another tool', '/home/u/.config/gh/hosts.yml', 'read', 'hidden'],
    ["another agent's login", '/home/u/.codex/auth.json', 'read', 'hidden'],
    ['passwords of the system', '/etc/shadow', 'read', 'hidden'],
    ['programs', '/usr/bin/git', 'read', 'read'],
    ["the agent's program", '/home/u/.nvm/versions/node/v20/lib/node_modules/claude/cli.js', 'read', 'read'],
    ["the agent's conversations", '/home/u/.claude/projects/x.jsonl', 'write', 'write'],
    ["the agent's settings", '/home/u/.claude/settings.json', 'read', 'read'],
    ['sockets of the system', '/run/docker.sock', 'hidden', 'hidden'],
    ['sockets elsewhere', '/home/u/.docker/run/docker.sock', 'hidden', 'hidden'],
    ['temporary files', '/tmp/x', 'write', 'write'],
  ])('%s: %s is %s, in strict %s', (_what, path, on, strict) => {
    expect([accessOf(path, facts()), accessOf(path, facts({ mode: 'strict' }))]).toEqual([on, strict]);
  });

  it('shows and lets write what the configuration names, also a login', () => {
    const opened = facts({ mode: 'strict', read: ['/home/u/.npmrc'], write: ['/home/u/.cache/build'] });
    expect(accessOf('/home/u/.npmrc', opened)).toBe('read');
    expect(accessOf('/home/u/.cache/build/x', opened)).toBe('write');
    expect(accessOf('/home/u/.npmrc', facts({ mode: 'strict' }))).toBe('hidden');
  });

  it('lets a gate, which makes no commits, write nothing of the repository', () => {
    const gate = facts({
      git: {
        commonDir: '/repo/.git',
        privateDir: '/repo/.git/worktrees/a',
        branches: '',
        commits: false,
        borrowed: [],
      },
    });
    const seen = ['objects/ab/cd', 'refs/heads/ralph/t-1', 'refs/heads/main', 'worktrees/a/index'].map((name) =>
      accessOf(`/repo/.git/${name}`, gate),
    );
    expect(seen).toEqual(['read', 'read', 'read', 'write']);
  });

  it('takes no right to write away by showing: an argument may name the worktree, and PATH a folder in it', () => {
    const { cwd } = facts();
    for (const mode of ['on', 'strict'] as const) {
      const named = facts({ mode, readable: [cwd, `${cwd}/docs`, '/tmp/a', '/dev/shm/b'], programs: [`${cwd}/bin/x`] });
      const seen = [cwd, `${cwd}/docs/a`, `${cwd}/bin/y`, '/tmp/a/b', '/dev/shm/b/c'].map((path) =>
        accessOf(path, named),
      );
      expect(seen).toEqual(['write', 'write', 'write', 'read', 'read']);
    }
  });

  it('has temporary files on the disk of the run, and none of other programs', () => {
    expect(ruleFor('/tmp', rulesOf(facts()))?.from).toBe(facts().temporary);
  });

  it('hides worktrees elsewhere, but its own', () => {
    const elsewhere = facts({ worktreesRoot: '/data/trees', cwd: '/data/trees/t-1' });
    expect(['/data/trees/t-1/a', '/data/trees/t-2/a'].map((path) => accessOf(path, elsewhere))).toEqual([
      'write',
      'hidden',
    ]);
  });
});

describe('rules about paths', () => {
  const name = fc.constantFrom('a', 'b', 'c');
  const path = fc.array(name, { maxLength: 4 }).map((names) => `/${names.join('/')}`);
  const rule: fc.Arbitrary<Rule> = fc.record({
    path,
    access: fc.constantFrom('write' as const, 'read' as const, 'hidden' as const),
    kind: fc.constant('folder' as const),
  });

  it('the longest path counts, then the stricter rule', () => {
    fc.assert(
      fc.property(fc.array(rule), path, (rules, asked) => {
        const above = rules.filter((one) => isWithin(asked, one.path));
        const longest = Math.max(-1, ...above.map((one) => one.path.length));
        const strictness = ['write', 'read', 'hidden'];
        const wanted = Math.max(
          -1,
          ...above.filter((one) => one.path.length === longest).map((one) => strictness.indexOf(one.access)),
        );
        expect(ruleFor(asked, rules)?.access).toBe(strictness[wanted]);
      }),
    );
  });

  it('mounts carry the rules out: the last mount over a path gives its access', () => {
    const root: Rule = { path: '/', access: 'read', kind: 'folder' };
    fc.assert(
      fc.property(fc.array(rule), path, (more, asked) => {
        const rules = [root, ...more];
        const words = mountArguments(rules);
        let seen = ordered(rules)[0]?.access;
        for (let at = 0; at < words.length; ) {
          const [option, place = ''] = [words[at], words[at + (takesTwo(words[at]) ? 2 : 1)]];
          at += takesTwo(option) ? 3 : 2;
          if (option === '--remount-ro' || !isWithin(asked, place)) continue;
          seen = option === '--bind' ? 'write' : option === '--tmpfs' ? 'hidden' : 'read';
        }
        expect(seen).toBe(ruleFor(asked, rules)?.access);
      }),
    );
  });

  it('never mounts the root after /dev and /proc, which it would cover', () => {
    const words = bubblewrap({ program: 'bwrap', rules: rulesOf(facts()), cwd: '/', bridge: ['bridge'] }, ['true']);
    const roots = words.flatMap((word, at) => (word === '/' && words[at - 1] === '/' ? [at] : []));
    expect(roots).toHaveLength(1);
    expect(roots[0]).toBeLessThan(words.indexOf('--dev'));
  });

  it('closes empty folders after the places of others were made in them', () => {
    const words = mountArguments(rulesOf(facts()));
    expect(words.indexOf('--remount-ro')).toBeGreaterThan(words.lastIndexOf('--bind'));
    expect(words.indexOf('--remount-ro')).toBeGreaterThan(words.lastIndexOf('--ro-bind'));
  });

  it('keeps what is below /proc/sys from root', () => {
    const words = bubblewrap({ program: 'bwrap', rules: rulesOf(facts()), cwd: '/', bridge: ['bridge'] }, [
      'true',
    ]).join(' ');
    expect(words).toContain('--proc /proc --ro-bind /proc/sys /proc/sys');
    for (const option of ['--unshare-pid', '--unshare-net', '--cap-drop ALL']) expect(words).toContain(option);
  });
});

const takesTwo = (option: string | undefined): boolean => option === '--bind' || option === '--ro-bind';

describe('addresses', () => {
  const places = placesIn([
    'registry.example.org',
    '*.example.com',
    '127.0.0.1:8080',
    'db.example.net:5432',
    '[::1]:9',
  ]);

  it.each([
    ['registry.example.org', 443, true],
    ['registry.example.org', 80, true],
    ['REGISTRY.example.org.', 443, true],
    ['registry.example.org', 22, false],
    ['evil-registry.example.org', 443, false],
    ['registry.example.org.evil.net', 443, false],
    ['a.example.com', 443, true],
    ['a.b.example.com', 443, true],
    ['example.com', 443, false],
    ['evilexample.com', 443, false],
    ['db.example.net', 5432, true],
    ['db.example.net', 443, false],
    ['127.0.0.1', 8080, true],
    ['127.0.0.1', 7233, false],
    ['localhost', 8080, false],
    ['::1', 9, true],
    ['[::1]', 9, true],
    ['::1', 10, false],
    ['127.1', 8080, false],
    ['0x7f000001', 8080, false],
    ['2130706433', 8080, false],
    ['0.0.0.0', 8080, false],
    ['169.254.169.254', 80, false],
    ['registry.example.org\0.evil.net', 443, false],
    ['', 443, false],
  ])('%s:%i: %s', (host, port, ok) => {
    expect(allowed(host, port, places).ok).toBe(ok);
  });

  it('no pattern opens this machine, whatever it is called', () => {
    const all = placesIn(['*.localhost', 'localhost', '127.0.0.1', '*.0.0.1', '0.0.0.0']);
    for (const host of ['localhost', 'a.localhost', '127.0.0.1', '::1', '0.0.0.0', '::ffff:127.0.0.1'])
      expect(allowed(host, 443, all), host).toEqual({ ok: false, exact: false });
  });

  it('knows addresses of this machine and of its links', () => {
    const own = [
      '127.0.0.1',
      '127.9.9.9',
      '0.0.0.0',
      '169.254.169.254',
      '::1',
      '::',
      'fe80::1',
      '::ffff:10.0.0.1',
      'ff02::1',
    ];
    expect(own.filter((one) => !isOwn(one))).toEqual(['::ffff:10.0.0.1']);
    expect(['10.0.0.1', '192.0.2.1', '2001:db8::1'].filter((one) => isOwn(one))).toEqual([]);
    const links = ['10.0.0.1', '2001:db8::1'];
    const asked = ['10.0.0.1', '::ffff:10.0.0.1', '::ffff:a00:1', '2001:DB8:0:0::1', '10.0.0.2', '2001:db8::2'];
    expect(asked.filter((one) => isOwn(one, links))).toEqual(asked.slice(0, 4));
    expect(allowed('10.0.0.1', 443, placesIn(['10.0.0.1']), links)).toEqual({ ok: false, exact: false });
    expect(allowed('10.0.0.1', 443, placesIn(['10.0.0.1:443']), links)).toEqual({ ok: true, exact: true });
  });

  it('reads hosts with and without ports, and nothing else', () => {
    expect(placeIn('a.example.com:80')).toEqual({ host: 'a.example.com', port: 80 });
    expect(placeIn('[::1]:80')).toEqual({ host: '::1', port: 80 });
    for (const text of ['https://a', 'a/b', 'a:0', 'a:99999', '*', '*.', 'a b', ''])
      expect(placeIn(text), text).toBeUndefined();
  });

  it("goes through the user's proxy, but not where that is excepted", () => {
    const upstreams = upstreamsIn({ HTTPS_PROXY: 'http://proxy.example:3128', no_proxy: 'localhost,.corp.example' });
    expect(upstreamFor('api.example.com', 443, true, upstreams)?.host).toBe('proxy.example:3128');
    expect(upstreamFor('api.example.com', 80, false, upstreams)).toBeUndefined();
    expect(upstreamFor('git.corp.example', 443, true, upstreams)).toBeUndefined();
  });
});

describe('the environment inside', () => {
  const never = () => false;

  it('leads through the proxy, and names no socket of the outside', () => {
    const given = {
      PATH: '/bin',
      SSH_AUTH_SOCK: '/x',
      DOCKER_HOST: 'unix:///x',
      TMPDIR: '/x',
      http_proxy: 'http://old',
    };
    const env = environmentInside({ ...given, GIT_CONFIG_COUNT: '1' }, 3128, never);
    expect(env).toMatchObject({
      PATH: '/bin',
      TMPDIR: '/tmp',
      https_proxy: 'http://127.0.0.1:3128',
      GIT_CONFIG_COUNT: '5',
    });
    expect(env.GIT_CONFIG_KEY_1).toBe('commit.gpgSign');
    expect(env.http_proxy).toBe('http://127.0.0.1:3128');
    expect(env).not.toHaveProperty('SSH_AUTH_SOCK');
    expect(env).not.toHaveProperty('DOCKER_HOST');
  });

  it('has caches of its own, but for those that the configuration opens', () => {
    const env = { HOME: '/home/u', GOCACHE: '/data/go' };
    expect(environmentInside(env, 1, never)).toMatchObject({
      npm_config_cache: '/tmp/cache/npm',
      GOCACHE: '/tmp/cache/go-build',
    });
    const opened = environmentInside(env, 1, (path) => path === '/home/u/.npm' || path === '/data/go');
    expect(opened).not.toHaveProperty('npm_config_cache');
    expect(opened).toMatchObject({ GOCACHE: '/data/go', XDG_CACHE_HOME: '/tmp/cache' });
  });
});

describe('programs and agents', () => {
  it.each([
    ['/opt/tool/bin/x', '/opt/tool'],
    ['/home/u/bin/x', '/home/u/bin'],
    ['/home/u/work/bin/x', '/home/u/work/bin'],
    ['/home/u/.nvm/versions/node/v20/bin/x', '/home/u/.nvm/versions/node/v20'],
    ['/home/u/work/node_modules/.bin/x', '/home/u/work/node_modules/.bin'],
    ['/srv/work/bin/x', '/srv/work/bin'],
    ['/usr/local/bin/x', '/usr/local'],
    ['/home/u/.local/bin/x', '/home/u/.local/bin'],
    ['/home/u/x', '/home/u/x'],
    ['/home/x', '/home/x'],
    ['/usr/bin/x', '/usr'],
    ['/bin/x', '/bin'],
  ])('%s needs %s', (file, wanted) => {
    expect(withItsPackage(file, '/home/u')).toBe(wanted);
  });

  it.each(AGENT_ADAPTERS)('%s: its settings are no files that it must write', (adapter) => {
    const own = ownPlaces({ adapter }, {}, '/home/u');
    for (const state of own.state) expect(own.settings).not.toContain(state);
    expect(own.hosts.filter((host) => !placeIn(host))).toEqual([]);
  });

  it('follows the variables that move its files and its model', () => {
    const env = { CLAUDE_CONFIG_DIR: '/c', ANTHROPIC_BASE_URL: 'https://gateway.example:8443/v1' };
    const own = ownPlaces({ adapter: 'claude' }, env, '/home/u');
    expect(own.state).toEqual(['/c']);
    expect(own.hosts).toContain('gateway.example:8443');
    const local = ownPlaces({ adapter: 'claude' }, { ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' }, '/home/u');
    expect(local.hosts.filter((host) => host.startsWith('127.'))).toEqual([]);
    const named = ownPlaces({ adapter: 'claude' }, { ANTHROPIC_BASE_URL: 'http://localhost-llm.example:1' }, '/home/u');
    expect(named.hosts).toContain('localhost-llm.example:1');
  });
});

describe('the configuration', () => {
  const parsed = (text: string) => parseConfig(`version: 1\n${text}`, 'ralphctl.yaml').sandbox;

  it('is a mode, or settings; off without one', () => {
    const none = { allow: [], read: [], write: [], gates: false };
    expect(parsed('')).toEqual({ mode: 'off', ...none });
    expect(parsed('sandbox: on')).toEqual({ mode: 'on', ...none });
    expect(parsed('sandbox: strict')).toEqual({ mode: 'strict', ...none });
    expect(parsed('sandbox: {allow: ["127.0.0.1:8080"]}')).toEqual({ mode: 'on', ...none, allow: ['127.0.0.1:8080'] });
  });

  it.each(['["127.0.0.1"]', '[localhost]', '["https://x.example"]', '["a:0"]', '["[::1]"]'])(
    'refuses allow: %s',
    (allow) => {
      expect(() => parsed(`sandbox: {allow: ${allow}}`)).toThrow(/sandbox/);
    },
  );

  it.each(['[relative/x]', '[/]', '["~/"]'])('refuses write: %s', (write) => {
    expect(() => parsed(`sandbox: {write: ${write}}`)).toThrow(/sandbox/);
  });
});
