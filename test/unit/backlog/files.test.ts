import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BacklogError, findBacklog, readBacklog, toCard } from '../../../src/backlog/index.js';
import { exportSchemas } from '../../../src/backlog/schemas.js';
import { MAX_CARD_TITLE } from '../../../src/protocol/idea.js';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ralphctl-backlog-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const put = async (name: string, text: string | Uint8Array): Promise<string> => {
  const file = join(dir, name);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, text);
  return file;
};

describe('findBacklog', () => {
  it.each(['roadmap.md', 'ROADMAP.md', 'specs/roadmap.md', 'ideas.yaml', 'ideas.yml', 'ideas.json'])(
    'finds %s',
    async (name) => {
      const file = await put(name, '');
      expect(await findBacklog(dir)).toBe(file);
    },
  );
  it('takes the configured one', async () => {
    await put('roadmap.md', '');
    expect(await findBacklog(dir, 'docs/x.md')).toBe(join(dir, 'docs/x.md'));
  });
  it('refuses to choose', async () => {
    const one = await put('ideas.json', '');
    const two = await put('specs/roadmap.md', '');
    const error = await findBacklog(dir).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(BacklogError);
    expect(String(error)).toContain(`more than one file could be the backlog: ${one}, ${two}`);
  });
  it('says what to do when there is none', async () => {
    await expect(findBacklog(dir)).rejects.toThrow(/no backlog here; write roadmap\.md, or name the file/);
  });
});

