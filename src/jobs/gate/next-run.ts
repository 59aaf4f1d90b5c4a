/**
 * What the next run takes from the repository, besides the files with the names of a configuration file: the file that
 * such a name links to, the prompt template, and what set-up and agents of the configuration run.
 * Invariant: the user's checkout and the run's configuration decide, which no idea changes before a person saw it. Reads
 * only, and never throws.
 */
import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { CONFIG_FILES } from '../../config/file-names.js';
import type { NextRun } from '../../gate/tripwires/gate-files.js';
import type { RunFile } from '../../run-files/shapes.js';

export async function nextRun({ repo, folder = repo, config }: RunFile): Promise<NextRun> {
  // Runs of older versions may lack keys.
  const template = config.prompt?.template;
  const named = [...CONFIG_FILES.map((name) => join(folder, name)), ...(template ? [join(repo, template)] : [])];
  const top = await realpath(repo).catch(() => repo);
  const real = await Promise.all(named.map((path) => realpath(path).catch(() => path)));
  const inside = [...named.map((path) => relative(repo, path)), ...real.map((path) => relative(top, path))].filter(
    (path) => path !== '' && path !== '..' && !path.startsWith('../') && !isAbsolute(path),
  );
  const setUp = config.setup?.run;
  const agents = Object.values(config.agents).flatMap(({ command, args }) =>
    command ? [[...command, ...(args ?? [])]] : [],
  );
  return { files: [...new Set(inside)], commands: [...(setUp ? [setUp] : []), ...agents] };
}
