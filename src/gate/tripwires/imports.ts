/** Which files of the repository a source text imports, by its text alone. Invariant: never throws; linear. Pure. */
import { dirname, join, normalize } from 'node:path/posix';

const JS = /\.[cm]?[jt]sx?$/;
const JS_IMPORT =
  /(?:\bfrom|\bimport|\brequire(?:\.resolve)?)\s{0,9}(?:\(\s{0,9})?(['"`])(\.{1,2}\/[^'"`\n]{1,300})\1/g;
const ENDINGS = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.jsx', '.tsx', '.json'];
const PY_IMPORT = /^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import\b([^\n#]*)|import[ \t]+([^\n#]+))/gm;

/** For each import its possible paths, most likely first. */
export function imported(path: string, text: string): string[][] {
  if (JS.test(path)) return [...text.matchAll(JS_IMPORT)].map((found) => jsPaths(path, found[2] ?? ''));
  if (!path.endsWith('.py')) return [];
  return [...text.matchAll(PY_IMPORT)].flatMap(([, module, names, plain]) =>
    module === undefined
      ? list(plain).map((name) => pyPaths(path, name))
      : [module, ...list(names).map((name) => (module.endsWith('.') ? module + name : `${module}.${name}`))].map(
          (name) => pyPaths(path, name),
        ),
  );
}

/** First names of the modules that a Python text imports by their whole name. */
export const pythonModules = (text: string): string[] =>
  [...text.matchAll(PY_IMPORT)]
    .flatMap(([, module, , plain]) => (module === undefined ? list(plain) : [module]))
    .flatMap((name) => (name.startsWith('.') ? [] : [name.split('.')[0] ?? '']))
    .filter((name) => name !== '');

function jsPaths(from: string, specifier: string): string[] {
  const whole = normalize(join(dirname(from), specifier)).replace(/\/$/, '');
  const bare = whole.replace(/\.([cm]?)js(x?)$/, '.$1ts$2');
  const paths = [whole, bare, ...ENDINGS.flatMap((end) => [whole + end, `${whole}/index${end}`])];
  return [...new Set(paths)].filter(inside);
}

function pyPaths(from: string, module: string): string[] {
  const dots = /^\.*/.exec(module)?.[0].length ?? 0;
  const path = module.slice(dots).replaceAll('.', '/');
  const folder = dirname(from);
  const roots = dots > 0 ? [join(folder, ...Array<string>(dots - 1).fill('..'))] : [folder, '.'];
  return roots
    .flatMap((root) => (path ? [`${join(root, path)}.py`, join(root, path, '__init__.py')] : []))
    .filter(inside);
}

const list = (text = ''): string[] =>
  text
    .split(',')
    .map((part) => /[\w.]+/.exec(part)?.[0] ?? '')
    .filter((name) => name !== '');

const inside = (path: string): boolean => !path.startsWith('../') && !path.startsWith('/');