describe('readBacklog', () => {
  it('hashes the bytes of the file', async () => {
    const bytes = Buffer.from('\uFEFF- [ ] **a-1**: ü\r\n');
    const file = await put('r.md', bytes);
    const backlog = await readBacklog(file);
    expect(backlog).toMatchObject({ file, format: 'roadmap', ideas: [{ id: 'a-1', title: 'ü' }] });
    expect(backlog.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect((await readBacklog(file, { text: bytes.toString() })).sha256).toBe(backlog.sha256);
  });
  it.each<[string, string | Uint8Array, RegExp]>([
    ['r.md', Uint8Array.of(0x2d, 0xff, 0xfe), /r\.md: this is not UTF-8 text/],
    ['folder/x.md', '', /this file contains no task/],
    ['what', 'just words', /neither the name nor the content shows/],
  ])('refuses %s', async (name, content, message) => {
    await expect(readBacklog(await put(name, content))).rejects.toThrow(message);
  });
  it.each([
    ['/dev/zero', /not a regular file/],
    ['/dev/tty', /cannot be read|not a regular file/],
    ['/proc/self/mem', /cannot be read/],
  ])('refuses %s at once', async (path, message) => {
    await expect(readBacklog(path)).rejects.toThrow(message);
  });
  it('names the line of a NUL', async () => {
    const text = '# R\n\n- [ ] **a-1**: x\0y\n';
    await expect(readBacklog(await put('nul.md', text))).rejects.toThrow(
      /nul\.md:3: this line contains a NUL character/,
    );
  });
  it.each([
    ['prd.json', '{"userStories":[\n{"id":"US-1","title":"x\\u0000y","passes":false}]}', 2, 'title'],
    [
      '.taskmaster/tasks/tasks.json',
      '{"tasks":[\n{"id":1,"title":"x","description":"\\u0000","status":"pending","dependencies":[],"subtasks":[]}]}',
      2,
      'text',
    ],
    [
      '.ralph/queue.jsonc',
      '{"version":1,"tasks":[\n{"id":"RQ-1","title":"x","tags":["a\\u0000"],"status":"todo"}]}',
      2,
      'tags',
    ],
    [
      '.beads/issues.jsonl',
      '{"id":"a-1","title":"x","status":"open"}\n{"id":"a-2","title":"x\\u0000y","status":"open"}\n',
      2,
      'title',
    ],
    [
      '.ralph/agent/tasks.jsonl',
      '{"id":"task-1-a","title":"x","description":"\\u0000","status":"open","priority":1,"blocked_by":[]}\n',
      1,
      'text',
    ],
    ['tasks.yaml', 'tasks:\n  - title: x\n    completed: false\n  - title: "y\\0"\n    completed: false\n', 4, 'title'],
    ['backlog/tasks/task-1 - X.md', '---\nid: task-1\ntitle: "x\\0y"\nstatus: To Do\n---\n', 1, 'title'],
  ])('F5: names the idea where a NUL is written as an escape, in %s', async (name, text, line, key) => {
    const error = await readBacklog(await put(name, text)).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(BacklogError);
    expect(String(error)).toContain(`${name}:${line}: a NUL character is not allowed in its ${key}; remove it`);
  });
  it('reads what is slow because the machine is busy: only CPU time counts', async () => {
    // Other programs had the cores while the clock ran out, twice.
    const late = vi.fn(() => {
      throw Object.assign(new Error('timed out'), { code: 'ERR_SCRIPT_EXECUTION_TIMEOUT' });
    });
    vi.spyOn(Script.prototype, 'runInContext').mockImplementationOnce(late).mockImplementationOnce(late);
    vi.spyOn(process, 'cpuUsage').mockReturnValue({ user: 0, system: 0 });
    const text = `# R\n\n- [ ] **a-1**: ${'a**a'.repeat(10)}\n`;
    const { ideas } = await readBacklog('r.md', { text }).finally(() => vi.restoreAllMocks());
    expect(late).toHaveBeenCalledTimes(2);
    expect(ideas.map(({ id }) => id)).toEqual(['a-1']);
  });
  it('gives a parser that got part of a core no more clock time than that explains', async () => {
    const given: number[] = [];
    vi.spyOn(Script.prototype, 'runInContext').mockImplementation((_context, options) => {
      given.push((options as { timeout: number }).timeout);
      throw Object.assign(new Error('timed out'), { code: 'ERR_SCRIPT_EXECUTION_TIMEOUT' });
    });
    // Half a core in each try.
    vi.spyOn(process, 'cpuUsage').mockImplementation(() => ({ user: (given.at(-1) ?? 0) * 500, system: 0 }));
    await expect(
      readBacklog('r.md', { text: '# R\n\n- [ ] **a-1**: x\n' }).finally(() => vi.restoreAllMocks()),
    ).rejects.toThrow(/r\.md:1: .*takes too long to read/);
    expect(given).toEqual([2000, 6000]);
  });
  it('F5: takes seconds at most for a whole file, however many slow pieces it has', async () => {
    // A little below the time of a piece.
    const [piece, most] = [39, 8000];
    const parsed = vi
      .spyOn(Script.prototype, 'runInContext')
      .mockImplementation(() => ({ type: 'root', children: [] }));
    vi.spyOn(process, 'cpuUsage').mockReturnValue({ user: piece * 1000, system: 0 });
    const text = `# R\n\n${`- [ ] **a**: ${'x'.repeat(4096)}\n`.repeat(1000)}`;
    await expect(readBacklog('r.md', { text }).finally(() => vi.restoreAllMocks())).rejects.toThrow(
      /r\.md:\d+: the Markdown up to this line takes too long to read/,
    );
    expect(parsed.mock.calls.length).toBe(Math.floor(most / piece) + 1);
  });
  it.each([
    ['50,000 emphasis marks', `- [ ] **a-2**: ${'*a_'.repeat(50_000)}`],
    ['a hundred slow pieces', `- [ ] **a-2**: ${'*a_'.repeat(1333)}\n`.repeat(100)],
    ['a list nested 500 deep', Array.from({ length: 500 }, (_, i) => `${'  '.repeat(i)}- a`).join('\n')],
    ['runs of backticks', `- [ ] **a-2**: ${Array.from({ length: 3000 }, (_, i) => `${'`'.repeat(i)}a`).join('')}`],
  ])('reads, or refuses with the line, what would take the parser hours: %s', async (_, text) => {
    const error = await readBacklog('r.md', { text: `# R\n\n- [ ] **a-1**: fine\n${text}\n` }).catch((e: unknown) => e);
    if (error instanceof Error) {
      expect(error).toBeInstanceOf(BacklogError);
      expect(error.message).toMatch(/r\.md:\d+: .*(?:takes too long to read|nested too deeply)/);
    }
  });
  it('refuses what is not there and what is a folder', async () => {
    await expect(readBacklog(join(dir, 'no.md'))).rejects.toThrow(/no\.md: there is no such file/);
    await mkdir(join(dir, 'd.md'));
    await expect(readBacklog(join(dir, 'd.md'))).rejects.toThrow(/this is a folder/);
  });

  it.each([
    ['ralph.yml', 'cli: {backend: claude}\nevent_loop: {prompt_file: PROMPT.md}\n', 'ralph-orchestrator'],
    ['prd.md', '### US-001: Add a button\n**Acceptance Criteria:**\n- [ ] it works\n', 'Markdown PRD'],
    ['queue.json', '{"version":"1.0","queue":[]}', 'frankbria'],
    ['queue.jsonc', '// c\n{"version":1}', 'JSON with comments'],
    ['log.jsonl', '{"at":1}\n', 'a JSON-lines file'],
  ])('names what %s is, and what is read', async (name, text, tool) => {
    const error = await readBacklog(name, { text }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(BacklogError);
    expect(String(error)).toContain(tool);
    expect(String(error)).toMatch(
      /which ralphctl does not read; ralphctl reads roadmap\.md .*, ideas\.yaml or ideas\.json .*: ralphctl help backlog/,
    );
  });

  it('goes by the content where the name says nothing', async () => {
    expect((await readBacklog('TODO', { text: '# x\n- [ ] **a-1**: y' })).format).toBe('roadmap');
    expect((await readBacklog('TODO', { text: 'version: 1\nideas:\n- {id: a, title: b}' })).format).toBe('ideas');
  });
});

it('a card is small', async () => {
  const { ideas } = await readBacklog('i.json', {
    text: JSON.stringify([
      {
        id: 'a',
        title: `${'x'.repeat(MAX_CARD_TITLE - 2)}😀😀`,
        text: 'long'.repeat(1000),
        tags: ['t'],
        dependsOn: ['c'],
        parent: 'b',
      },
      { id: 'b', title: 'B' },
      { id: 'c', title: 'x'.repeat(MAX_CARD_TITLE) },
      // Views show no escape sequence, so it takes no room of the title.
      { id: 'd', title: `\u001b]8;;http://x/${'y'.repeat(MAX_CARD_TITLE)}\u0007A link\u001b]8;;\u0007 at its end` },
    ]),
  });
  expect(ideas.map(toCard)).toEqual([
    { id: 'a', title: `${'x'.repeat(MAX_CARD_TITLE - 2)}…`, dependsOn: ['c'], parent: 'b', tags: ['t'] },
    { id: 'b', title: 'B', blue: true },
    { id: 'c', title: 'x'.repeat(MAX_CARD_TITLE) },
    { id: 'd', title: 'A link at its end' },
  ]);
});

it('the published schemas are up to date, and explain every key', async () => {
  for (const [name, schema] of Object.entries(exportSchemas())) {
    const file = new URL(`../../../schemas/${name}`, import.meta.url);
    expect(JSON.parse(await readFile(file, 'utf8')), `run the schema export again: ${name}`).toEqual(
      JSON.parse(JSON.stringify(schema)),
    );
    const check = (node: unknown, path: string): void => {
      if (node === null || typeof node !== 'object') return;
      const { properties } = node as { properties?: Record<string, { description?: string }> };
      for (const [key, value] of Object.entries(properties ?? {}))
        expect(value.description, `${name} ${path}.${key}`).toMatch(/\S{3}/);
      for (const [key, value] of Object.entries(node)) check(value, `${path}.${key}`);
    };
    check(schema, '');
  }
});
