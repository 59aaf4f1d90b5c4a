import { describe, expect, it } from 'vitest';
import { defaultConfig, parseConfig } from '../../../src/config/load.js';
import { ConfigError } from '../../../src/config/problems.js';
import { settingsOf } from '../../../src/run-files/settings.js';

const problems = (text: string, file = 'ralphctl.yaml'): string => {
  try {
    parseConfig(text, file);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
};

describe('defaults', () => {
  it('fills in everything for an empty file', () => {
    expect(parseConfig('', 'ralphctl.yaml')).toEqual(defaultConfig());
    expect(parseConfig('# only a comment\n', 'ralphctl.yaml')).toEqual(defaultConfig());
    expect(parseConfig('{}', 'ralphctl.json')).toEqual(defaultConfig());
  });

  it('has the documented figures', () => {
    const config = defaultConfig();
    expect(config).toMatchObject({
      version: 1,
      slots: 3,
      agent: 'claude',
      agents: {},
      gate: { commands: [], timeoutMinutes: 20, when: 'claim' },
      setup: { copy: [], timeoutMinutes: 10 },
      maxIterations: 50,
      timeoutMinutes: 30,
      iterationTimeoutMinutes: 30,
      idleTimeoutMinutes: 10,
      stepDelayMs: 500,
      autoCommit: true,
      commit: { hooks: false, sign: false, type: 'feat' },
      weights: { unblocks: 10, critical: 50, quickWin: 30, nearComplete: 20, retry: -15 },
      landing: { strategy: 'rebase', maxRounds: 2, tick: true },
      signals: { requireXml: true },
      errors: { strategy: 'retry', maxRetries: 2, retryBaseMs: 2000, threshold: 3 },
      limits: { maxRateLimitRetries: 3, backoffMs: 5000, factor: 3, recoverPrimary: true },
      fallback: [],
      logs: { maxMegabytesPerRun: 256 },
    });
    expect(config.worktrees.keep).toEqual(expect.arrayContaining(['node_modules', '.venv', 'vendor/bundle', 'target']));
    expect('target' in config).toBe(false);
  });

  it('never shares them between two calls', () => {
    defaultConfig().fallback.push('codex');
    expect(defaultConfig().fallback).toEqual([]);
  });
});

/** What looks closer at a gate, as it is by default. */
const CLOSER_LOOK = {
  baseline: 'ask',
  rerun: true,
  reuse: true,
  baseTests: 'ask',
  passEnv: [],
  protect: [],
  tripwires: { deletedTests: 'ask', newSkips: 'ask', gateFiles: 'ask' },
};

describe('values', () => {
  it('reads a whole file, YAML and JSON alike', () => {
    const value = {
      $schema: './schemas/ralphctl.schema.json',
      version: 1,
      target: 'release/2.x',
      slots: 8,
      agent: 'mine',
      agents: { mine: { adapter: 'command', command: 'run \'two words\' --x="a b"', passEnv: ['API_KEY'] } },
      gate: ['npm test', { run: ['make', 'lint'], timeoutMinutes: 0.5, reports: ['out/*.xml'] }],
      fallback: ['codex', 'mine'],
    };
    const config = parseConfig(JSON.stringify(value), 'ralphctl.json');
    expect(parseConfig(JSON.stringify(value, null, '\t'), 'ralphctl.yaml')).toEqual(config);
    // A run keeps its configuration as JSON: reading that again must change nothing.
    expect(parseConfig(JSON.stringify(config), 'ralphctl.json')).toEqual(config);
    expect(config.agents.mine).toEqual({
      adapter: 'command',
      command: ['run', 'two words', '--x=a b'],
      args: [],
      env: {},
      passEnv: ['API_KEY'],
      output: 'text',
      sandboxed: false,
    });
    expect(config.gate).toEqual({
      ...CLOSER_LOOK,
      timeoutMinutes: 20,
      when: 'claim',
      commands: [
        { name: 'npm test', run: 'npm test', timeoutMinutes: 20, reports: [] },
        { name: 'make lint', run: ['make', 'lint'], timeoutMinutes: 0.5, reports: ['out/*.xml'] },
      ],
    });
  });

  it('keeps the locks of a gate command, and gives their wait its time', () => {
    const withLocks = (locks: string[]) =>
      parseConfig(JSON.stringify({ version: 1, slots: 3, gate: [{ run: 'make', locks }, 'true'] }), 'ralphctl.json');
    const config = withLocks(['db']);
    expect(config.gate.commands).toMatchObject([{ name: 'make', locks: ['db'] }, { name: 'true' }]);
    expect(parseConfig(JSON.stringify(config), 'ralphctl.json')).toEqual(config);
    expect(settingsOf(config).times?.gateMs).toBe((1 + 3 + 1) * 20 * 60_000);
    expect(() => withLocks(['../db'])).toThrow('must be a short name of letters, digits, "-" and "_"');
  });

  it('gives a gate that waits for those ahead of it their time', () => {
    const times = (landing: object, gate: object = {}) =>
      settingsOf(
        parseConfig(JSON.stringify({ version: 1, gate: { commands: ['make'], ...gate }, landing }), 'ralphctl.json'),
      ).times;
    expect(times({})).not.toHaveProperty('ahead');
    expect(times({ parallel: 1 })).not.toHaveProperty('ahead');
    expect(times({ parallel: 4 })).toMatchObject({ ahead: 4 });
    expect(times({ parallel: 100 })).toMatchObject({ ahead: 16 });
    expect(times({ parallel: 4 }, { reuse: false })).not.toHaveProperty('ahead');
  });

  it('gives gate commands the timeout of the gate', () => {
    const { gate } = parseConfig('gate:\n  timeoutMinutes: 3\n  when: always\n  commands: [make]\n', 'ralphctl.yaml');
    expect(gate).toEqual({
      ...CLOSER_LOOK,
      timeoutMinutes: 3,
      when: 'always',
      commands: [{ name: 'make', run: 'make', timeoutMinutes: 3, reports: [] }],
    });
  });

  it('takes keys without a value as absent', () => {
    expect(parseConfig('agents:\n  # claude:\ngate:\nslots: 4\n', 'ralphctl.yaml').slots).toBe(4);
  });

  it('lets an agent named like an adapter leave the adapter out', () => {
    expect(parseConfig('agents:\n  codex: {model: o9}\n', 'ralphctl.yaml').agents.codex).toMatchObject({
      adapter: 'codex',
      model: 'o9',
    });
  });
});

describe('errors', () => {
  it.each([
    ['slots: 4\nslotz: 5\n', 'ralphctl.yaml:2: unknown key "slotz"; did you mean "slots"?'],
    ['max_iterations: 5\n', 'ralphctl.yaml:1: unknown key "max_iterations"; did you mean "maxIterations"?'],
    ['landing:\n  stratgy: merge\n', 'ralphctl.yaml:2: unknown key "stratgy" in landing; did you mean "strategy"?'],
    [
      'agents:\n  x:\n    adapter: command\n    command: y\n    modle: z\n',
      'ralphctl.yaml:5: unknown key "modle" in agents.x; did you mean "model"?',
    ],
    [
      'gate:\n  commands:\n    - run: make\n      tiemoutMinutes: 3\n',
      'ralphctl.yaml:4: unknown key "tiemoutMinutes" in gate.commands[0]; did you mean "timeoutMinutes"?',
    ],
    ['version: 2\n', 'ralphctl.yaml:1: version must be 1, not 2'],
    ['\n\nslots: lots\n', 'ralphctl.yaml:3: slots must be a number, not text ("lots")'],
    ['slots: 0\n', 'ralphctl.yaml:1: slots must be at least 1, not 0'],
    ['slots: 101\n', 'ralphctl.yaml:1: slots must be at most 100, not 101'],
    ['slots: 2.5\n', 'ralphctl.yaml:1: slots must be a whole number, not 2.5'],
    [
      'retention: { saveDays: 1.5 }\n',
      'ralphctl.yaml:1: retention.saveDays must be a whole number or "never", not 1.5',
    ],
    [
      'retention: { saveDays: nver }\n',
      'ralphctl.yaml:1: retention.saveDays must be a number or "never", not text ("nver")',
    ],
    [
      'metrics: { listen: "0.0.0.0:9464" }\n',
      'ralphctl.yaml:1: metrics.listen is no loopback address: "0.0.0.0:9464"; everyone who reaches it could read the metrics. Use 127.0.0.1:9464, or allow it with metrics.loopbackOnly: false',
    ],
    ['retention: { saveDays: 0 }\n', 'ralphctl.yaml:1: retention.saveDays must be at least 1, not 0'],
    ['timeoutMinutes: 0\n', 'ralphctl.yaml:1: timeoutMinutes must be more than 0, not 0'],
    ['gate: npm test\n', 'ralphctl.yaml:1: gate must be a list or a map of keys, not text ("npm test")'],
    ['gate: [3]\n', 'ralphctl.yaml:1: gate[0] must be text or a map of keys, not 3'],
    [
      'landing:\n  mode: push\n  stack: true\n',
      'ralphctl.yaml:3: landing.stack is for landing.mode: pr only, and this one is push: without pull requests nothing can be on top of one. Set landing.mode: pr, or remove it',
    ],
    [
      'landing: {stack: true}\n',
      'ralphctl.yaml:1: landing.stack is for landing.mode: pr only, and this one is local: without pull requests nothing can be on top of one. Set landing.mode: pr, or remove it',
    ],
    [
      'landing: {strategy: sqash}\n',
      'ralphctl.yaml:1: landing.strategy must be one of "rebase", "merge", "squash", not "sqash"; did you mean "squash"?',
    ],
    [
      'agents:\n  claude:\n    env:\n      PORT: 3000\n',
      'ralphctl.yaml:4: agents.claude.env.PORT must be text, not 3000; put it in quotes: "3000"',
    ],
    [
      'agents:\n  fast: {model: m}\n',
      'ralphctl.yaml:2: agents.fast.adapter is missing: use one of claude, codex, gemini, opencode, aider, copilot, qwen, pi, command, scripted',
    ],
    [
      'agents:\n  fast: {adapter: command}\n',
      'ralphctl.yaml:2: agents.fast.command is missing: adapter "command" needs it',
    ],
    [
      'agents:\n  fast: {adapter: command, command: "a | b"}\n',
      'ralphctl.yaml:2: agents.fast.command is not a plain command: "|" needs a shell: write ["sh", "-c", "…"]',
    ],
    [
      'agents:\n  opencode:\n    maxTurns: 3\n',
      'ralphctl.yaml:3: agents.opencode.maxTurns is not supported by opencode, only by claude, qwen. Use args for the CLI’s own options',
    ],
    [
      'agents:\n  gemini:\n    stronger: {effort: high}\n',
      'ralphctl.yaml:3: agents.gemini.stronger names an effort, which gemini does not support; name a model',
    ],
    [
      'agents:\n  opencode:\n    model: a/small\n    stronger: {model: b/big}\n',
      'ralphctl.yaml:4: agents.opencode.stronger names a model of another provider (b/big) than the agent\'s own (a/small); define another agent for it, and name that under "fallback"',
    ],
    ['agents:\n  claude:\n    stronger: {}\n', 'ralphctl.yaml:3: agents.claude.stronger needs model or effort'],
    [
      'agents:\n  scripted:\n    stronger: {model: big}\n',
      'ralphctl.yaml:3: agents.scripted.stronger needs an agent with a model; "scripted" has none',
    ],
    [
      'agents:\n  pi:\n    failures: [{match: "(", kind: limited}]\n',
      'ralphctl.yaml:3: agents.pi.failures[0].match is not a valid regular expression',
    ],
    [
      'agent: claud\n',
      'ralphctl.yaml:1: agent names an agent that does not exist: "claud"; did you mean "claude"? (known agents: claude, codex, gemini, opencode, aider, copilot, qwen, pi, scripted)',
    ],
    [
      'agents: {slow: {adapter: codex}}\nfallback:\n  - codex\n  - telepathy\n',
      'ralphctl.yaml:4: fallback[1] names an agent that does not exist: "telepathy"; known agents: claude, codex, gemini, opencode, aider, copilot, qwen, pi, scripted, slow',
    ],
    [
      'triage: {agent: claud}\n',
      'ralphctl.yaml:1: triage.agent names an agent that does not exist: "claud"; did you mean "claude"? (known agents: claude, codex, gemini, opencode, aider, copilot, qwen, pi, scripted)',
    ],
    ['target: refs/heads/main\n', 'ralphctl.yaml:1: target must be the name of a branch, such as "main"'],
    [
      'prompt: {template: ../x.md}\n',
      'ralphctl.yaml:1: prompt.template must be a path inside the repository, relative to its root',
    ],
    ['slots: 1\nslots: 2\n', 'ralphctl.yaml:2: this key appears twice'],
    ['- a\n', 'ralphctl.yaml:1: the file must be a map of keys, not a list'],
  ])('%j', (text, message) => {
    expect(problems(text)).toBe(message);
  });

  it.each(['9464', '"127.0.0.1"', '"127.0.0.1:0"', '"127.0.0.1:99999"', '"http://127.0.0.1:9464"'])(
    'metrics.listen: %s',
    (listen) => {
      expect(problems(`metrics: { listen: ${listen} }\n`)).toMatch(
        /^ralphctl\.yaml:1: metrics\.listen must be (?:text|an address and a port from 1 to 65535)/,
      );
    },
  );

  it('takes loopback addresses for metrics, and others only when told', () => {
    for (const listen of ['127.0.0.1:9464', '127.3.4.5:1', 'localhost:65535', '[::1]:9464'])
      expect(problems(`metrics: { listen: "${listen}" }\n`), listen).toBe('');
    for (const listen of [
      '0.0.0.0:9464',
      '[::]:9464',
      '10.1.2.3:9464',
      'metrics.example:9464',
      '127.0.0.1.example:1',
    ]) {
      expect(problems(`metrics: { listen: "${listen}" }\n`), listen).toContain('is no loopback address');
      expect(problems(`metrics: { listen: "${listen}", loopbackOnly: false }\n`), listen).toBe('');
    }
  });

  it('takes keys of payloads with an id and one place each, and a codec server on loopback', () => {
    const keys = (text: string): string => problems(`payloads: { encryption: { keys: [${text}] } }\n`);
    for (const good of ['{id: a, file: /k}', '{id: a, file: ~/k}', '{id: a, env: KEY}', '{id: a, command: "pass k"}'])
      expect(keys(good), good).toBe('');
    expect(keys('{id: b, command: [pass, k]}, {id: a, env: KEY}')).toBe('');
    expect(keys('{id: a}')).toContain('key "a" needs exactly one of file, env, command');
    expect(keys('{id: a, env: KEY, file: /k}')).toContain('exactly one');
    expect(keys('{id: a, env: KEY}, {id: a, file: /k}')).toContain('is used twice: "a"');
    expect(keys('{id: a, file: keys/k}')).toContain('absolute path');
    expect(keys('{file: /k}')).toContain('id');
    const server = (text: string): string => problems(`payloads: { codecServer: { ${text} } }\n`);
    expect(server('listen: "127.0.0.1:8765", origins: ["http://localhost:8080"]')).toBe('');
    expect(server('listen: "0.0.0.0:8765"')).toContain('is no loopback address');
    expect(server('listen: "0.0.0.0:8765", loopbackOnly: false')).toBe('');
    for (const origin of ['*', 'localhost:8080', 'http://a.example/ui', 'null'])
      expect(server(`origins: ["${origin}"]`), origin).toContain('must be an origin');
  });

  it('names all problems at once, in the order of the file', () => {
    expect(
      problems('slots: 0\nagent: 3\nfoo: 1\nmaxIterations: many\n')
        .split('\n')
        .map((l) => l.slice(0, 22)),
    ).toEqual(['ralphctl.yaml:1: slots', 'ralphctl.yaml:2: agent', 'ralphctl.yaml:3: unkno', 'ralphctl.yaml:4: maxIt']);
  });

  it.each([
    [
      '{\n  "slots": 1,\n}\n',
      'ralphctl.json:3: not valid JSON: unexpected "}"; JSON has no comments and no trailing commas',
    ],
    ['{\n  // x\n}', 'ralphctl.json:2: not valid JSON: unexpected "/"; JSON has no comments and no trailing commas'],
    [
      '{"slots": 1',
      'ralphctl.json:1: not valid JSON: the file ends too early; JSON has no comments and no trailing commas',
    ],
    ['{"slots": 1,\n\t"slots": 2}', 'ralphctl.json:2: this key appears twice'],
    ['{\n\t"slots": "many"\n}', 'ralphctl.json:2: slots must be a number, not text ("many")'],
  ])('JSON %j', (text, message) => {
    expect(problems(text, 'ralphctl.json')).toBe(message);
  });

  it('reports broken YAML with its line', () => {
    expect(problems('slots: 1\nagents: {a: [}\n')).toMatch(/^ralphctl\.yaml:2: not valid YAML: /);
  });

  it('is not blown up by aliases', () => {
    const rows = Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(10)}]`);
    expect(problems(`a0: &a0 [x]\n${rows.join('\n')}\n`)).toMatch(/cannot be read: .*alias/i);
  });
});
