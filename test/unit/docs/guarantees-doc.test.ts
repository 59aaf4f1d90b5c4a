import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const tests = fileURLToPath(new URL('../../', import.meta.url));
const doc = readFileSync(join(tests, '../docs/guarantees.md'), 'utf8');
const files = readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'));

/** `file › title`, `file` alone, or `› title` for another test of the file named before it. */
const REFERENCE = /`([\w./-]+\.test\.ts)?(?: ?› ([^`]+))?`/g;

interface Reference {
  line: number;
  file: string;
  title: string | undefined;
}

function referencesIn(text: string): Reference[] {
  return text.split('\n').flatMap((row, at) => {
    let file = '';
    return [...row.matchAll(REFERENCE)].map(([, named, title]) => {
      file = named ?? file;
      return { line: at + 1, file, title };
    });
  });
}

/** A test file and the files beside it that it imports: titles of `it.each` may stand there. */
function sourceOf(path: string): string {
  const text = readFileSync(join(tests, path), 'utf8');
  const beside = [...text.matchAll(/from '(\.\.?\/[^']+)\.js'/g)].map(([, name]) =>
    join(tests, dirname(path), `${name}.ts`),
  );
  return [text, ...beside.filter((file) => existsSync(file)).map((file) => readFileSync(file, 'utf8'))].join('\n');
}

/** Whether the file has a test whose title contains this text. `it.each` puts its words after the text before `%s`. */
function hasTitle(source: string, title: string): boolean {
  if (source.includes(title)) return true;
  const starts = [...source.matchAll(/\)\(\s*'([^'%]*)%s/g)].map(([, start = '']) => start);
  return starts.some((start) => title.startsWith(start) && source.includes(title.slice(start.length)));
}

function problemOf({ line, file, title }: Reference): string[] {
  const found = files.filter((one) => one === file || one.endsWith(`/${file}`));
  const [path] = found;
  if (path === undefined) return [`line ${line}: no test file ${file}`];
  const source = found.length > 1 && title ? found.map(sourceOf).join('\n') : sourceOf(path);
  const parts = (title ?? '').split(' › ').map((part) => part.replace(/ ?…$/, ''));
  return parts.flatMap((part) => (hasTitle(source, part) ? [] : [`line ${line}: ${file} has no test "${part}"`]));
}

describe('docs/guarantees.md', () => {
  const references = referencesIn(doc);

  it('names only tests that exist', () => {
    expect(references.length).toBeGreaterThan(250);
    expect(references.flatMap(problemOf)).toEqual([]);
  });

  it.each([
    ['a file that is gone', '`unit/docs/gone.test.ts › x`', 'no test file unit/docs/gone.test.ts'],
    [
      'a title that is gone',
      '`docs/cli-doc.test.ts › has exactly the wrong codes`',
      'has no test "has exactly the wrong',
    ],
    [
      'a title of the file named before',
      '`docs/cli-doc.test.ts`, `› no such title here`',
      'has no test "no such title',
    ],
  ])('is checked for %s', (_what, text, problem) => {
    expect(referencesIn(text).flatMap(problemOf).join()).toContain(problem);
  });
});
