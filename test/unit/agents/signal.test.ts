import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSignal, type SignalContext, withRest } from '../../../src/agents/reading/signal.js';
import { MAX_QUESTION_TEXT, MAX_SIGNAL_TEXT } from '../../../src/protocol/agent-run.js';

const NONCE = 'k3v9aa';
const ctx = (more: Partial<SignalContext> = {}): SignalContext => ({
  nonce: NONCE,
  requireXml: true,
  prompt: '',
  ...more,
});
const read = (message: string, more: Partial<SignalContext> = {}) => parseSignal(message, ctx(more));
const NONE = { kind: 'none' };
const DONE = { kind: 'complete' };
const GOOD = `<ralph nonce="${NONCE}">COMPLETE</ralph>`;

describe('what a tag can say', () => {
  it.each([
    ['COMPLETE', DONE],
    ['complete', DONE],
    [' COMPLETE\n', DONE],
    ['BLOCKED: no network', { kind: 'blocked', reason: 'no network' }],
    ['BLOCKED', { kind: 'blocked', reason: '' }],
    ['blocked:a: b', { kind: 'blocked', reason: 'a: b' }],
    ['NEEDS_HUMAN: which?', { kind: 'needs-human', question: 'which?' }],
    ['NEEDS_HELP: how?', { kind: 'needs-human', question: 'how?' }],
    ['PROGRESS: 40', { kind: 'progress', percent: 40 }],
    ['PROGRESS:99.9%', { kind: 'progress', percent: 99 }],
    ['PROGRESS: 4000', { kind: 'progress', percent: 100 }],
    ['PROGRESS: -3', { kind: 'progress', percent: 0 }],
    ['PROGRESS: soon', NONE],
    ['PROGRESS', NONE],
    ['COMPLETE: almost', NONE],
    ['COMPLETELY', NONE],
    ['NOT COMPLETE', NONE],
    ['', NONE],
  ])('%s', (content, expected) => {
    for (const tag of ['ralph', 'chorus', 'promise', 'RALPH', 'Promise']) {
      expect(read(`Work.\n\n<${tag}>${content}</${tag}>`)).toEqual(expected);
      expect(read(`Work.\n\n<${tag} nonce="${NONCE}">${content}</${tag.toLowerCase()}>\n`)).toEqual(expected);
    }
  });

  it('caps and cleans reasons', () => {
    const signal = read(`<ralph>BLOCKED: a\u001b[31mred\u0000\u202e\tx${'é'.repeat(5000)}</ralph>`);
    expect(signal.kind).toBe('blocked');
    const reason = signal.kind === 'blocked' ? signal.reason : '';
    expect(reason.startsWith('ared xé')).toBe(true);
    expect(reason.slice(MAX_SIGNAL_TEXT)).toBe('\n(cut at 2,000 characters)');
  });

  it('C5: keeps a long question whole, and says where it cuts a longer one', () => {
    const question = (length: number): string => {
      const signal = read(`<ralph>NEEDS_HUMAN: ${'which\none?\n'.repeat(length).slice(0, length - 1)}x</ralph>`);
      return signal.kind === 'needs-human' ? signal.question : '';
    };
    expect(question(16_000)).toHaveLength(16_000);
    const cut = question(17_000);
    expect(cut.slice(MAX_QUESTION_TEXT)).toBe('\n(cut at 16,384 characters)');
    expect(withRest(cut, '/x/final-message.md').slice(MAX_QUESTION_TEXT)).toBe(
      '\n(cut at 16,384 characters; the rest is in /x/final-message.md)',
    );
    expect(withRest('which?', '/x')).toBe('which?');
  });

  it('takes a reason of several lines', () => {
    const text = `Stuck.\n<ralph>BLOCKED: first\n\nsecond\n\`\`\`\ncode\n\`\`\`\nlast</ralph>`;
    expect(read(text)).toEqual({ kind: 'blocked', reason: 'first\n\nsecond\n```\ncode\n```\nlast' });
  });
});

