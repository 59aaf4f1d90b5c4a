/** What a landing wrote into a backlog file is taken back line by line. Features: C2 F5. */
import { describe, expect, it } from 'vitest';
import { giveBack } from '../../../../src/git/landing/give-back.js';

const text = (...lines: string[]): string => lines.map((line) => `${line}\n`).join('');
const [from, to] = [
  text('# Plan', '- [x] by hand', '- [ ] one', '- [ ] two', '- [ ] other'),
  text('# Plan', '- [x] by hand', '- [x] one', '- [x] two', '- [ ] other'),
];

describe('C2 giveBack', () => {
  it.each([
    ['the file of the landing becomes the file before it', to, from],
    [
      'a tick next to it stays',
      to.replace('[ ] other', '[x] other'),
      text('# Plan', '- [x] by hand', '- [ ] one', '- [ ] two', '- [x] other'),
    ],
    [
      'it is found where it stands now',
      `- [x] before\n${to.replace('# Plan', '# The plan\n\nWords.')}- [x] after\n`,
      text(
        ...['- [x] before', '# The plan', '', 'Words.', '- [x] by hand'],
        ...['- [ ] one', '- [ ] two', '- [ ] other', '- [x] after'],
      ),
    ],
    ['what somebody took back already stays', from.replace('other', 'another'), from.replace('other', 'another')],
    ['a file of other words stays', 'nothing of it\n', 'nothing of it\n'],
  ])('%s', (_, now, wanted) => {
    expect(giveBack(now, { from, to })).toBe(wanted);
  });

  it('lines that the landing added go, and those that it removed come back', () => {
    const before = text('id: a', 'state: open', 'note: keep', 'id: b', 'state: open');
    const landed = text('id: a', 'state: done', 'closed: today', 'id: b', 'state: open');
    const now = text('id: z', 'state: open', 'id: a', 'state: done', 'closed: today', 'id: b', 'state: done');
    expect(giveBack(now, { from: before, to: landed })).toBe(
      text('id: z', 'state: open', 'id: a', 'state: open', 'note: keep', 'id: b', 'state: done'),
    );
  });

  it('of equal lines it takes the one that the landing wrote', () => {
    const story = (id: string, passes: boolean): string[] => [`"id": "${id}",`, `"passes": ${passes},`, '}, {'];
    const file = (...done: boolean[]): string => text(...done.flatMap((one, at) => story(`s-${at}`, one)));
    expect(
      giveBack(file(true, true, true, true), { from: file(true, false, false), to: file(true, true, false) }),
    ).toBe(file(true, false, true, true));
  });

  it('gives every line back once, whatever other ideas ticked since', () => {
    const lines = (ticked: (at: number) => boolean): string =>
      text(...Array.from({ length: 12 }, (_, at) => `- [${ticked(at) ? 'x' : ' '}] step ${at % 5}`));
    for (let mask = 0; mask < 1 << 12; mask += 7) {
      const [own, hand] = [(at: number) => at >= 4 && at < 7, (at: number) => at === 5];
      const since = (at: number): boolean => !own(at) && (mask >> at) % 2 === 1;
      const got = giveBack(
        lines((at) => own(at) || since(at)),
        { from: lines(hand), to: lines(own) },
      );
      // Lines that are not told apart any more stay as they are; no other line changes.
      for (const [at, line] of got.split('\n').slice(0, 12).entries())
        if (!own(at) || hand(at)) expect(line, `${mask} ${at}`).toBe(lines((n) => own(n) || since(n)).split('\n')[at]);
    }
  });
});
