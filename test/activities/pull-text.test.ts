/**
 * The text of an open pull request after further commits, step by step, with the real `gh` against a forge on this
 * machine. Features: D2, C1.
 */
import { afterEach, describe, expect, it } from 'vitest';
import type { LandInput } from '../../src/protocol/git-work.js';
import type { Forge } from '../support/forge/forge.js';
import { ghProgram, leftOut } from '../support/forge/programs.js';
import type { Pull } from '../support/forge/pulls.js';
import { onGithub } from './pulls.js';
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
});
