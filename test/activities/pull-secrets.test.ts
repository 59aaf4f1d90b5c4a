/**
 * Secrets in what ralphctl writes to a forge: the texts of a pull request, and the comment on an issue. With the real `gh`
 * against a forge on this machine. Features: D2, F3.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/load.js';
import type { Forge } from '../support/forge/forge.js';
import { ghProgram, leftOut } from '../support/forge/programs.js';
import { yaml } from '../support/program.js';
import { say } from './bench.js';
import { idea } from './idea.js';
import { onGithub } from './pulls.js';

const gh = await ghProgram();
const KEY = 'kq83hfz02mxn55tr';

describe.skipIf(gh.path === undefined)(`D2 secrets in texts for a forge${leftOut(gh)}`, { timeout: 240_000 }, () => {
  let forge: Forge;
  afterEach(() => forge?.close());
  const ask = { tracker: 'github' as const, ref: '1' };
  const told = idea('t-1', {
    ...{ title: `Use ${KEY} for it`, text: `The key is ${KEY}.`, success: [`${KEY} works`], origin: ask },
  });

  it.each([
    { what: 'the usual texts', pr: {} },
    { what: 'templates of the project', pr: { title: `{{title}} ${KEY}`, template: 'pull.md' } },
  ])('are not in a pull request with $what, neither when it opens nor later', async ({ pr }) => {
    const on = await onGithub(gh.path, { ideas: [told], pr });
    ({ forge } = on);
    const { b, land } = on.at;
    b.env.DEPLOY_KEY = KEY;
    // A commit whose message has it would not leave at all.
    await b.setAgent(
      `cat > /dev/null\necho one > t-1.txt; git add t-1.txt; git commit --quiet --message one\n${say('COMPLETE')}`,
    );
    const place = await b.prepare();
    const { head: first } = await b.call(b.activities.runAgent, b.agentInput(place)).done;
    const { worktree, branch, base } = place;
    const input = { ...b.ref, idea: 't-1', title: 'Do t-1', agentName: 'ed-001', worktree, branch, base, head: first };
    await b.write({ 'pull.md': `By ${KEY}: {{title}}\n\n{{text}}\n{{criteria}}\n{{how}}\n` });
    expect(await land(input)).toMatchObject({ kind: 'in-review' });
    const [opened] = [...on.pulls.values()].map(({ title, body }) => ({ title, body }));
    await b.write({ 't-1.txt': 'more\n' }, input.worktree);
    await b.gitIn(input.worktree, 'commit', '--quiet', '--all', '--message', 'fix: the name');
    const head = await b.gitIn(input.worktree, 'rev-parse', 'HEAD');
    expect(await land({ ...input, head })).toMatchObject({ kind: 'in-review' });
    const [later] = [...on.pulls.values()].map(({ title, body }) => ({ title, body }));
    expect(later?.body).not.toBe(opened?.body);
    for (const one of [opened, later]) {
      expect(one?.title).toContain('Use [redacted] for it');
      expect(one?.body).toMatch(/The key is \[redacted\]\.[\s\S]*\[redacted\] works/);
      expect(JSON.stringify(one)).not.toContain(KEY);
    }
    expect(JSON.stringify(forge.requests)).not.toContain(KEY);
  });

  it('are not in the comment on an issue, whatever an agent asks or a run ends with', async () => {
    const on = await onGithub(gh.path, { ideas: [told] });
    ({ forge } = on);
    const { b } = on.at;
    b.env.DEPLOY_KEY = KEY;
    const issue = forge.world.issue(on.repo, { title: 'Use it', number: 1 });
    const backlog = { tracker: 'github', repository: 'github.localhost/me/shop', write: true };
    const agents = { sh: { adapter: 'command', command: ['true'] } };
    const config = parseConfig(yaml({ version: 1, agent: 'sh', agents, backlog }), 'ralphctl.yaml');
    const runId = '20260102-000000-bbbb';
    await b.laterRun(runId, { config, backlog: { ...b.file.backlog, from: 'me/shop' } });
    const ref = { ...b.ref, runId };
    const item = { idea: 't-1', life: 1, reason: `May ${KEY} be used?` };
    expect(await b.call(b.activities.claimItem, { ...ref, idea: 't-1', life: 1 }).done).toEqual({ kind: 'ok' });
    for (const state of ['asks', 'released'] as const) {
      expect(await b.call(b.activities.tellTracker, { ...ref, item: { ...item, state } }).done).toEqual({ kind: 'ok' });
      expect(issue.comments.at(-1)?.body).toContain('May [redacted] be used?');
    }
    expect(JSON.stringify([...issue.comments, ...forge.requests])).not.toContain(KEY);
  });
});
