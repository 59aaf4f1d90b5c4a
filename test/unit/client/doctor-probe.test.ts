/** `doctor --probe` tells why an agent gives no answer. Feature: A7. */
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { probeAgent } from '../../../src/client/doctor/agents.js';
import { parseConfig } from '../../../src/config/load.js';
import { resolveAgent } from '../../../src/config/schema/config.js';
import { makeRepo, put } from '../git/repo.js';

const TRACEBACK = `Traceback (most recent call last):
  File "agent.py", line 3, in <module>
    main()
ModuleNotFoundError: No module named 'openai'
`;

it('the cause of a traceback is told: it is the last line', async () => {
  const repo = await makeRepo({ 'a.txt': 'a' });
  onTestFinished(() => repo.remove());
  await put(repo.scratch, { agent: `#!/bin/sh\ncat >&2 <<'END'\n${TRACEBACK}END\nexit 1\n` });
  const program = join(repo.scratch, 'agent');
  await chmod(program, 0o755);
  const config = parseConfig(
    `version: 1\nagent: mine\nagents: {mine: {adapter: command, command: [${program}], output: text}}\n`,
    'ralphctl.yaml',
  );
  const context = { cwd: repo.root, root: repo.scratch, cacheRoot: repo.scratch, env: process.env, json: false };
  const check = await probeAgent(context, resolveAgent(config, 'mine'));
  expect(check).toMatchObject({
    state: 'fail',
    found: expect.stringMatching(
      /ended with exit code 1: Traceback .* · ModuleNotFoundError: No module named 'openai'$/,
    ),
  });
  expect(check.found).not.toContain('\n');
});
