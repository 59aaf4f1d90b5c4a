import { describe, expect, it } from 'vitest';
import { agentEnvironment } from '../../../src/agents/environment.js';
import { spec } from './helpers.js';

const BASE = {
  ...{ PATH: '/bin', HOME: '/h', LC_ALL: 'C', LC_TIME: 'C', XDG_CACHE_HOME: '/c', HTTPS_PROXY: 'p', TERM: 'xterm' },
  ...{ ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o', AWS_SECRET_ACCESS_KEY: 's', DATABASE_URL: 'd', GITHUB_TOKEN: 'g' },
  ...{
    TEMPORAL_ADDRESS: 't',
    TEMPORAL_API_KEY: 't',
    RALPHCTL_HOME: '/r',
    CLAUDECODE: '1',
    npm_config_local_prefix: '/x',
  },
};

describe('the environment of an agent', () => {
  it('is an allow-list', () => {
    const env = agentEnvironment(spec({ adapter: 'claude' }), BASE);
    expect(env).toMatchObject({ PATH: '/bin', HOME: '/h', LC_TIME: 'C', XDG_CACHE_HOME: '/c', HTTPS_PROXY: 'p' });
    for (const name of [
      'DATABASE_URL',
      'GITHUB_TOKEN',
      'OPENAI_API_KEY',
      'AWS_SECRET_ACCESS_KEY',
      'npm_config_local_prefix',
    ]) {
      expect(env).not.toHaveProperty(name);
    }
    expect(env.ANTHROPIC_API_KEY).toBe('a');
  });

  it('takes locale and folders by name: a secret that is called LC_ or XDG_ something stays behind', () => {
    const base = { ...BASE, LC_MYSECRET: 's', XDG_TOKEN: 's', LC_CTYPE: 'C.UTF-8', XDG_RUNTIME_DIR: '/run' };
    const env = agentEnvironment(spec({ adapter: 'claude' }), base);
    expect(env).toMatchObject({ LC_ALL: 'C', LC_CTYPE: 'C.UTF-8', XDG_RUNTIME_DIR: '/run' });
    expect(Object.keys(env)).not.toContain('LC_MYSECRET');
    expect(Object.keys(env)).not.toContain('XDG_TOKEN');
    expect(agentEnvironment(spec({ passEnv: ['LC_MYSECRET'] }), base).LC_MYSECRET).toBe('s');
  });

  it('has the keys of its own CLI only', () => {
    const codex = agentEnvironment(spec({ adapter: 'codex' }), BASE);
    expect(codex.OPENAI_API_KEY).toBe('o');
    expect(codex).not.toHaveProperty('ANTHROPIC_API_KEY');
    expect(agentEnvironment(spec({ adapter: 'scripted' }), BASE)).not.toHaveProperty('OPENAI_API_KEY');
    const bedrock = agentEnvironment(spec({ adapter: 'claude' }), { ...BASE, CLAUDE_CODE_USE_BEDROCK: '1' });
    expect(bedrock.AWS_SECRET_ACCESS_KEY).toBe('s');
  });

  it('takes what the configuration asks for, except what never passes', () => {
    const never = { TEMPORAL_ADDRESS: 'x', temporal_namespace: 'x', RALPHCTL_HOME: 'x', CLAUDECODE: 'x' };
    const env = agentEnvironment(
      spec({
        passEnv: ['DATABASE_URL', 'RALPHCTL_HOME', 'TEMPORAL_API_KEY'],
        env: { MODE: 'night', CI: '', ...never },
      }),
      BASE,
      { ...never, MODE: 'day', FROM: 'adapter' },
    );
    expect(env).toMatchObject({ DATABASE_URL: 'd', MODE: 'night', FROM: 'adapter', CI: '' });
    expect(Object.keys(env).filter((name) => /temporal|RALPHCTL_|CLAUDECODE/i.test(name))).toEqual([]);
  });

  it('says that nobody is there', () => {
    expect(agentEnvironment(spec(), BASE)).toMatchObject({
      ...{ CI: '1', TERM: 'dumb', PAGER: 'cat', GIT_PAGER: 'cat', GIT_EDITOR: 'true', GIT_TERMINAL_PROMPT: '0' },
      ...{ DEBIAN_FRONTEND: 'noninteractive' },
    });
  });

  it('leaves out what would make the start fail', () => {
    const env = agentEnvironment(spec({ env: { 'A=B': 'x', '': 'x', NUL: 'a\0b', OK: 'x' } }), { PATH: undefined });
    expect(env.OK).toBe('x');
    expect(Object.keys(env)).not.toContain('NUL');
    expect(Object.keys(env).filter((name) => name === '' || name.includes('='))).toEqual([]);
    expect(env).not.toHaveProperty('PATH');
  });
});