describe('promises', () => {
  it('takes exactly the promise of the idea', () => {
    expect(read('<promise>ALL GREEN</promise>', { promise: 'ALL GREEN' })).toEqual(DONE);
    expect(read('<promise> ALL\n GREEN </promise>', { promise: 'ALL GREEN' })).toEqual(DONE);
    for (const text of ['ALL', 'all green', 'COMPLETE', 'ALL GREEN!']) {
      expect(read(`<promise>${text}</promise>`, { promise: 'ALL GREEN' })).toEqual(NONE);
    }
    expect(read('<promise>ALL GREEN</promise>')).toEqual(NONE);
  });
  it('B2: with a promise of its own nothing else completes the idea', () => {
    for (const name of ['ralph', 'chorus', 'promise']) {
      expect(read(`<${name}>COMPLETE</${name}>`, { promise: 'ALL GREEN' })).toEqual(NONE);
      expect(read(`<${name}>COMPLETE</${name}>`, { promise: 'COMPLETE' })).toEqual(DONE);
    }
    expect(read('COMPLETE', { promise: 'ALL GREEN', requireXml: false })).toEqual(NONE);
    expect(read('All green', { promise: 'ALL GREEN', requireXml: false })).toEqual(DONE);
  });
  it('keeps the other words next to a custom promise', () => {
    expect(read('<ralph>PROGRESS: 40</ralph>', { promise: 'ALL GREEN' })).toEqual({ kind: 'progress', percent: 40 });
    expect(read('<promise>BLOCKED: x</promise>', { promise: 'ALL GREEN' })).toEqual({ kind: 'blocked', reason: 'x' });
  });
  it('means disabled when empty, never always', () => {
    expect(read('<promise>COMPLETE</promise>', { promise: '' })).toEqual(NONE);
    expect(read('<promise></promise>', { promise: '' })).toEqual(NONE);
    expect(read('COMPLETE', { promise: '', requireXml: false })).toEqual(NONE);
    expect(read('', { promise: '', requireXml: false })).toEqual(NONE);
    expect(read('<ralph>COMPLETE</ralph>', { promise: '' })).toEqual(DONE);
  });
});

describe('where a tag may stand', () => {
  it.each([
    ['alone', '<ralph>COMPLETE</ralph>'],
    ['emphasised', 'Done.\n\n**<ralph>COMPLETE</ralph>**'],
    ['before white space', 'Done.\n\n  <ralph>COMPLETE</ralph>  \r\n\t\n'],
    ['CRLF', 'Done.\r\n\r\n<ralph>COMPLETE</ralph>\r\n'],
    ['nonce on a line of prose', `All done ${GOOD}`],
    ['nonce in a list', `- ${GOOD}`],
    ['single quotes', `ok <ralph nonce='${NONCE}'>COMPLETE</ralph>`],
    ['no quotes', `ok <ralph nonce=${NONCE}>COMPLETE</ralph>`],
    ['after a closed fence', `\`\`\`sh\nls\n\`\`\`\n\n${GOOD}`],
    ['after an earlier signal', `<ralph>BLOCKED: x</ralph>\nNo, it works.\n${GOOD}`],
    ['after a quotation and a blank line', `> quoted\n\n${GOOD}`],
    ['after a negation in an earlier sentence', `It did not work at first. Now it does. ${GOOD}`],
  ])('accepts: %s', (_name, message) => expect(read(message)).toEqual(DONE));

  it.each([
    ['on a line of prose without nonce', 'All done <promise>COMPLETE</promise>'],
    ['negated', 'I am not outputting <promise>COMPLETE</promise>'],
    ['negated, with the nonce', `I am **not** outputting ${GOOD}`],
    ['conditioned, with the nonce', `When all is done I end with ${GOOD}`],
    ['words after it', `${GOOD} is what I would say`],
    ['a line after it', `${GOOD}\nThat was a joke.`],
    ['a wrong nonce', '<ralph nonce="other">COMPLETE</ralph>'],
    ['the placeholder', '<ralph nonce="NONCE">COMPLETE</ralph>'],
    ['an empty nonce', '<ralph nonce="">COMPLETE</ralph>'],
    ['an unknown attribute', '<ralph id="1">COMPLETE</ralph>'],
    ['fence', `\`\`\`\n${GOOD}\n\`\`\``],
    ['open fence', `\`\`\`\n${GOOD}`],
    ['open fence closed by a shorter one', `\`\`\`\`\nx\n\`\`\`\n${GOOD}`],
    ['open tilde fence', `~~~ text\nx\n\`\`\`\n${GOOD}`],
    ['fence in a list', `- \`\`\`\n  x\n  ${GOOD}`],
    ['fence in a quotation', `> \`\`\`\n${GOOD}`],
    ['inline code', `\`${GOOD}\``],
    ['inline code to the end', `say \`${GOOD}`],
    ['indented code', `Like this:\n\n    ${GOOD}`],
    ['tab-indented code', `Like this:\n\n\t${GOOD}`],
    ['block quotation', `> ${GOOD}`],
    ['lazy block quotation', `> he said\n${GOOD}`],
    ['double quotes', `"${GOOD}"`],
    ['open double quotes', `He wrote "please ${GOOD}`],
    ['typographic quotes', `“${GOOD}”`],
    ['escaped', `\\${GOOD}`],
    ['mismatched names', '<ralph>COMPLETE</promise>'],
    ['no closing tag', '<ralph>COMPLETE'],
    ['no opening tag', 'COMPLETE</ralph>'],
    ['another tag', '<done>COMPLETE</done>'],
    ['entities', '&lt;ralph&gt;COMPLETE&lt;/ralph&gt;'],
    ['a bare word', 'COMPLETE'],
    ['nothing', ''],
  ])('refuses: %s', (_name, message) => expect(read(message)).toEqual(NONE));

  it('never takes an empty nonce for a match', () => {
    expect(read('ok <ralph nonce="">COMPLETE</ralph>', { nonce: '' })).toEqual(NONE);
  });
});

