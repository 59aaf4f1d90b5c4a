/** The published protocol of tracker programs, and programs that break it. */
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import { tracker as schema } from '../../../src/config/schema/tracker.js';
import { openTracker } from '../../../src/trackers/open.js';
import type { Tracker } from '../../../src/trackers/tracker.js';
import { trackerSchemas } from '../../../src/trackers/wire.js';

/** A program that prints this. */
const printing = (output: string, more = '', timeoutMs = 20_000, filter: object = {}): Tracker => {
  const run = [process.execPath, '-e', `process.stdout.write(${JSON.stringify(output)});${more}`];
  return openTracker(schema.parse({ tracker: 'command', run, write: true, ...filter }), {
    ...{ env: process.env, cwd: tmpdir(), timeoutMs },
  });
};
const A = { owner: 'aaaa', run: 'run-1', idea: 'item-1', life: 1 };

describe('tracker programs (F4)', () => {
  it('the published schemas are up to date', async () => {
    for (const [name, wanted] of Object.entries(trackerSchemas())) {
      const file = new URL(`../../../schemas/${name}`, import.meta.url);
      expect(JSON.parse(await readFile(file, 'utf8')), `npm run schemas: ${name}`).toEqual(
        JSON.parse(JSON.stringify(wanted)),
      );
    }
  });

  it('every property of the schemas is explained', () => {
    const check = (node: unknown, path: string): void => {
      if (node === null || typeof node !== 'object') return;
      const { properties = {} } = node as { properties?: Record<string, { description?: string; $ref?: string }> };
      for (const [key, value] of Object.entries(properties))
        expect(value.description ?? value.$ref, `${path}.${key}`).toMatch(/\S{3}/);
      for (const [key, value] of Object.entries(node)) check(value, `${path}.${key}`);
    };
    for (const [name, wanted] of Object.entries(trackerSchemas())) check(wanted, name);
  });

  it('words of a program are short and in one line, because they become part of the history', async () => {
    const saying = (key: string): Tracker =>
      printing('', `console.log(JSON.stringify({ ${key}: '\\u001b[2Jzoe\\u0007\\nof ' + 'a'.repeat(3_000_000) }));`);
    const taken = await saying('taken').claim('1', A, 'works');
    expect(taken?.taken).toMatch(/^zoe of a{100,}…$/);
    expect(taken?.taken.length).toBeLessThanOrEqual(300);
    const error = await saying('error').claim('1', A, 'works').then(String, String);
    expect(error).toMatch(/\(claim\): zoe of a{100,}…$/);
    expect(error.length).toBeLessThan(2000);
  });

  it('an item that is taken stays so, whatever the program prints after it', async () => {
    expect(await printing('{"taken":"zoe"}\n{"ok":true}\n').claim('1', A, 'works')).toEqual({ taken: 'zoe' });
  });

  it.each([
    [{ tracker: 'github', file: 'reports.jsonl' }, 'file', 'jsonl'],
    [{ tracker: 'jsonl', file: 'reports.jsonl', repository: 'acme/shop' }, 'repository', 'github or gitlab'],
    [{ tracker: 'gitlab', run: ['./tracker'] }, 'run', 'command'],
    [{ tracker: 'jsonl', file: 'reports.jsonl', milestone: 'v1' }, 'milestone', 'github or gitlab or command'],
  ])('a key of another tracker is refused by its name: %j', (given, key, owner) => {
    expect(schema.safeParse(given).error?.issues).toMatchObject([
      {
        path: [key],
        message: `is for the tracker ${owner} only, and this one is ${given.tracker}: remove one of them`,
      },
    ]);
  });

  it('what a program lists is filtered by milestone again, as by labels', async () => {
    const items = ['v1', 'v2', undefined].map((milestone, at) => ({ ref: String(at), title: 'x', milestone }));
    const output = `${items.map((one) => `${JSON.stringify({ item: one })}\n`).join('')}{"ok":true}\n`;
    const refs = async (more: object) => (await printing(output, '', 20_000, more).list()).map(({ ref }) => ref);
    expect(await refs({ milestone: 'v1' })).toEqual(['0']);
    expect(await refs({})).toEqual(['0', '1', '2']);
  });

  it.each([
    ...['unknown op closed', 'this tracker does not know closed', 'op not supported'],
    ...["this tracker doesn't support closed", "I don't know closed", 'unsupported request'],
  ])('a program need not list what was closed: %s', async (error) => {
    expect(await printing(`${JSON.stringify({ error, retry: false })}\n`).closed(new Date(0))).toEqual([]);
  });

  it.each([
    ['{"error":"the network is down","retry":true}', true],
    ['{"error":"the login is gone"}', false],
    ['{"error":"unknown host api.example.com"}', false],
    ['{"error":"unsupported TLS version"}', false],
    ['{"error":"slow down","retryAt":"2030-01-01T00:00:00Z"}', true],
  ])('an outage does not count as nothing closed: %s', async (line, retry) => {
    await expect(printing(`${line}\n`).closed(new Date(0))).rejects.toMatchObject({ retry });
  });

  it('a program that crashes over the list of closed items is told how to go without', async () => {
    const crash = printing('', 'process.exit(1)').closed(new Date(0));
    await expect(crash).rejects.toMatchObject({ retry: true, message: /\{"error":"unknown op"\}/ });
  });

  it('a list that is cut off is no shorter list', async () => {
    const whole = '{"item":{"ref":"1","title":"One"}}\n';
    await expect(printing(whole).list()).rejects.toMatchObject({ retry: true, message: /without \{"ok":true\}/ });
    expect(await printing(`${whole}{"ok":true}\n`).list()).toMatchObject([{ ref: '1', member: false }]);
  });

  it('what is no answer is named with its line', async () => {
    await expect(printing('{"ok":true}\noops\n').check()).rejects.toMatchObject({ message: /line 2 .* is no JSON/ });
    const odd = printing('{"item":{"title":"no ref"}}\n{"ok":true}\n').list();
    await expect(odd).rejects.toMatchObject({ retry: false, message: /line 1 .*tracker-answer\.schema\.json/ });
  });

  it.each([
    ['{"item":{"ref":1,"title":"x"}}', 'item.ref must be text, not 1 (put it in quotes: "1")'],
    ['{"item":{"ref":"1","body":"b"}}', 'item.title is missing'],
    ['{"item":{"ref":"1 2","title":"x"}}', 'item.ref must be 1 to 200 characters without blanks'],
    [
      '{"error":"slow","retryAt":"tomorrow","retry":"yes"}',
      'retry must be true or false, not text ("yes"), retryAt must be a time such as 2026-06-01T10:00:00Z',
    ],
    ['{"ok":false}', 'ok must be true, not false'],
    ['1', 'a line is a JSON object with "item", "ok", "taken" or "error"'],
    ['{"items":[]}', 'a line is a JSON object with "item", "ok", "taken" or "error"'],
  ])('the field of an answer that is wrong is named: %s', async (line, wrong) => {
    await expect(printing(`${line}\n{"ok":true}\n`).list()).rejects.toMatchObject({
      message: `${process.execPath} (list): line 1 of its output does not fit schemas/tracker-answer.schema.json: ${wrong}`,
    });
  });

  it('a message ends once, also without a word of the program', async () => {
    const silent = printing('', 'process.exit(3)').check();
    await expect(silent).rejects.toMatchObject({ message: `${process.execPath} (check) failed with exit code 3` });
    const missing = openTracker(schema.parse({ tracker: 'command', run: ['./not-there'] }), {
      ...{ env: process.env, cwd: tmpdir(), timeoutMs: 1000 },
    });
    await expect(missing.check()).rejects.toMatchObject({ message: /correct the command$/ });
  });

  it('errors come with their fix, and with the time of the next try', async () => {
    const limited = printing('{"error":"slow down","retryAt":"2030-01-01T00:00:00Z"}\n').check();
    await expect(limited).rejects.toMatchObject({ retry: true, at: Date.parse('2030-01-01T00:00:00Z') });
    await expect(printing('{"error":"no such project"}\n').check()).rejects.toMatchObject({ retry: false });
  });

  it('a program that crashes, hangs or is missing can be tried again', async () => {
    const crash = printing('', 'process.stderr.write("boom\\n");process.exit(3)').check();
    await expect(crash).rejects.toMatchObject({ retry: true, message: /exit code 3: boom/ });
    const hang = printing('', 'setInterval(() => {}, 1000)', 1000).check();
    await expect(hang).rejects.toMatchObject({ retry: true, message: /timed out after 1 s/ });
    const killed = printing('', 'process.kill(process.pid, "SIGKILL")').check();
    await expect(killed).rejects.toMatchObject({ retry: true, message: /was ended by SIGKILL/ });
    const missing = openTracker(schema.parse({ tracker: 'command', run: ['./not-there'] }), {
      ...{ env: process.env, cwd: tmpdir(), timeoutMs: 1000 },
    });
    await expect(missing.check()).rejects.toMatchObject({ retry: true, message: /cannot be started/ });
  });

  it.each([
    ['empty lines', "'\\n'.repeat(1 << 16)"],
    ['lines', '\'{"ok":true}\\n\'.repeat(1 << 12)'],
    ['lines of 70 MB', "'x'.repeat(70 << 20) + '\\n'"],
  ])('a program that prints %s without an end is stopped, and says so', async (_, chunk) => {
    const flood = `const more = () => { while (process.stdout.write(${chunk})); process.stdout.once('drain', more); }; more();`;
    await expect(printing('', flood, 120_000).list()).rejects.toMatchObject({
      retry: false,
      message: /printed more than 64 MB and was stopped/,
    });
  });

  it('a program that floods stderr is stopped as well; of less, its last line is told, cut', async () => {
    const chunk = "'some words of a log\\n'.repeat(1 << 12)";
    const flood = `const more = () => { while (process.stderr.write(${chunk})); process.stderr.once('drain', more); }; more();`;
    const log = vi.spyOn(process.stderr, 'write');
    try {
      await expect(printing('', flood, 120_000).list()).rejects.toMatchObject({
        retry: false,
        message: /printed more than 64 MB and was stopped$/,
      });
      const much = `process.stderr.write('x'.repeat(1 << 20) + '\\n' + 'y'.repeat(1 << 20), () => process.exit(3))`;
      const failed = await printing('', much)
        .check()
        .catch((error: unknown) => (error as Error).message);
      expect(failed).toMatch(/exit code 3: y+/);
      expect(failed).not.toContain('x'.repeat(100));
      expect(String(failed).length).toBeLessThan(1000);
      // Good answers count whatever stands beside them.
      const noisy = `process.stderr.write('z'.repeat(1 << 20), () => console.log('{"ok":true}'))`;
      await expect(printing('', noisy).check()).resolves.toEqual({});
      expect(log).not.toHaveBeenCalled();
    } finally {
      log.mockRestore();
    }
  });

  it('texts and refs arrive as data, never in a shell or an argument', async () => {
    const echo = `let s='';process.stdin.on('data',(d)=>s+=d).on('end',()=>{const r=JSON.parse(s);
      console.log(JSON.stringify(process.argv.length===1&&r.text==='$(touch x) \\u0000; rm'?{ok:true}:{error:'changed'}))})`;
    await expect(printing('', echo).claim('1; rm -rf', A, '$(touch x) \u0000; rm')).resolves.toBeUndefined();
  });
});
