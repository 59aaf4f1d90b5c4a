/** What the screen writes to a terminal, seen through a real terminal emulator, and keys as bytes bring them. Features: G5. */
import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import xterm from '@xterm/headless';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changedPart } from '../../../src/screen/terminal/changed-part.js';
import { type KeyPress, readKeys } from '../../../src/screen/terminal/keys.js';
import { focus, newPace, painted, wants } from '../../../src/screen/terminal/pace.js';
import { Painter } from '../../../src/screen/terminal/painter.js';
import { render } from '../../../src/screen/terminal/render.js';
import { Terminal } from '../../../src/screen/terminal/terminal.js';

/** Characters and how they look, without the spaces at the end of lines that look like nothing. */
function cells(terminal: InstanceType<typeof xterm.Terminal>): string[] {
  const { active } = terminal.buffer;
  return Array.from({ length: terminal.rows }, (_, row) => {
    const line = active.getLine(active.baseY + row);
    const all = Array.from({ length: terminal.cols }, (_, column) => {
      const cell = line?.getCell(column);
      const text = cell?.getWidth() === 0 ? '' : cell?.getChars() || ' ';
      return `${text}${cell?.getFgColor()}${cell?.isBold()}${cell?.isDim()}${cell?.isInverse()}`;
    });
    return all.join('|');
  });
}

