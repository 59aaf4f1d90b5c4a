/**
 * Loads one big CommonJS file of dist/ together with what V8 compiled it to, which takes half the time: the SDK's client
 * is 1.4 MB of source and hundreds of modules when it is loaded the usual way.
 * Invariant: the compiled form is only a cache. V8 refuses one of another version of itself, and a file that is missing,
 * stale or cannot be written costs time and nothing else.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Script } from 'node:vm';

type Load = (exports: object, require: NodeJS.Require, module: { exports: object }) => void;

/** The exports of `file`, which holds nothing but ASCII. `fallbackDir` takes the compiled form when `file`'s folder cannot. */
export function loadCompiled(file: string, buildId: string, fallbackDir: string): Record<string, unknown> {
  // V8 looks at the length of the source only, so the name says which build the compiled form is of.
  const cacheName = `${basename(file)}-${buildId.slice(0, 16)}-${process.version}-${process.arch}.v8`;
  const places = [join(dirname(file), 'compiled', cacheName), join(fallbackDir, 'compiled', cacheName)];
  const cachedData = firstReadable(places);
  const source = `(function (exports, require, module) {${readFileSync(file, 'latin1')}\n})`;
  const script = new Script(source, { filename: file, ...(cachedData ? { cachedData } : {}) });
  const module = { exports: {} };
  (script.runInThisContext() as Load)(module.exports, createRequire(file), module);
  if (!cachedData || script.cachedDataRejected) process.once('exit', () => keep(places, script));
  return module.exports as Record<string, unknown>;
}

function firstReadable(places: readonly string[]): Buffer | undefined {
  for (const place of places) {
    try {
      return readFileSync(place);
    } catch {
      // The next one, or none.
    }
  }
  return undefined;
}

/** At the end of the program, so that functions compiled while it ran are in it. */
function keep(places: readonly string[], script: Script): void {
  for (const place of places) {
    try {
      mkdirSync(dirname(place), { recursive: true });
      writeFileSync(`${place}.${process.pid}`, script.createCachedData());
      renameSync(`${place}.${process.pid}`, place);
      return;
    } catch {
      // Not writable: the next one, or none.
    }
  }
}
