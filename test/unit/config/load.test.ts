import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BUILT_IN_AGENTS } from '../../../src/config/agent-spec.js';
import { defaultConfig, loadConfig, parseConfig } from '../../../src/config/load.js';
import { ConfigError } from '../../../src/config/problems.js';
import { agentNames, resolveAgent } from '../../../src/config/schema/config.js';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ralphctl-config-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

it('comes back with the defaults and no file where there is none', async () => {
  expect(await loadConfig(dir)).toEqual({ config: defaultConfig(), given: new Set() });
});

it.each([
  ['ralphctl.yaml', 'slots: 7\n'],
  ['ralphctl.yml', '\uFEFFslots: 7\r\n'],
  ['ralphctl.json', '{"slots": 7}'],
])('reads %s', async (name, text) => {
  await writeFile(join(dir, name), text);
  const { config, file } = await loadConfig(dir);
  expect(config.slots).toBe(7);
  expect(file).toBe(join(dir, name));
});

it('refuses two files and names both', async () => {
  await writeFile(join(dir, 'ralphctl.yml'), '');
  await writeFile(join(dir, 'ralphctl.json'), '{}');
  const error = await loadConfig(dir).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(ConfigError);
  expect(String(error)).toContain(join(dir, 'ralphctl.yml'));
  expect(String(error)).toContain(join(dir, 'ralphctl.json'));
});

it('says so when the file cannot be read', async () => {
  await mkdir(join(dir, 'ralphctl.yaml'));
  await expect(loadConfig(dir)).rejects.toThrow(/ralphctl\.yaml:1: this is a folder, not a file/);
});

it('resolves built-in, changed and new agents', () => {
  const config = parseConfig(
    'agents:\n  claude: {model: opus, env: {A: b}}\n  mine: {adapter: command, command: [my, agent], output: json, sandboxed: true}\n',
    'ralphctl.yaml',
  );
  const bare = { args: [], env: {}, passEnv: [], sandboxed: false };
  expect(resolveAgent(config, 'codex')).toEqual({ ...bare, name: 'codex', adapter: 'codex' });
  expect(resolveAgent(config, 'claude')).toEqual({
    ...bare,
    name: 'claude',
    adapter: 'claude',
    model: 'opus',
    env: { A: 'b' },
  });
  expect(resolveAgent(config, 'mine')).toEqual({
    ...bare,
    name: 'mine',
    adapter: 'command',
    command: ['my', 'agent'],
    output: 'json',
    sandboxed: true,
  });
  expect(agentNames(config)).toEqual([...BUILT_IN_AGENTS, 'mine']);
  expect(() => resolveAgent(config, 'mines')).toThrow(/no agent "mines"; did you mean "mine"\?/);
  expect(() => resolveAgent(config, 'toString')).toThrow(/no agent "toString"/);
});

it('B4: an agent is made stronger where it can be, and only when asked to', () => {
  const stronger = { model: 'opus', effort: 'high' };
  const config = parseConfig(
    JSON.stringify({ agents: { claude: { model: 'sonnet', maxTurns: 9, stronger } } }),
    'ralphctl.json',
  );
  const usual = {
    ...{ args: [], env: {}, passEnv: [], sandboxed: false },
    name: 'claude',
    adapter: 'claude',
    maxTurns: 9,
  };
  expect(resolveAgent(config, 'claude')).toEqual({ ...usual, model: 'sonnet' });
  expect(resolveAgent(config, 'claude', true)).toEqual({ ...usual, ...stronger });
  expect(resolveAgent(config, 'codex', true)).toEqual(resolveAgent(config, 'codex'));
});

it.each([
  ['a device', (file: string) => symlink('/dev/zero', file), /not a regular file/],
  ['a pipe', (file: string) => execa('mkfifo', [file]), /not a regular file/],
  ['too large', (file: string) => writeFile(file, '#'.repeat(1024 * 1024 + 1)), /larger than 1 MB/],
  [
    'text with a NUL',
    (file: string) => writeFile(file, 'slots: 2\nagent: "a\\0b"\n'),
    /:2: a NUL character is not allowed in "agent"/,
  ],
])('refuses %s as its configuration, at once', async (_, make, message) => {
  await make(join(dir, 'ralphctl.yaml'));
  await expect(loadConfig(dir)).rejects.toThrow(message);
});
