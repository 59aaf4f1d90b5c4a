import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commitMessage, hasMarkOf, isNormal, normaliseMessage, numbered } from '../../../../src/git/landing/message.js';
import { unlinked } from '../../../../src/protocol/unlinked.js';

const parts = { idea: 'ch-004', agentName: 'ed-001', title: 'Add register endpoint' };
const subject = (message: string): string => message.split('\n', 1)[0] ?? '';

describe('commitMessage', () => {
  it('names idea and agent in subject and trailers', () => {
    expect(commitMessage(parts)).toBe(
      'feat: add register endpoint #ch-004@ed-001\n\nRalph-Idea: ch-004\nRalph-Slot: ed-001\n',
    );
  });

  it.each([
    ['API keys', 'feat: API keys'],
    ['OAuth login', 'feat: OAuth login'],
    ['A login page', 'feat: a login page'],
    ['fix: broken link', 'fix: broken link'],
    ['refactor(core)!: drop X', 'refactor(core)!: drop X'],
    ['Two\nlines\r\n\tand tabs', 'feat: two lines and tabs'],
    ['Übersicht bauen', 'feat: übersicht bauen'],
    ['', 'feat: work'],
  ])('title %j gives %j', (title, expected) => {
    expect(subject(commitMessage({ ...parts, title }))).toBe(`${expected} #ch-004@ed-001`);
  });

  it('uses the given type and shortens at a word', () => {
    const long = subject(commitMessage({ ...parts, title: 'Word '.repeat(60), type: 'chore' }));
    expect(long).toMatch(/^chore: word Word .*Word… #ch-004@ed-001$/);
    expect([...long].length).toBeLessThanOrEqual(100);
  });
});

describe('C7 marks and trailers', () => {
  it.each(['12', '12-login', 'ch-004', 'x'])('the mark of %s mentions nobody and links no issue', (idea) => {
    const line = subject(commitMessage({ ...parts, idea }));
    expect(line).toContain(`${idea}@ed-001`);
    expect(line).not.toMatch(/(?:^|\W)@\w/);
    expect(line).not.toMatch(/#\d/);
  });

  it.each(['GH-12', 'gh-7', 'GL-12', 'gl-3x'])(
    'the mark of %s links no issue, and the trailer keeps the id',
    (idea) => {
      const message = commitMessage({ ...parts, idea });
      const line = subject(message);
      expect(unlinked(line)).toBe(line);
      expect(line).toBe(`feat: add register endpoint idea-${idea.replace('-', '_')}@ed-001`);
      expect(message).toContain(`\nRalph-Idea: ${idea}\n`);
      expect(hasMarkOf(line, idea)).toBe(true);
      expect(isNormal(message, { ...parts, idea })).toBe(true);
      // Of an earlier version.
      expect(hasMarkOf(`Add it #${idea}@ed-001`, idea)).toBe(true);
      expect(subject(normaliseMessage(`Add it #${idea}@ed-001`, { ...parts, idea }))).not.toContain('#');
    },
  );

  it('an id that only begins with these letters keeps its sign', () => {
    for (const idea of ['GH-a', 'ghi-12', 'x-GH'])
      expect(subject(commitMessage({ ...parts, idea }))).toContain(` #${idea}@`);
  });

  it('a subject that is taken gets the next free number, and stays within the length and the form', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 150 }), fc.integer({ min: 2, max: 30 }), (title, times) => {
        const about = { ...parts, title };
        const taken = new Set<string>();
        for (let n = 0; n < times; n++) {
          const message = numbered(commitMessage(about), taken, about);
          expect(taken).not.toContain(subject(message));
          expect([...subject(message)].length).toBeLessThanOrEqual(100);
          expect(isNormal(message, about)).toBe(true);
          expect(hasMarkOf(subject(message), parts.idea)).toBe(true);
          taken.add(subject(message));
        }
      }),
    );
  });

  it('names agent, model and slot apart', () => {
    const message = commitMessage({ ...parts, agent: 'claude', model: 'opus\n4' });
    expect(message.split('\n\n')[1]).toBe(
      'Ralph-Idea: ch-004\nRalph-Agent: claude\nRalph-Model: opus 4\nRalph-Slot: ed-001\n',
    );
  });

  it('replaces marks of another slot and of earlier versions', () => {
    for (const old of ['Add it #ch-004 @ed-001', 'Add it #ch-004@ed-007', 'Add it #ch-004'])
      expect(subject(normaliseMessage(old, parts))).toBe('Add it #ch-004@ed-001');
  });
});

describe('normaliseMessage', () => {
  it('keeps the body and joins an existing trailer block', () => {
    expect(normaliseMessage('Add it\n\nBecause.\n\nCo-authored-by: B <b@x.org>\n', parts)).toBe(
      'Add it #ch-004@ed-001\n\nBecause.\n\nCo-authored-by: B <b@x.org>\nRalph-Idea: ch-004\nRalph-Slot: ed-001\n',
    );
  });

  it('replaces what an agent claims about other ideas', () => {
    const forged = 'Add it #ch-004\n\nRalph-Idea: other\nralph-agent: me\nRalph-Reverted: third\n';
    expect(normaliseMessage(forged, parts)).toBe('Add it #ch-004@ed-001\n\nRalph-Idea: ch-004\nRalph-Slot: ed-001\n');
  });

  it('is stable, names one idea, and has one line of subject', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(fc.string(), fc.constantFrom('\n', '\n\n', 'Ralph-Idea: x', 'Ralph-Agent: y', 'Key: value', '\r')),
        ),
        fc.string(),
        (pieces, title) => {
          const text = pieces.join('');
          for (const message of [normaliseMessage(text, { ...parts, title }), commitMessage({ ...parts, title })]) {
            expect(normaliseMessage(message, { ...parts, title })).toBe(message);
            expect(isNormal(message, { ...parts, title })).toBe(true);
            expect(message.match(/^[ \t]*Ralph-Idea[ \t]*:.*$/gim)).toEqual(['Ralph-Idea: ch-004']);
            expect(subject(message)).toMatch(/#ch-004/);
            expect(message.split('\n')[1]).toBe('');
          }
        },
      ),
    );
  });
});
