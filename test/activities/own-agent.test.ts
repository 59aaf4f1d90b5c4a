/** The example of an agent outside the core works an idea, and its work lands. Features: B1 B4. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { bench } from './bench.js';

const EXAMPLE = fileURLToPath(new URL('../../examples/agents/agent.mjs', import.meta.url));

it('examples/agents: an idea is worked by it and lands, with its use and its session', {
  timeout: 60_000,
}, async () => {
  const b = await bench({ output: 'json', agent: `exec '${process.execPath}' '${EXAMPLE}'` });
  const at = await b.prepare();
  const ran = await b.call(b.activities.runAgent, b.agentInput(at)).done;
  expect(ran).toMatchObject({
    ...{ outcome: { kind: 'ok' }, signal: { kind: 'complete' }, changed: true, model: 'none' },
    usage: { inputTokens: 100, outputTokens: 10 },
  });
  const { worktree, branch, base } = at;
  const work = { title: 'First', agentName: 'ed-001', worktree, branch, base, head: ran.head };
  const landed = await b.call(b.activities.landIdea, { ...b.ref, idea: 't-1', ...work }).done;
  expect(landed).toMatchObject({ kind: 'landed' });
  expect(await b.git('show', 'main:DONE.md')).toMatch(/^- t-1, iteration 1: a prompt of \d+ lines$/);
});

it('docs/agents.md: the smallest program lands its idea', { timeout: 60_000 }, async () => {
  const docs = await readFile(new URL('../../docs/agents.md', import.meta.url), 'utf8');
  const [, program = ''] = /```sh\n#!\/bin\/sh\n(cat > prompt\.txt.*?)```/s.exec(docs) ?? [];
  expect(program).toContain('RALPHCTL_NONCE');
  const b = await bench({ agent: program });
  const ran = await b.runAgent();
  expect(ran).toMatchObject({ signal: { kind: 'complete' }, changed: true });
});
