/**
 * The part of the worker's environment that an agent sees.
 * Invariant: an allow-list. The address and credentials of Temporal and the state directory never pass, not even on
 * request.
 */
import type { AgentSpec } from '../config/agent-spec.js';

const ALWAYS = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TMPDIR', 'TZ', 'COLUMNS', 'LINES'],
  // By name: a secret may be called LC_SOMETHING, because ssh forwards such variables.
  ...['LC_ALL', 'LC_ADDRESS', 'LC_COLLATE', 'LC_CTYPE', 'LC_IDENTIFICATION', 'LC_MEASUREMENT', 'LC_MESSAGES'],
  ...['LC_MONETARY', 'LC_NAME', 'LC_NUMERIC', 'LC_PAPER', 'LC_TELEPHONE', 'LC_TIME'],
  ...['XDG_CACHE_HOME', 'XDG_CONFIG_DIRS', 'XDG_CONFIG_HOME', 'XDG_DATA_DIRS', 'XDG_DATA_HOME', 'XDG_RUNTIME_DIR'],
  'XDG_STATE_HOME',
  ...['SSH_AUTH_SOCK', 'SSH_AGENT_PID', 'GNUPGHOME', 'GIT_SSH', 'GIT_SSH_COMMAND'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE', 'GIT_SSL_CAINFO'],
  ...['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL'],
  // Places of tool chains; builds fail without them.
  ...['JAVA_HOME', 'GOPATH', 'GOROOT', 'GOPROXY', 'GOFLAGS', 'CARGO_HOME', 'RUSTUP_HOME', 'PYENV_ROOT', 'VOLTA_HOME'],
  ...['NVM_DIR', 'FNM_DIR', 'MISE_DATA_DIR', 'ASDF_DIR', 'ASDF_DATA_DIR', 'BUN_INSTALL', 'PNPM_HOME', 'DOTNET_ROOT'],
  ...['ANDROID_HOME', 'LD_LIBRARY_PATH', 'NIX_PATH', 'NIX_SSL_CERT_FILE', 'DOCKER_HOST', 'PIP_INDEX_URL'],
  // Not all of npm_config_*: under `npm start` or npx these are the settings of ralphctl's own package.
  ...['npm_config_registry', 'NPM_CONFIG_REGISTRY', 'NPM_CONFIG_USERCONFIG', 'NPM_CONFIG_CACHE'],
];

/** Keys of model providers, for CLIs that talk to many of them. */
const PROVIDERS = [
  ...[
    'ANTHROPIC_',
    'OPENAI_',
    'AZURE_OPENAI_',
    'AZURE_API_',
    'GEMINI_',
    'GOOGLE_',
    'OPENROUTER_',
    'DEEPSEEK_',
    'MISTRAL_',
    'XAI_',
    'GROQ_',
  ],
  ...['OLLAMA_', 'CEREBRAS_', 'TOGETHER_', 'FIREWORKS_', 'MOONSHOT_', 'ZAI_', 'MINIMAX_', 'KIMI_', 'LITELLM_'],
];

/** Keys and settings of the agent CLIs themselves. `command` may wrap any of them. */
const ADAPTER_PREFIXES: Readonly<Record<AgentSpec['adapter'], readonly string[]>> = {
  claude: ['ANTHROPIC_', 'CLAUDE_'],
  codex: ['OPENAI_', 'CODEX_', 'AZURE_OPENAI_'],
  gemini: ['GEMINI_', 'GOOGLE_'],
  opencode: ['OPENCODE_', ...PROVIDERS],
  aider: ['AIDER_', ...PROVIDERS],
  // Exactly these two: a user of Copilot has given it the GitHub key that it needs.
  copilot: ['COPILOT_', 'GH_TOKEN', 'GITHUB_TOKEN', 'GH_HOST'],
  qwen: ['QWEN_', 'OPENAI_', 'DASHSCOPE_', 'BAILIAN_', 'ANTHROPIC_', 'GEMINI_'],
  pi: ['PI_', ...PROVIDERS],
  command: [
    ...['CLAUDE_', 'CODEX_', 'OPENCODE_', 'QWEN_', 'DASHSCOPE_', 'COPILOT_', 'AIDER_', 'PI_', 'AMP_', 'CURSOR_'],
    ...['GOOSE_', 'CRUSH_', ...PROVIDERS],
  ],
  scripted: ['RALPHCTL_SCRIPT'],
};

/** Makes every program of an agent run non-interactively. */
const UNATTENDED: Readonly<Record<string, string>> = {
  CI: '1',
  TERM: 'dumb',
  NO_COLOR: '1',
  NO_BROWSER: '1',
  BROWSER: 'true',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
  EDITOR: 'true',
  VISUAL: 'true',
  GIT_TERMINAL_PROMPT: '0',
  GIT_MERGE_AUTOEDIT: 'no',
  DEBIAN_FRONTEND: 'noninteractive',
  npm_config_yes: 'true',
  npm_config_update_notifier: 'false',
  PIP_NO_INPUT: '1',
};

/** Cloud credentials go only to a CLI that is configured to reach its model through that cloud. */
const CLOUDS = [
  { when: 'CLAUDE_CODE_USE_BEDROCK', prefixes: ['AWS_'] },
  { when: 'CLAUDE_CODE_USE_VERTEX', prefixes: ['GOOGLE_', 'VERTEX_', 'CLOUD_ML_', 'CLOUDSDK_'] },
] as const;

/**
 * Only the worker may reach Temporal or the state directory. The other variables would make a CLI believe that it runs
 * inside a session of its own kind.
 */
const NEVER =
  /^(?:TEMPORAL_|RALPHCTL_HOME$|CLAUDECODE$|CLAUDE_CODE_(?:ENTRYPOINT|SSE_PORT)$|CODEX_SANDBOX|GEMINI_CLI$|QWEN_CODE$|OPENCODE$|AGENT$)/i;

/** True for names that no configuration can pass. */
export const isForbiddenVariable = (name: string): boolean => NEVER.test(name);

/**
 * The whole environment of an agent.
 * `spec.env` overrides `adapterEnv`; nothing in `spec` can add a forbidden variable.
 */
export function agentEnvironment(
  spec: AgentSpec,
  base: NodeJS.ProcessEnv,
  adapterEnv: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const names = new Set([...ALWAYS, ...spec.passEnv]);
  const prefixes: string[] = [...(ADAPTER_PREFIXES[spec.adapter] ?? [])];
  if (spec.adapter === 'claude') {
    for (const cloud of CLOUDS) if (base[cloud.when] ?? spec.env[cloud.when]) prefixes.push(...cloud.prefixes);
  }
  const env: Record<string, string> = {};
  const put = (name: string, value: string | undefined): void => {
    // An empty name or a NUL would make the start itself fail.
    if (value === undefined || isForbiddenVariable(name) || !/^[^=\0]+$/.test(name) || value.includes('\0')) return;
    env[name] = value;
  };
  for (const [name, value] of Object.entries(base)) {
    if (names.has(name) || prefixes.some((prefix) => name.startsWith(prefix))) put(name, value);
  }
  for (const source of [UNATTENDED, adapterEnv, spec.env]) {
    for (const [name, value] of Object.entries(source)) put(name, value);
  }
  return env;
}
