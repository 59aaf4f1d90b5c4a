/**
 * Facts about each agent CLI before it runs: its source, the release on which the adapter was tested, and a free login
 * check. Data; must import types only.
 */
import type { AgentAdapter } from '../config/agent-spec.js';

export interface CatalogEntry {
  adapter: Exclude<AgentAdapter, 'command' | 'scripted'>;
  program: string;
  /** The release with which the whole matrix of test/agents ran. */
  proven: string;
  install: string;
  login: string;
  /** One of these set is a login. */
  keys: readonly string[];
  /** One of these files is a login; below the home folder. */
  files: readonly string[];
  /** Checks the login: exit code 0 and, where given, this text in its output. Costs nothing. */
  probe?: { args: readonly string[]; says?: RegExp };
  /** How ralphctl keeps it from asking. */
  unattended: string;
  /** Its behaviour when root runs it. */
  root?: string;
}

export const CATALOG: readonly CatalogEntry[] = [
  {
    adapter: 'claude',
    program: 'claude',
    proven: '2.1.329',
    install: 'npm install -g @anthropic-ai/claude-code',
    login: 'claude /login',
    keys: [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_AUTH_TOKEN',
      'CLAUDE_CODE_OAUTH_TOKEN',
      'CLAUDE_CODE_USE_BEDROCK',
      'CLAUDE_CODE_USE_VERTEX',
    ],
    files: ['.claude/.credentials.json'],
    probe: { args: ['auth', 'status'] },
    unattended: '--dangerously-skip-permissions',
    root: 'it refuses to skip permissions as root: run as another user, or say "sandboxed: true" for the agent if this is a container made for it',
  },
  {
    adapter: 'codex',
    program: 'codex',
    proven: '0.169.0',
    install: 'npm install -g @openai/codex',
    login: 'codex login',
    keys: ['CODEX_API_KEY', 'OPENAI_API_KEY', 'AZURE_OPENAI_API_KEY'],
    files: ['.codex/auth.json'],
    probe: { args: ['login', 'status'] },
    unattended: '--dangerously-bypass-approvals-and-sandbox',
  },
  {
    adapter: 'gemini',
    program: 'gemini',
    proven: '0.61.0',
    install: 'npm install -g @google/gemini-cli',
    login: 'gemini (and follow its instructions), or set GEMINI_API_KEY',
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_GENAI_USE_GCA'],
    files: ['.gemini/oauth_creds.json'],
    unattended: '--yolo --skip-trust',
  },
  {
    adapter: 'opencode',
    program: 'opencode',
    proven: '1.18.33',
    install: 'npm install -g opencode-ai',
    login: 'opencode auth login',
    keys: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY', 'GEMINI_API_KEY', 'OPENCODE_API_KEY'],
    files: ['.local/share/opencode/auth.json'],
    probe: { args: ['auth', 'list'], says: /\b[1-9]\d* (?:credential|environment variable)/i },
    unattended: '--auto',
  },
  {
    adapter: 'aider',
    program: 'aider',
    proven: '0.86.2',
    install: 'pipx install aider-chat',
    login: 'export the key of a provider, e.g. ANTHROPIC_API_KEY',
    keys: [
      'ANTHROPIC_API_KEY',
      'OPENAI_API_KEY',
      'OPENROUTER_API_KEY',
      'GEMINI_API_KEY',
      'DEEPSEEK_API_KEY',
      'AIDER_API_KEY',
    ],
    files: ['.aider.conf.yml', '.aider/oauth-keys.env'],
    unattended: '--yes-always',
  },
  {
    adapter: 'copilot',
    program: 'copilot',
    proven: '1.0.102',
    install: 'npm install -g @github/copilot',
    login: 'copilot, then /login; or set COPILOT_GITHUB_TOKEN',
    keys: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN', 'COPILOT_PROVIDER_API_KEY'],
    files: ['.copilot/config.json'],
    unattended: '--allow-all --no-ask-user',
  },
  {
    adapter: 'qwen',
    program: 'qwen',
    proven: '0.15.10',
    install: 'npm install -g @qwen-code/qwen-code',
    login: 'qwen (and follow its instructions), or set OPENAI_API_KEY',
    keys: ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY', 'BAILIAN_CODING_PLAN_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY'],
    files: ['.qwen/oauth_creds.json'],
    unattended: '--yolo',
  },
  {
    adapter: 'pi',
    program: 'pi',
    proven: '0.73.1',
    install: 'npm install -g @mariozechner/pi-coding-agent',
    login: 'pi, then /login; or set the key of a provider',
    keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_OAUTH_TOKEN', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY'],
    files: ['.pi/agent/auth.json'],
    unattended: 'it asks nothing',
  },
];

export const catalogEntry = (adapter: AgentAdapter): CatalogEntry | undefined =>
  CATALOG.find((entry) => entry.adapter === adapter);