describe('painting', () => {
  const screen = (columns: number, rows: number) => {
    const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
    let last = Promise.resolve();
    const painter = new Painter((text) => {
      const before = last;
      last = new Promise((done) => void before.then(() => terminal.write(text, done)));
    });
    const lines = async (): Promise<string[]> => {
      await last;
      const { active } = terminal.buffer;
      return Array.from(
        { length: rows },
        (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '',
      );
    };
    return { painter, lines, terminal };
  };

  it('shows any sequence of frames exactly, and writes nothing for one that is the same', async () => {
    const line = fc.stringMatching(/^[a-z ]{0,20}$/).map((text) => text.trimEnd());
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(line, { maxLength: 7 }), { minLength: 1, maxLength: 5 }), async (frames) => {
        const { painter, lines } = screen(20, 8);
        for (const frame of frames) {
          painter.paint({ lines: frame });
          expect(painter.paint({ lines: frame })).toBe(false);
          expect((await lines()).map((one) => one.trimEnd())).toEqual([...frame, ...Array(8 - frame.length).fill('')]);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('writes the changed part of a line, with its styles, and whole lines where the width of a character is not certain', async () => {
    const styled = fc.tuple(
      fc.constantFrom([], ['dim' as const], ['bold' as const, 'inverse' as const]),
      fc.constantFrom(undefined, 'blue' as const, 'red' as const),
      fc.stringMatching(/^[ab \u2502\u2588\u00e9\u8a9e\u2713]{1,4}$/),
    );
    const line = fc.array(styled, { maxLength: 4 }).map((spans) =>
      render(
        spans.map(([styles, colour, text]) => ({
          text,
          ...Object.fromEntries(styles.map((style) => [style, true])),
          ...(colour ? { colour } : {}),
        })),
        true,
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(line, { maxLength: 5 }), { minLength: 2, maxLength: 6 }), async (frames) => {
        const parts = screen(40, 7);
        for (const frame of frames) {
          parts.painter.paint({ lines: frame });
          const whole = screen(40, 7);
          whole.painter.paint({ lines: frame });
          await Promise.all([parts.lines(), whole.lines()]);
          expect(cells(parts.terminal)).toEqual(cells(whole.terminal));
        }
      }),
      { numRuns: 100 },
    );
  });

  it('leaves the columns beside a change alone', () => {
    const { painter } = screen(120, 8);
    const wide = (n: number): string => `\u001b[2m│\u001b[0m iteration ${n} \u001b[2m${'─'.repeat(100)}\u001b[0m`;
    painter.paint({ lines: [wide(1)] });
    const before = painter.written.characters;
    painter.paint({ lines: [wide(2)] });
    expect(painter.written.characters - before).toBeLessThan(60);
    expect(changedPart(wide(1), wide(2))).toEqual({ column: 12, text: '2' });
    expect(changedPart('one ✋ two', 'one ✋ three')).toBeUndefined();
    expect(changedPart('e\u0301 a', 'e\u0301 b')).toBeUndefined();
    expect(changedPart('\u001b]0;title\u0007a', 'b')).toBeUndefined();
  });

  it('moves the lines of a list that grows, whichever end it grows at', async () => {
    const entry = (n: number): string => `entry number ${n}`;
    for (const order of ['newest first', 'newest last']) {
      const { painter, lines } = screen(20, 12);
      for (let last = 7; last < 30; last += 1 + (last % 3)) {
        const list = Array.from({ length: 7 }, (_, at) => entry(last - at));
        const frame = ['head', ...(order === 'newest first' ? list : list.reverse()), 'foot'];
        const before = painter.written.characters;
        painter.paint({ lines: frame });
        expect((await lines()).map((one) => one.trimEnd())).toEqual([...frame, '', '', '']);
        if (last > 7) expect(painter.written.characters - before).toBeLessThan(170);
      }
    }
  });

  it('writes one line when one line changes', () => {
    const { painter } = screen(20, 8);
    painter.paint({ lines: ['a', 'b', 'c'] });
    const before = painter.written.characters;
    painter.paint({ lines: ['a', 'B', 'c'] });
    expect(painter.written.characters - before).toBeLessThan(60);
  });
});

describe('the title of the window', () => {
  it('is one text, whatever the folder of the repository is called', async () => {
    const emulator = new xterm.Terminal({ cols: 40, rows: 10, allowProposedApi: true });
    const titles: string[] = [];
    emulator.onTitleChange((title) => titles.push(title));
    const output = new PassThrough();
    const none = (): void => {};
    const terminal = new Terminal(
      { key: none, resized: none, resumed: none, signal: none },
      new PassThrough() as unknown as typeof process.stdin,
      output as unknown as typeof process.stdout,
    );
    terminal.open();
    try {
      terminal.title('ralph shop\u0007owned\u001b]2;other\u0007\u009d2;third\u009c\u001b[31m\n 1/2');
    } finally {
      terminal.close();
    }
    const written = String(output.read());
    await new Promise<void>((done) => emulator.write(written.slice(0, written.lastIndexOf('\u001b[?1049l')), done));
    expect(titles).toEqual(['ralph shop owned  1/2']);
    expect(emulator.buffer.active.getLine(0)?.translateToString(true)).toBe('');
  });
});

describe('pace', () => {
  it('gathers changes, paints keys at once, and stays under thirty frames a minute', () => {
    const pace = newPace(0, 0);
    let frames = 0;
    for (let now = 0; now < 60_000; now += 10) {
      wants(pace, 'change', now);
      if (pace.due !== undefined && now >= pace.due) {
        frames += 1;
        painted(pace, now, 0);
      }
    }
    expect(frames).toBeLessThanOrEqual(30);
    wants(pace, 'key', 70_000);
    expect(pace.due).toBeLessThanOrEqual(70_000);
  });

  it('slows down while it costs too much, and recovers', () => {
    const pace = newPace(0, 0);
    painted(pace, 31_000, 1000);
    expect(pace.between).toBe(4000);
    painted(pace, 62_000, 2000);
    painted(pace, 93_000, 3000);
    expect(pace.between).toBe(8000);
    painted(pace, 124_000, 3010);
    expect(pace.between).toBe(4000);
  });

  it('paints once in ten seconds while nobody looks, and at once when somebody does', () => {
    const pace = newPace(0, 0);
    painted(pace, 0, 0);
    focus(pace, false, 0);
    wants(pace, 'change', 10);
    expect(pace.due).toBe(10_000);
    focus(pace, true, 500);
    expect(pace.due).toBe(500);
  });
});

describe('keys', () => {
  const read = async (...chunks: string[]): Promise<KeyPress[]> => {
    const input = new PassThrough();
    const keys: KeyPress[] = [];
    const stop = readKeys(input, (key) => keys.push(key));
    for (const chunk of chunks) {
      input.write(chunk);
      await delay(0);
    }
    await delay(80);
    stop();
    return keys;
  };

  it.each([
    ['\u001b[A', 'up'],
    ['\u001b[B', 'down'],
    ['\r', 'enter'],
    ['\n', 'newline'],
    ['\u001b', 'esc'],
    ['\t', 'tab'],
    ['\u001b[Z', 'shift-tab'],
    ['\u001b[5~', 'pageup'],
    ['\u001b[21~', 'f10'],
    ['\u0003', 'ctrl-c'],
    ['\u007f', 'backspace'],
    ['P', 'P'],
    ['?', '?'],
    ['ä', 'ä'],
    [' ', ' '],
    ['\u001b[I', 'focus-in'],
    ['\u001b[O', 'focus-out'],
  ])('%j is %s', async (bytes, name) => {
    expect((await read(bytes)).map((key) => key.name)).toEqual([name]);
  });

  it('takes a paste as one text with its line breaks, however it arrives', async () => {
    expect(await read('\u001b[200~first\rsec', 'ond\u001b[20', '1~x')).toEqual([
      { name: 'paste', text: 'first\nsecond' },
      { name: 'x', text: 'x' },
    ]);
  });
});
