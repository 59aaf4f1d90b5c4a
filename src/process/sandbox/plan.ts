/**
 * The sandbox of one agent run or command, from facts about project, worktree and agent.
 * Invariant: whatever the facts are, only the worktree, what a commit in it needs, the scratch, the agent's own state and
 * what the configuration opens are writable; the state folder and the worktrees of other ideas are hidden. Pure.
 */
import { join } from 'node:path';
import { placeIn } from './allowed.js';
import { LOGINS, SECRETS_OF_SYSTEM, SYSTEM, SYSTEM_LATER, TOOLS, withItsPackage } from './known-places.js';
import { type Access, isWithin, mountArguments, type Rule, ruleFor } from './mounts.js';

export type SandboxMode = 'on' | 'strict';

/** All paths are absolute and real. */
export interface SandboxFacts {
  mode: SandboxMode;
  home: string;
  /** ralphctl's own. */
  stateRoot: string;
  /** Folder of all worktrees, where it lies outside the state folder. */
  worktreesRoot?: string;
  /** Where the program works: it may write there. */
  cwd: string;
  /** Absent: `cwd` is no worktree of a repository. */
  git?: {
    /** Shared by all worktrees. */
    commonDir: string;
    /** Of this worktree. */
    privateDir: string;
    /** Folder of the branches that ralphctl makes, below `refs/heads`. */
    branches: string;
    /** The program makes commits. */
    commits: boolean;
    /** Object folders elsewhere that the repository borrows from. */
    borrowed: readonly string[];
  };
  /** What lies in the way of a run and may be read: prompts, logs of gates. */
  readable: readonly string[];
  /** Files and folders of the run that the program writes. They exist. */
  writable: readonly string[];
  /** Stands for /tmp and /var/tmp. */
  temporary: string;
  /** Folder with the sockets to the outside. */
  sockets: string;
  /** The agent's own files: what it writes, and settings among them that it may only read. They exist. */
  agent: {
    state: readonly string[];
    settings: readonly string[];
    /** Another folder stands for it. */
    fresh?: ReadonlyArray<{ path: string; from: string }>;
  };
  /** From the configuration. They exist. */
  read: readonly string[];
  write: readonly string[];
  /** Programs, and folders of programs, that the run needs. */
  programs: readonly string[];
  /** Sockets of other programs on this machine. */
  listening: readonly string[];
  /** What is there: undefined for nothing. */
  kindOf: (path: string) => Rule['kind'] | undefined;
}

/** Where the sockets to the outside are inside. */
export const SOCKETS = '/run/ralphctl';

export function rulesOf(facts: SandboxFacts): Rule[] {
  const { mode, home, git, kindOf } = facts;
  const strict = mode === 'strict';
  const rules: Rule[] = [{ path: '/', access: strict ? 'hidden' : 'read', kind: 'folder' }];
  const add = (access: Access, paths: readonly string[]): void => {
    for (const path of paths) {
      const kind = kindOf(path);
      if (kind) rules.push({ path, access, kind });
    }
  };
  add('hidden', ['/run', '/mnt/wslg']);
  if (strict) {
    add('read', [...SYSTEM, ...SYSTEM_LATER, ...TOOLS.map((name) => join(home, name))]);
    const opened = new Set([...facts.read, ...facts.write, ...facts.agent.state]);
    const logins = [...SECRETS_OF_SYSTEM, ...LOGINS.map((name) => join(home, name))];
    add(
      'hidden',
      logins.filter((path) => !opened.has(path)),
    );
  } else add('read', SYSTEM_LATER);
  for (const path of ['/tmp', '/var/tmp'])
    if (kindOf(path)) rules.push({ path, access: 'write', kind: 'folder', from: facts.temporary });
  add(
    'hidden',
    facts.listening.filter((path) => !isWithin(path, facts.cwd)),
  );
  add('hidden', [facts.stateRoot, ...(facts.worktreesRoot === undefined ? [] : [facts.worktreesRoot])]);
  add('write', facts.agent.state);
  add('read', facts.agent.settings);
  for (const fresh of facts.agent.fresh ?? []) rules.push({ ...fresh, access: 'write', kind: 'folder' });
  add('write', [...facts.writable, ...facts.write, facts.cwd]);
  if (git) gitRules(git, facts.cwd, add);
  const shown = [...facts.programs.map((file) => withItsPackage(file, home)), ...facts.readable, ...facts.read];
  add(
    'read',
    shown.filter((path) => !isShown(path, rules)),
  );
  rules.push({ path: SOCKETS, access: 'read', kind: 'folder', from: facts.sockets });
  return rules;
}