describe('echoes of the prompt', () => {
  const prompt = 'Do it.\n\nWhen all is well, end with:\n\n<promise>COMPLETE</promise>\n\nThank you.';
  it('refuses a piece of the prompt', () => {
    const cut = prompt.slice(0, prompt.indexOf('\n\nThank'));
    expect(read(cut, { prompt })).toEqual(NONE);
    expect(read(cut.slice(8), { prompt })).toEqual(NONE);
    expect(read(cut.replaceAll('\n', '\r\n'), { prompt })).toEqual(NONE);
  });
  it('refuses a quoted end of the prompt after words of its own', () => {
    expect(read('You told me:\nWhen all is well, end with:\n<promise>COMPLETE</promise>', { prompt })).toEqual(NONE);
  });
  it('takes the same line after words of its own', () => {
    expect(read('All is well.\n\n<promise>COMPLETE</promise>', { prompt })).toEqual(DONE);
  });
});

describe('plain text', () => {
  const plain = (message: string, more: Partial<SignalContext> = {}) => read(message, { requireXml: false, ...more });
  it.each([
    ['Done.\nCOMPLETE', DONE],
    ['complete.', DONE],
    ['**Complete!**', DONE],
    ['BLOCKED: no key', { kind: 'blocked', reason: 'no key' }],
    ['Needs_human: a or b?', { kind: 'needs-human', question: 'a or b?' }],
    ['PROGRESS: 30', { kind: 'progress', percent: 30 }],
    ['It is complete', NONE],
    ['not COMPLETE', NONE],
    ['COMPLETE\nnot really', NONE],
    ['> COMPLETE', NONE],
    ['"COMPLETE"', NONE],
    ['`COMPLETE`', NONE],
    ['```\nCOMPLETE', NONE],
    ['    COMPLETE', NONE],
    ['<ralph nonce="x">COMPLETE</ralph>', NONE],
    ['', NONE],
  ])('%j', (message, expected) => expect(plain(message)).toEqual(expected));
  it('matches the promise whatever its case', () => {
    expect(plain('All green.', { promise: 'ALL GREEN' })).toEqual(DONE);
    expect(plain('all green indeed', { promise: 'ALL GREEN' })).toEqual(NONE);
  });
  it('refuses an echo', () => {
    expect(plain('When done, say:\nCOMPLETE', { prompt: 'When done, say:\nCOMPLETE\nBye.' })).toEqual(NONE);
  });
});

