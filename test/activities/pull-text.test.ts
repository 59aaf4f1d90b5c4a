/**
 * The text of an open pull request after further commits, step by step, with the real `gh` against a forge on this
 * machine. Features: D2, C1.
 */
import { afterEach, describe, expect, it } from 'vitest';
import type { LandInput } from '../../src/protocol/git-work.js';
import { loadRun } from '../../src/run-files/run.js';
import type { Forge } from '../support/forge/forge.js';
import { ghProgram, leftOut } from '../support/forge/programs.js';
import { mergePull, type Pull } from '../support/forge/pulls.js';
import { onGithub, reviewOf } from './pulls.js';
import type { Pushing } from './pushing.js';

const gh = await ghProgram();

describe.skipIf(gh.path === undefined)(`D2 the text of a pull request${leftOut(gh)}`, { timeout: 240_000 }, () => {
  let forge: Forge;
  let at: Pushing;
  let input: LandInput;
  let pull: Pull;
  afterEach(() => forge?.close());

  async function inReview(): Promise<void> {
    const on = await onGithub(gh.path, {});
    ({ forge, at } = on);
    input = await at.works('t-1');
    expect(await at.land(input)).toMatchObject({ kind: 'in-review' });
    pull = [...on.pulls.values()][0] as Pull;
  }
  /** Its agent makes another commit, which goes into review. */
  async function landsMore(text: string): Promise<void> {
    const { worktree } = input;
    await at.b.write({ 't-1.txt': `${text}\n` }, worktree);
    await at.b.gitIn(worktree, 'commit', '--quiet', '--all', '--message', text);
    input = { ...input, head: await at.b.gitIn(worktree, 'rev-parse', 'HEAD') };
  }
  const edits = () => forge.writes().filter(({ method }) => method === 'PATCH').length;

  it('tells of the commits that it has now; the words of a person around it stay', async () => {
    await inReview();
    expect(pull.body).not.toContain('- fix: take the review');
    pull.body = `Mind the docs.\r\n\r\n${pull.body.replaceAll('\n', '\r\n')}\r\n\r\nI will test it. Ann`;
    await landsMore('fix: take the review');
    expect(await at.land(input)).toMatchObject({ kind: 'in-review' });
    expect(pull.body).toMatch(
      /^Mind the docs\.\n\n[\s\S]*- fix: take the review[^\n]*\n[\s\S]*<!-- ralphctl idea t-1 -->\n\nI will test it\. Ann$/,
    );
    expect(pull.body.split('### Gate')).toHaveLength(2);
    expect(edits()).toBe(1);
    // The same work once more tells nothing new.
    expect(await at.land(input)).toMatchObject({ kind: 'in-review' });
    expect(edits()).toBe(1);
  });

  it('stays where a person changed it', async () => {
    await inReview();
    pull.body = pull.body.replace('### Gate', '### What the gate said');
    const before = pull.body;
    await landsMore('fix: take the review');
    expect(await at.land(input)).toMatchObject({ kind: 'in-review' });
    expect([pull.body, edits()]).toEqual([before, 0]);
  });

  it('C1: cut off between the push and the text, the next try renews it; a forge that refuses it holds nothing up', async () => {
    await inReview();
    await landsMore('fix: take the review');
    let lost = 0;
    forge.trouble.lose = ({ method }) => method === 'PATCH' && lost++ === 0;
    while ((await at.land(input)).kind === 'forge-waits');
    expect([lost, pull.body.includes('- fix: take the review')]).toEqual([2, true]);
    forge.calm();
    await landsMore('fix: and the next one');
    forge.trouble.refuse = ({ method }) => method === 'PATCH';
    expect(await at.land(input)).toMatchObject({ kind: 'in-review' });
    expect(pull.body).not.toContain('and the next one');
  });

  it('counts the agent runs of all runs since the idea began, and what they cost', async () => {
    const on = await onGithub(gh.path, { output: 'json' });
    ({ forge, at } = on);
    const { b } = at;
    const { remote } = (await loadRun(b.root, b.ref)).file;
    const works = async (runId: string, serial: number, dollars: number): Promise<LandInput> => {
      await b.setAgent(`cat > /dev/null; echo '${runId} ${serial}' >> t-1.txt
echo '{"type":"usage","inputTokens":1,"outputTokens":1,"costUsd":${dollars}}'
printf '{"type":"result","status":"success","text":"<ralph nonce=\\\\"%s\\\\">COMPLETE</ralph>"}\\n' "$RALPHCTL_NONCE"`);
      const place = await b.prepare('t-1', { runId });
      const { head } = await b.call(b.activities.runAgent, b.agentInput(place, { runId, serial })).done;
      const { worktree, branch, base } = place;
      return { ...b.ref, runId, idea: 't-1', title: 'Do t-1', agentName: 'ed-001', worktree, branch, base, head };
    };
    const told = () => [...on.pulls.values()].map(({ body }) => /^.* agent runs?.*$/m.exec(body)?.[0]);
    const [first, second, third] = [b.ref.runId, '20260102-000000-bbbb', '20260103-000000-cccc'];
    expect(await at.land(await works(first, 1, 0.4))).toMatchObject({ kind: 'in-review' });
    expect(told()).toEqual(['1 agent run by sh, $0.40.']);
    await works(first, 2, 0.2);
    await b.laterRun(second, remote ? { remote } : {});
    const { look } = await reviewOf(at, await works(second, 1, 0.3));
    expect(told()).toEqual(['3 agent runs by sh, $0.90.']);
    // What comes after its landing is another piece of work.
    mergePull(on.repo, 1, 'ann');
    expect(await look()).toMatchObject({ kind: 'merged' });
    await b.laterRun(third, remote ? { remote } : {});
    expect(await at.land(await works(third, 1, 0.1))).toMatchObject({ kind: 'in-review' });
    expect(told()).toEqual(['3 agent runs by sh, $0.90.', '1 agent run by sh, $0.10.']);
  });
});
