import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type ExecuteAgentInput, executeAgent } from '../../../src/agents/execute.js';
import type { AgentSpec } from '../../../src/config/agent-spec.js';
import { findByToken, killByToken } from '../../../src/process/tokens.js';

export const FIXTURES = new URL('../../fixtures/agents/', import.meta.url).pathname;

export const spec = (more: Partial<AgentSpec> = {}): AgentSpec => ({
  ...{ name: 'tester', adapter: 'command', args: [], env: {}, passEnv: [], sandboxed: false },
  ...more,
});

export async function tempDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'ralph-agents-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

/** Writes a shell script and gives the command that runs it. */
export async function shellAgent(script: string): Promise<string[]> {
  const file = join(await tempDir(), 'agent.sh');
  await writeFile(file, script);
  return ['/bin/sh', file];
}

/** A program that answers with a recorded run, whatever it is asked. */
export const replay = (fixture: string): Promise<string[]> =>
  shellAgent(`cat > /dev/null
cat '${FIXTURES}${fixture}.stdout'
cat '${FIXTURES}${fixture}.stderr' >&2
end=$(cat '${FIXTURES}${fixture}.exit')
case "$end" in
  *killed*) exec sleep 600 ;;
  signal*) kill -s "\${end#signal SIG}" $$ ;;
  *) exit "$end" ;;
esac
`);

export async function input(
  agent: Partial<AgentSpec>,
  more: Partial<ExecuteAgentInput> = {},
): Promise<ExecuteAgentInput> {
  const dir = await tempDir();
  const cwd = join(dir, 'tree');
  await mkdir(cwd);
  const project = `test-${randomUUID()}`;
  onTestFinished(async () => {
    await killByToken(project, 0);
  });
  return {
    spec: spec(agent),
    prompt: 'Do it.',
    cwd,
    nonce: 'n0nce',
    idea: 'task-001',
    iteration: 2,
    scratch: dir,
    outputFile: join(dir, 'output.log'),
    token: `${project}/run/task-001/1/x`,
    timeoutMs: 30_000,
    killGraceMs: 200,
    ...more,
  };
}

export async function execute(agent: Partial<AgentSpec>, more: Partial<ExecuteAgentInput> = {}) {
  const given = await input(agent, more);
  const result = await executeAgent(given);
  return { ...result, left: await findByToken(given.token) };
}
