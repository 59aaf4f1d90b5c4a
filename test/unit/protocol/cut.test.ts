/** Long texts for people: a command in them is whole, or not there. */
import { describe, expect, it } from 'vitest';
import { cutAroundCommands, LONGEST_WITH_COMMAND, unbroken } from '../../../src/protocol/cut.js';

const COMMAND = "mv '/a/long/path/ralph-tree-002' '/a/long/path/ralph-tree-002.broken' && git worktree prune";
const FIX = `Save what you need, then move it away: ${COMMAND}`;

describe('a text that is too long', () => {
  it('without a command ends at its limit, never inside a character of two halves', () => {
    expect(cutAroundCommands('a'.repeat(300), 300)).toBe('a'.repeat(300));
    expect(cutAroundCommands('a'.repeat(301), 300)).toBe(`${'a'.repeat(299)}…`);
    expect(cutAroundCommands(`${'a'.repeat(8)}😀b`, 10)).toBe(`${'a'.repeat(8)}…`);
  });

  it.each([100, 250, 700, 1100])('with a command after %i characters is whole while there is room', (before) => {
    const text = `${'x'.repeat(before)}. ${FIX}`;
    const cut = cutAroundCommands(text, 300);
    expect(cut.endsWith(COMMAND)).toBe(true);
    if (text.length <= LONGEST_WITH_COMMAND) expect(cut).toBe(text);
  });

  it('loses what stands before the command, and no part of the command', () => {
    const cut = cutAroundCommands(`${'x'.repeat(5000)}. ${FIX}`, 300, 200);
    expect(cut).toMatch(/^x+… Save what you need/);
    expect(cut.endsWith(COMMAND)).toBe(true);
    expect(cut.length).toBeLessThanOrEqual(200);
  });

  it('drops a command that has no room at all', () => {
    const cut = cutAroundCommands(`It broke. ${FIX} ${'--more '.repeat(300)}`, 300);
    expect(cut).toBe('It broke. Save what you need, then move it away…');
  });

  it.each([
    "then: RALPHCTL_HOME='/a b/c' ralphctl start",
    'Free it: git switch --detach',
    'or try again: ralphctl retry a-1',
    "(mv '/r/.git/index' '/r/.git/index.broken' && git -C '/r' reset -q)",
    "undo it: printf '%s\\n' '/*' '!/out/' > '/r/.git/info/sparse-checkout'",
  ])('knows the command in %j', (fix) => {
    expect(cutAroundCommands(`${'x'.repeat(400)}; ${fix}`, 300)).toContain(fix);
  });
});

it('finds commands in a time linear in the text: a long line of prose ends', () => {
  const prose = 'word (aside) '.repeat(25_000);
  expect(unbroken(prose)).toBe(prose);
});
