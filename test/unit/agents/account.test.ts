import { describe, expect, it } from 'vitest';
import { accountKey } from '../../../src/agents/account.js';
import { spec } from './helpers.js';

const BASE = { HOME: '/home/u', PATH: '/bin', ANTHROPIC_API_KEY: 'sk-one', OPENAI_API_KEY: 'sk-two' };
const claude = (more: Parameters<typeof spec>[0] = {}, base: NodeJS.ProcessEnv = BASE) =>
  accountKey(spec({ adapter: 'claude', name: 'claude', ...more }), base);

describe('B8: the account of an agent', () => {
  it('is the same for two agents that show the same credential', () => {
    expect(claude({ name: 'careful', model: 'opus', args: ['--max-turns', '3'], sandboxed: true })).toBe(claude());
    expect(claude({}, { ...BASE, OPENAI_API_KEY: 'other', TERM: 'x', PATH: '/elsewhere' })).toBe(claude());
    expect(claude({ command: ['/opt/bin/claude'] })).toBe(claude({ command: ['claude'] }));
  });

  it.each([
    ['another key', { env: { ANTHROPIC_API_KEY: 'sk-three' } }],
    ['another login', { env: { CLAUDE_CONFIG_DIR: '/home/u/.claude-work' } }],
    ['another home', { env: { HOME: '/home/v' } }],
    ['another provider behind the same key', { env: { ANTHROPIC_BASE_URL: 'http://proxy' } }],
    ['another adapter', { adapter: 'codex' as const }],
    ['a profile', { args: ['--profile', 'work'] }],
    ['a profile, written together', { args: ['--profile=work'] }],
    ['a provider in the model', { model: 'openrouter/opus' }],
  ])('differs for %s', (_what, more) => {
    expect(claude(more)).not.toBe(claude());
  });

  it('tells two programs of the user apart, but not where they lie', () => {
    const of = (program: string) => accountKey(spec({ adapter: 'command', command: [program, '--yes'] }), BASE);
    expect(of('/a/amp')).toBe(of('/b/amp'));
    expect(of('amp')).not.toBe(of('goose'));
  });

  it('gives nothing of the credential away', () => {
    expect(claude()).toMatch(/^claude:[0-9a-f]{16}$/);
  });
});
