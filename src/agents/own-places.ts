/**
 * The files that an agent CLI keeps for itself, and the hosts of its model API: what a sandbox opens for it.
 * Invariant: settings are files and folders that decide what the CLI runs; a sandbox shows them, and no agent writes
 * them. Paths are absolute; what of them exists is for the caller to find out. Pure.
 */
import { join } from 'node:path';
import type { AgentSpec } from '../config/agent-spec.js';

export interface OwnPlaces {
  /** Folders that it writes; those that are missing are made. */
  state: string[];
  /** Below them, or elsewhere: it only reads them. */
  settings: string[];
  /** Folders of scripts that its next start runs: it has empty ones of its own there. */
  fresh: string[];
  /** As in `sandbox.allow`. */
  hosts: string[];
  /** Names in the folder of an iteration that it writes. */
  scratch: string[];
  /** Files beside its settings that it would make, with their content: it does not start without them. */
  made: Record<string, string>;
}

type Env = Readonly<Record<string, string | undefined>>;

interface Row {
  /** Its folder, below home; a variable may name another one. */
  folder?: string;
  variable?: string;
  /** Below the folder. */
  settings?: readonly string[];
  fresh?: readonly string[];
  /** Below the folder that the variable names. */
  moved?: readonly string[];
  /** Below home. */
  state?: readonly string[];
  read?: readonly string[];
  hosts: readonly string[];
  scratch?: readonly string[];
  made?: Readonly<Record<string, string>>;
}

const ANTHROPIC = ['api.anthropic.com', 'console.anthropic.com', 'platform.claude.com', 'claude.ai'];
const OPENAI = ['api.openai.com', 'auth.openai.com', 'chatgpt.com'];
const GOOGLE = ['generativelanguage.googleapis.com', 'cloudcode-pa.googleapis.com', 'oauth2.googleapis.com'];
const QWEN = ['dashscope.aliyuncs.com', 'dashscope-intl.aliyuncs.com', 'chat.qwen.ai', 'portal.qwen.ai'];
/** Of CLIs that talk to any of them. */
const PROVIDERS = [
  ...['api.anthropic.com', 'api.openai.com', 'generativelanguage.googleapis.com', 'openrouter.ai', 'api.deepseek.com'],
  ...['api.mistral.ai', 'api.x.ai', 'api.groq.com', 'api.cerebras.ai', 'api.together.xyz', 'api.fireworks.ai'],
];

const SHARED_SETTINGS = [
  'agents',
  'commands',
  'extensions',
  'hooks',
  'hooks.json',
  'plugins',
  'prompts',
  'rules',
  'skills',
];

