/**
 * Loads one big CommonJS file of dist/ with V8's compiled form of it, which halves the time: the program and the SDK's
 * client are hundreds of modules when loaded normally.
 * Invariant: the compiled form is only a cache. V8 rejects one of another version, and a file that is missing, stale or
 * not writable costs only time.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Script } from 'node:vm';

type Load = (exports: object, require: NodeJS.Require, module: { exports: object; filename: string }) => void;

/** The exports of `file`, which holds nothing but ASCII. `fallbackDir` takes the compiled form when `file`'s folder cannot. */
export function loadCompiled(file: string, buildId: string, fallbackDir: string): Record<string, unknown> {
  // V8 checks only the length of the source, so the name identifies the build of the compiled form.
  const cacheName = `${basename(file)}-${buildId.slice(0, 16)}-${process.version}-${process.arch}.v8`;
  const places = [join(dirname(file), 'compiled', cacheName), join(fallbackDir, 'compiled', cacheName)];
  const cachedData = firstReadable(places);
  const source = `(function (exports, require, module) {${readFileSync(file, 'latin1')}\n})`;
  const script = new Script(source, { filename: file, cachedData });
  const module = { exports: {}, filename: file };
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

/** At the end of the program, so that it includes functions compiled while it ran. */
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
