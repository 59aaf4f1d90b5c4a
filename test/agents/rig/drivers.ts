/**
 * How each CLI is pointed at the mock: what its user would have set up (key, address, provider, model).
 * Invariant: nothing here that an adapter is responsible for, such as permissions, retries or output format.
 */
import type { Run } from '../mock/server.js';
import { type CliName, commandOf } from './install.js';

/** An entry under `agents:` of the configuration. */
export interface AgentEntry {
  adapter: CliName;
  command: string[];
  model?: string;
  args?: string[];
  env?: Record<string, string>;
  sandboxed?: boolean;
}

export interface Setup {
  entry: AgentEntry;
  /** Files below the home folder. */
  home: Record<string, string>;
}

export interface SetupOptions {
  /** The user has a subscription, where the CLI knows the difference. */
  subscription?: boolean;
  /** Without any key. */
  anonymous?: boolean;
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
const PRICE = { input: 3, output: 15 };

type Driver = (run: Pick<Run, 'url' | 'key'>, options: SetupOptions) => Omit<Setup, 'entry'> & { entry: object };

const DRIVERS: Record<CliName, Driver> = {
  claude: ({ url, key }, { subscription, anonymous }) => ({
    entry: {
      // As in a container: the CLI refuses to skip permissions as root otherwise.
      sandboxed: true,
      env: {
        ANTHROPIC_BASE_URL: url,
        ...(anonymous ? {} : subscription ? { CLAUDE_CODE_OAUTH_TOKEN: key } : { ANTHROPIC_API_KEY: key }),
      },
    },
    home: {},
  }),
  codex: ({ url, key }, { anonymous }) => ({
    entry: { model: 'mock-model', env: anonymous ? {} : { MOCK_KEY: key } },
    home: {
      '.codex/config.toml': `model_provider = "mock"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.mock]
name = "mock"
base_url = "${url}/v1"
env_key = "MOCK_KEY"
wire_api = "responses"
`,
    },
  }),
  gemini: ({ url, key }, { anonymous }) => ({
    entry: {
      model: 'gemini-2.5-pro',
      env: { GOOGLE_GEMINI_BASE_URL: url, ...(anonymous ? {} : { GEMINI_API_KEY: key }) },
    },
    home: {
      '.gemini/settings.json': json({
        security: { auth: { selectedType: 'gemini-api-key' } },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      }),
    },
  }),
  opencode: ({ url, key }, { anonymous }) => ({
    entry: {
      model: 'mock/mock-model',
      env: { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' },
    },
    home: {
      '.config/opencode/opencode.json': json({
        autoupdate: false,
        share: 'disabled',
        provider: {
          mock: {
            npm: '@ai-sdk/openai-compatible',
            name: 'Mock',
            options: { baseURL: `${url}/v1`, ...(anonymous ? {} : { apiKey: key }) },
            models: { 'mock-model': { name: 'Mock', limit: { context: 200_000, output: 8000 }, cost: PRICE } },
          },
        },
      }),
    },
  }),
  aider: ({ url, key }, { anonymous }) => ({
    entry: {
      model: 'openai/mock-model',
      env: {
        OPENAI_API_BASE: `${url}/v1`,
        LITELLM_LOCAL_MODEL_COST_MAP: 'True',
        ...(anonymous ? {} : { OPENAI_API_KEY: key }),
      },
    },
    home: {},
  }),
  copilot: ({ url, key }, { anonymous }) => ({
    entry: {
      model: 'mock-model',
      env: {
        COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
        COPILOT_PROVIDER_TYPE: 'openai',
        COPILOT_MODEL: 'mock-model',
        COPILOT_OFFLINE: 'true',
        ...(anonymous ? {} : { COPILOT_PROVIDER_API_KEY: key }),
      },
    },
    home: {},
  }),
  qwen: ({ url, key }, { anonymous }) => ({
    entry: {
      model: 'mock-model',
      args: ['--auth-type', 'openai'],
      env: { OPENAI_BASE_URL: `${url}/v1`, ...(anonymous ? {} : { OPENAI_API_KEY: key }) },
    },
    home: {
      '.qwen/settings.json': json({
        general: { enableAutoUpdate: false, disableAutoUpdate: true },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      }),
    },
  }),
  pi: ({ url, key }, { anonymous }) => ({
    // Of a provider of one's own without a key it says that there is no such provider.
    entry: anonymous
      ? { model: 'claude-sonnet-4-5', args: ['--provider', 'anthropic'] }
      : { model: 'mock-model', args: ['--provider', 'mock'] },
    home: {
      '.pi/agent/models.json': json({
        providers: {
          mock: {
            baseUrl: `${url}/v1`,
            api: 'openai-completions',
            apiKey: key,
            models: [
              {
                ...{ id: 'mock-model', name: 'Mock', reasoning: false, input: ['text'] },
                ...{ contextWindow: 200_000, maxTokens: 8000 },
                cost: { ...PRICE, cacheRead: 0.3, cacheWrite: 3 },
              },
            ],
          },
        },
      }),
    },
  }),
};

export function setupFor(cli: CliName, run: Pick<Run, 'url' | 'key'>, options: SetupOptions = {}): Setup {
  const { entry, home } = DRIVERS[cli](run, options);
  return { entry: { adapter: cli, command: commandOf(cli), ...entry }, home };
}