/** What is to be shown may be writable, too: showing it takes nothing away. */
function isShown(path: string, rules: readonly Rule[]): boolean {
  const rule = ruleFor(path, rules);
  if (!rule || rule.access === 'hidden' || rule.from !== undefined) return false;
  return rule.path !== '/' || !['/dev', '/proc'].some((folder) => isWithin(path, folder));
}

/** A commit in a worktree writes objects, its branch, the branch's log and the worktree's own git directory. */
function gitRules(
  { commonDir, privateDir, branches, commits, borrowed }: NonNullable<SandboxFacts['git']>,
  cwd: string,
  add: (access: Access, paths: readonly string[]) => void,
): void {
  const common = (...names: string[]): string => join(commonDir, ...names);
  add('read', [commonDir, ...borrowed]);
  if (commits)
    add(
      'write',
      ['objects', `refs/heads/${branches}`, `logs/refs/heads/${branches}`, 'lfs'].map((name) => common(name)),
    );
  add('read', [common('objects/info')]);
  add('write', [privateDir]);
  // These lead git to another repository, or to other settings.
  add('read', [join(cwd, '.git'), ...['commondir', 'gitdir', 'config.worktree'].map((name) => join(privateDir, name))]);
}

const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'];
/** They name sockets, and places that a run may not use. */
const LEFT_OUT = [
  ...PROXY_VARIABLES.flatMap((name) => [name, name.toLowerCase()]),
  ...['SSH_AUTH_SOCK', 'SSH_AGENT_PID', 'GPG_AGENT_INFO', 'DOCKER_HOST', 'DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR'],
  ...['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'TMPDIR', 'TMP', 'TEMP'],
];

/** Settings of git: the agent that signs is out of reach, and what tidies up writes the shared directory. */
const GIT_SETTINGS = [
  ['commit.gpgSign', 'false'],
  ['tag.gpgSign', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
] as const;

/** Where caches are without a variable, below home, and where they are inside unless the configuration opens them. */
const CACHES = [
  ['XDG_CACHE_HOME', '.cache', ''],
  ['npm_config_cache', '.npm', '/npm'],
  ['GOCACHE', '.cache/go-build', '/go-build'],
] as const;

/**
 * The environment inside.
 * @param proxyPort of the proxy, inside
 * @param writable the program may write there
 */
export function environmentInside(
  env: Readonly<Record<string, string>>,
  proxyPort: number,
  writable: (path: string) => boolean,
): Record<string, string> {
  const kept = Object.fromEntries(Object.entries(env).filter(([name]) => !LEFT_OUT.includes(name)));
  const proxy = `http://127.0.0.1:${proxyPort}`;
  const proxies = PROXY_VARIABLES.flatMap((name) => {
    const value = name === 'NO_PROXY' ? 'localhost,127.0.0.1,::1' : proxy;
    return [
      [name, value],
      [name.toLowerCase(), value],
    ];
  });
  const before = Number(env.GIT_CONFIG_COUNT ?? 0) || 0;
  const settings = GIT_SETTINGS.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${before + at}`, key],
    [`GIT_CONFIG_VALUE_${before + at}`, value],
  ]);
  const caches = CACHES.flatMap(([name, usual, own]) =>
    writable(env[name] ?? join(env.HOME ?? '/', usual)) ? [] : [[name, `/tmp/cache${own}`] as const],
  );
  return {
    ...kept,
    ...Object.fromEntries(caches),
    TMPDIR: '/tmp',
    // Node's own fetch uses no proxy without it.
    NODE_USE_ENV_PROXY: '1',
    ...(Object.fromEntries([...proxies, ...settings]) as Record<string, string>),
    GIT_CONFIG_COUNT: String(before + GIT_SETTINGS.length),
  };
}

export interface Inside {
  /** bubblewrap. */
  program: string;
  rules: readonly Rule[];
  cwd: string;
  /** Runs in the sandbox, listens, and starts the program: program and arguments. */
  bridge: readonly string[];
}

/** The whole command line. What is below /proc would reach the machine itself, for root without any other right. */
export function bubblewrap({ program, rules, cwd, bridge }: Inside, argv: readonly string[]): string[] {
  const root = rules.find((rule) => rule.path === '/')?.access;
  return [
    ...[program, '--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--cap-drop', 'ALL'],
    ...(root === 'read' ? ['--ro-bind', '/', '/'] : []),
    ...['--dev', '/dev', '--tmpfs', '/dev/shm', '--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys'],
    ...['sysrq-trigger', 'irq', 'bus'].flatMap((name) => ['--ro-bind-try', `/proc/${name}`, `/proc/${name}`]),
    ...mountArguments(rules),
    ...['--chdir', cwd, '--', ...bridge, '--', ...argv],
  ];
}

/** Places of the configuration and of the agent, in the order of both; what is no address is left out. */
export const placesIn = (texts: readonly string[]) => texts.map(placeIn).filter((place) => place !== undefined);