const ROWS: Readonly<Record<AgentSpec['adapter'], Row>> = {
  claude: {
    folder: '.claude',
    variable: 'CLAUDE_CONFIG_DIR',
    settings: [
      ...SHARED_SETTINGS,
      'settings.json',
      'settings.local.json',
      'CLAUDE.md',
      'output-styles',
      'keybindings.json',
      'local',
    ],
    fresh: ['shell-snapshots', 'session-env'],
    moved: ['.claude.json'],
    read: ['.claude.json'],
    hosts: ANTHROPIC,
  },
  codex: {
    folder: '.codex',
    variable: 'CODEX_HOME',
    settings: [...SHARED_SETTINGS, 'config.toml', 'AGENTS.md', 'AGENTS.override.md', '.env', 'packages'],
    fresh: ['tmp', 'shell_snapshots'],
    hosts: OPENAI,
  },
  gemini: {
    folder: '.gemini',
    settings: [...SHARED_SETTINGS, 'settings.json', 'GEMINI.md', 'policies', 'trustedFolders.json', '.env', 'tmp/bin'],
    hosts: GOOGLE,
  },
  qwen: {
    folder: '.qwen',
    settings: [...SHARED_SETTINGS, 'settings.json', 'QWEN.md', '.env', 'tmp/bin'],
    hosts: [...QWEN, ...OPENAI],
  },
  copilot: {
    folder: '.copilot',
    variable: 'COPILOT_HOME',
    settings: [...SHARED_SETTINGS, 'mcp-config.json', 'copilot-instructions.md', 'settings.json', 'pkg'],
    hosts: ['api.github.com', '*.githubcopilot.com'],
  },
  pi: {
    folder: '.pi/agent',
    variable: 'PI_CODING_AGENT_DIR',
    settings: [...SHARED_SETTINGS, 'settings.json', 'models.json', 'AGENTS.md', 'SYSTEM.md', 'themes', 'tools', 'bin'],
    hosts: PROVIDERS,
  },
  opencode: {
    state: ['.local/share/opencode', '.local/state/opencode'],
    read: ['.config/opencode', '.local/share/opencode/bin'],
    hosts: [...PROVIDERS, 'opencode.ai', 'models.dev'],
    made: { '.config/opencode/.gitignore': 'node_modules\npackage.json\npackage-lock.json\nbun.lock\n.gitignore' },
  },
  aider: {
    state: ['.aider'],
    read: ['.aider.conf.yml', '.aider.model.settings.yml', '.aider.model.metadata.json'],
    hosts: PROVIDERS,
    scratch: ['aider-chat.md', 'aider-input'],
  },
  command: { hosts: [] },
  scripted: { hosts: [] },
};

/** Folders of opencode follow the variables of the desktop. */
const XDG = [
  ['.local/share/', 'XDG_DATA_HOME'],
  ['.local/state/', 'XDG_STATE_HOME'],
  ['.config/', 'XDG_CONFIG_HOME'],
] as const;

/** @param env of the agent */
export function ownPlaces({ adapter }: Pick<AgentSpec, 'adapter'>, env: Env, home: string): OwnPlaces {
  const row = ROWS[adapter];
  const below = (path: string): string => {
    const [start, variable] = XDG.find(([folder]) => path.startsWith(folder)) ?? [];
    const base = variable === undefined ? undefined : env[variable];
    return start !== undefined && base ? join(base, path.slice(start.length)) : join(home, path);
  };
  const given = row.variable === undefined ? undefined : env[row.variable];
  const folder = given || (row.folder === undefined ? undefined : join(home, row.folder));
  return {
    state: [...(folder === undefined ? [] : [folder]), ...(row.state ?? []).map(below)],
    settings: [
      ...(folder === undefined ? [] : (row.settings ?? []).map((name) => join(folder, name))),
      ...(given ? (row.moved ?? []).map((name) => join(given, name)) : []),
      ...(row.read ?? []).map(below),
    ],
    fresh: folder === undefined ? [] : (row.fresh ?? []).map((name) => join(folder, name)),
    hosts: [...row.hosts, ...hostsOfClouds(env), ...hostsOfUrls(env)],
    scratch: [...(row.scratch ?? [])],
    made: Object.fromEntries(Object.entries(row.made ?? {}).map(([path, text]) => [below(path), text])),
  };
}

function hostsOfClouds(env: Env): string[] {
  return [
    ...(env.CLAUDE_CODE_USE_BEDROCK ? ['*.amazonaws.com'] : []),
    ...(env.CLAUDE_CODE_USE_VERTEX ? ['*.googleapis.com'] : []),
  ];
}

const URL_VARIABLE = /(?:_BASE_URL|_API_BASE|_ENDPOINT|_API_URL|^OLLAMA_HOST)$/;

/** A model API that the user names in the agent's environment. One on this machine needs an entry in `sandbox.allow`. */
function hostsOfUrls(env: Env): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (!URL_VARIABLE.test(name) || value === undefined || !URL.canParse(value)) return [];
    const { protocol, hostname, port } = new URL(value);
    if (protocol !== 'https:' && protocol !== 'http:') return [];
    return [port === '' ? hostname : `${hostname}:${port}`].filter(
      (place) => !/^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::|$)/.test(place),
    );
  });
}
