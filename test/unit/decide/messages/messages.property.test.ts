/** What is read of payloads that anybody may send: no value of JSON makes a reader throw, or passes half read. Features: C1 G9. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readWarningAnswer } from '../../../../src/decide/idea/stall.js';
import * as between from '../../../../src/decide/messages/between.js';
import { isCommandLike, readSaid, readStop, readText, readVerb } from '../../../../src/decide/messages/said.js';
import { MAX_COMMAND_TEXT } from '../../../../src/protocol/command.js';

const CHECKS = Object.entries(between).filter(([name]) => name.startsWith('is')) as [
  string,
  (value: unknown) => boolean,
][];
const json = fc.oneof(
  fc.jsonValue(),
  fc.dictionary(
    fc.constantFrom(
      'choice',
      'none',
      'agent',
      'kind',
      'idea',
      'patch',
      'text',
      'reason',
      'drain',
      'verb',
      '__proto__',
      'length',
    ),
    fc.oneof(fc.jsonValue(), fc.constantFrom(true, 1, 'landed', 'x'.repeat(MAX_COMMAND_TEXT + 1))),
  ),
);

describe('C1 G9: of any JSON', () => {
  it.each(CHECKS)('%s says yes or no', (_, check) => {
    fc.assert(fc.property(json, (value) => typeof check(value) === 'boolean'));
  });

  it('the readers of people’s signals give a bounded text or a problem', () => {
    fc.assert(
      fc.property(fc.array(json, { maxLength: 3 }), (args) => {
        const [said, text, stop] = [readSaid(args), readText(args), readStop(args)];
        for (const one of [said, text, stop]) {
          if ('problem' in one) expect(one.problem).not.toBe('');
          else expect(one[0]?.length ?? 0).toBeLessThanOrEqual(MAX_COMMAND_TEXT);
        }
        if (!('problem' in stop)) expect(typeof stop[1]).toBe('boolean');
        if (!('problem' in text)) readWarningAnswer(text[0]);
        expect(readVerb(args)).toBeDefined();
        expect(typeof isCommandLike(args[0])).toBe('boolean');
      }),
    );
  });

  it('a message to use an agent names one, or says that there is none', () => {
    const isAgent = (value: unknown): boolean => between.isUseAgent(value) && between.saysAgent(value);
    for (const silent of [{}, { agent: 'codex' }, { choice: undefined }, { none: false }, [], null, 'none'])
      expect(isAgent(silent)).toBe(false);
    for (const said of [{ none: true }, { choice: { agent: 'codex' } }]) expect(isAgent(said)).toBe(true);
    fc.assert(
      fc.property(json, (value) => {
        if (isAgent(value))
          expect(Object.keys(value as object)).toEqual(
            expect.arrayContaining([expect.stringMatching(/^(choice|none)$/)]),
          );
      }),
    );
  });
});
