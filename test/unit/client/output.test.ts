/** Output that cannot be written, a command without its number, and a backlog that tries to control the terminal. */
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { backlogLines } from '../../../src/client/commands/setup/backlog.js';
import { summary } from '../../../src/client/commands/setup/init.js';
import { endWithReader, explain } from '../../../src/client/output.js';
import { given } from '../../../src/client/rows/options.js';
import { EXIT, UserError } from '../../../src/protocol/user-error.js';

const written: string[] = [];
vi.mock('node:fs', async (original) => ({
  ...(await original<typeof import('node:fs')>()),
  writeSync: (_: number, text: string) => written.push(text),
}));

afterEach(() => {
  written.length = 0;
  vi.restoreAllMocks();
});

describe('an error', () => {
  const told = (error: unknown, json = false): string => {
    let text = '';
    const into = (chunk: unknown): boolean => {
      text += String(chunk);
      return true;
    };
    vi.spyOn(process.stderr, 'write').mockImplementation(into as never);
    vi.spyOn(process.stdout, 'write').mockImplementation(into as never);
    explain(error, json);
    return text;
  };

  it('cannot steer the terminal by a name from outside; its lines stay', () => {
    const hostile = 'a\u001b[2J\u001b]0;x\u0007\u009b31mb\u202e\u0008.md';
    const error = new UserError(`${hostile}:3: no title\n  ${hostile}`);
    expect(told(error)).toBe('ralphctl: ab .md:3: no title\n  ab .md\n');
    expect(told(error, true).trimEnd()).not.toMatch(/\p{Cc}|\u202e/u);
    vi.stubEnv('RALPHCTL_DEBUG', '1');
    const fault = new Error(hostile);
    expect(told(fault).replaceAll('\n', '')).not.toMatch(/\p{Cc}|\u202e/u);
    vi.unstubAllEnvs();
  });
});

describe('a stream that fails', () => {
  const failWith = (code: string, message: string): unknown => {
    const exit = vi.spyOn(process, 'exit').mockImplementation((() => undefined) as never);
    const stream = new PassThrough();
    endWithReader(stream);
    stream.emit('error', Object.assign(new Error(message), { code }));
    return exit.mock.calls.at(0)?.[0];
  };

  it.each(['ENOSPC', 'EDQUOT'])('%s: one sentence and a documented code', (code) => {
    expect(failWith(code, `${code}: write`)).toBe(EXIT.internal);
    expect(written).toEqual([
      `ralphctl: cannot write the output: the disk is full (${code}). Free disk space, then call the command again\n`,
    ]);
  });

  it('another error: its message, without a stack', () => {
    expect(failWith('EIO', 'EIO: i/o error, write')).toBe(EXIT.internal);
    expect(written).toEqual(['ralphctl: cannot write the output: EIO: i/o error, write\n']);
  });
});

describe('a command without its number', () => {
  it('says so, with an example', () => {
    let error: unknown;
    try {
      given(undefined, 'limit a-1 10');
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(UserError);
    const said: string[] = [];
    vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => said.push(String(chunk)) > 0);
    expect(explain(error, false)).toBe(EXIT.usage);
    expect(said).toEqual(['ralphctl: give a number: ralphctl limit a-1 10\n']);
    expect(given(3, 'limit a-1 10')).toBe(3);
  });
});

describe('foreign text in the terminal', () => {
  // Colour, the clipboard (OSC 52), right-to-left override, bell, carriage return, line separator.
  const HOSTILE = '\u001b[31mred\u001b]52;c;aGk=\u0007 \u202egnp.exe\u0007\r\u2028';
  const CONTROL = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

  it('ralphctl backlog prints titles, ids, warnings and reasons without it', () => {
    const idea = (id: string, done: boolean) => ({ id: `${id}${HOSTILE}`, title: HOSTILE, blue: false, done });
    const ideas = [idea('a-1', false), idea('a-2', true)].map((one) => ({ text: HOSTILE, success: [], ...one }));
    const [open, over] = ideas.map(({ id }) => id);
    const plan = {
      backlog: { file: `/repo/${HOSTILE}.md`, format: 'roadmap' },
      ideas,
      leftOut: [{ id: HOSTILE, title: HOSTILE, line: 1, why: HOSTILE }],
      warnings: [HOSTILE],
    };
    const order = {
      order: [{ id: open, title: HOSTILE, round: 1, score: 2, agent: 'x', after: [HOSTILE] }],
      landed: [over],
      parts: new Map([[open, [{ label: HOSTILE, value: 1 }]]]),
    };
    const lines = backlogLines({ cwd: '/repo' }, plan as never, order as never);
    expect(lines.length).toBeGreaterThan(8);
    expect(lines.join('|')).toContain('red');
    for (const line of lines) expect(line).not.toMatch(CONTROL);
  });

  it('ralphctl init prints the commands of the project without it', () => {
    const run = `npm test ${HOSTILE}`;
    const found = { agents: [], gate: [{ run, from: 'x' }], setup: undefined, missing: [], target: 'main' };
    for (const line of summary({ ...found, backlog: undefined, folder: undefined } as never).split('\n'))
      expect(line).not.toMatch(CONTROL);
  });
});