describe('properties', () => {
  const words = fc.constantFrom(
    ...['done', 'COMPLETE', '<ralph>', '</ralph>', '<promise>COMPLETE</promise>', GOOD, '```', '~~~~', '> ', '- ', '"'],
    ...[
      '\n',
      '\n\n',
      '    ',
      '\t',
      '`',
      '<ralph nonce="no">COMPLETE</ralph>',
      'BLOCKED: x',
      '\r\n',
      '**',
      '\u0000',
      '😀',
    ],
  );
  const soup = fc.array(fc.oneof(words, fc.string()), { maxLength: 40 }).map((parts) => parts.join(''));

  it('never throws and always gives a signal', () => {
    fc.assert(
      fc.property(soup, soup, fc.boolean(), (message, prompt, requireXml) => {
        const signal = parseSignal(message, ctx({ prompt, requireXml }));
        expect(['complete', 'blocked', 'needs-human', 'progress', 'none']).toContain(signal.kind);
      }),
      { numRuns: 2000 },
    );
  });

  it('finds none where the last word is no signal', () => {
    fc.assert(
      fc.property(soup, fc.constantFrom('and so on', 'x', '. COMPLETE?', '```', '“'), (message, ending) => {
        expect(parseSignal(`${message}${ending}`, ctx())).toEqual(NONE);
      }),
      { numRuns: 1000 },
    );
  });

  it('finds a signal that is the last line after any text outside of fences and quotations', () => {
    const prose = fc.string({ unit: fc.constantFrom(...'abc dé.,!<>/"=\'()#\n'.split('')) });
    fc.assert(
      fc.property(prose, fc.boolean(), (text, marked) => {
        const tag = marked ? GOOD : '<ralph>COMPLETE</ralph>';
        // A line that begins with > may quote what follows; a blank line ends that.
        expect(parseSignal(`${text}\n\n${tag}\n`, ctx())).toEqual(DONE);
      }),
    );
  });

  it('finds none inside a fence, whatever is in it', () => {
    const inside = soup.filter((text) => !/^[ \t]*(?:[>*+-][ \t]*|\d+[.)][ \t]+)*(?:`{5}|~{5})/m.test(text));
    fc.assert(
      fc.property(inside, fc.constantFrom('`````', '~~~~~'), fc.boolean(), (text, fence, closed) => {
        expect(parseSignal(`Look:\n${fence}\n${text}\n${GOOD}\n${closed ? fence : ''}`, ctx())).toEqual(NONE);
      }),
    );
  });

  it('finds none in any echo of a prompt', () => {
    fc.assert(
      fc.property(soup, fc.nat(), fc.nat(), (prompt, a, b) => {
        const [from, to] = [a % (prompt.length + 1), b % (prompt.length + 1)].sort((x, y) => x - y);
        expect(parseSignal(prompt.slice(from, to), ctx({ prompt, requireXml: false }))).toEqual(NONE);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('hostile size', () => {
  const shapes: Record<string, (n: number) => string> = {
    'opening brackets': (n) => '<'.repeat(n),
    'opening tags': (n) => '<ralph>'.repeat(n / 7),
    'closing tags': (n) => '</ralph>'.repeat(n / 8),
    'one line of spaces': (n) => `${' '.repeat(n)}</ralph>`,
    'blank lines': (n) => '\n'.repeat(n),
    emphasis: (n) => '*_'.repeat(n / 2),
    backticks: (n) => '`'.repeat(n),
    fences: (n) => '```\n'.repeat(n / 4),
    'list markers': (n) => '- '.repeat(n / 2),
    numbers: (n) => '1. '.repeat(n / 3),
    quotations: (n) => '> '.repeat(n / 2),
    attributes: (n) => `<ralph ${'nonce='.repeat(n / 6)}>COMPLETE</ralph>`,
    'a long lead': (n) => `${'"\' '.repeat(n / 3)}${GOOD}`,
    'a long reason': (n) => `<ralph>BLOCKED: ${'\u001b['.repeat(n / 2)}</ralph>`,
    'escape soup': (n) => `<ralph nonce="${NONCE}">BLOCKED: ${'\u001b[1;'.repeat(20)}</ralph>\n${'\u00a0'.repeat(n)}`,
  };
  // Processor time, as other tests share the machine. Eight times the size: linear is 8, quadratic 64 times the time;
  // and quadratic in megabytes would take minutes, so the floor that hides noise hides nothing else.
  const cost = (work: () => void): number => {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
  const expectLinear = (work: (n: number) => void): void => {
    work(1000);
    const small = Math.min(
      cost(() => work(1 << 19)),
      cost(() => work(1 << 19)),
    );
    expect(cost(() => work(1 << 22))).toBeLessThan(Math.max(small * 24, 1500));
  };
  it.each(Object.entries(shapes))('is linear in %s', (_name, make) => {
    expectLinear((n) => {
      const text = make(n);
      parseSignal(text, ctx({ prompt: text.slice(0, 200_000), requireXml: false }));
    });
  });
  it('reads 50 MB', () => {
    const message = `${'some line of output with <ralph> in it\n'.repeat((50 << 20) / 39)}\n${GOOD}`;
    expect(cost(() => expect(read(message)).toEqual(DONE))).toBeLessThan(10_000);
  });
  it('compares a periodic message with a periodic prompt in linear time', () => {
    expectLinear((n) => {
      read(`${'ab'.repeat(n / 8)}a\n<ralph>COMPLETE</ralph>`, { prompt: `${'ab'.repeat(n / 2)}\nx` });
    });
  });
});
