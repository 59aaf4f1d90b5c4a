/** `ralphctl config show|reload`: shows every value with its origin, and applies a changed file to the open run. */
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { configFolder, originsIn } from '../../../config/load.js';
import { flatten, reloadRow } from '../../../config/reload.js';
import { EXIT, UserError } from '../../../protocol/user-error.js';
import { type Context, findProject, print, printJson } from '../../context.js';
import { openRunConfig } from '../../open-run/flags.js';
import { flagOf } from '../../open-run/overridden.js';
import { describeChange, describeOverridden, fileChanges, reloadFile, showValue } from '../../open-run/reload.js';
import { configFor, configOf, type RunConfig, readConfig } from '../../plan/run-config.js';
import { clean } from '../../views/live-lines.js';
import { queued, withRun } from '../steer/interventions.js';

export async function reloadConfig(context: Context): Promise<number> {
  return withRun(context, async (run) => {
    const { revision, taken, changed, kept, overridden } = await reloadFile(context, run);
    if (context.json) printJson({ revision: revision ?? null, taken, changed, kept, overridden });
    else {
      if (changed.length === 0) print('the configuration file has no changes that an open run can apply');
      else if (taken) print('the run uses the changed configuration:');
      else print(`${await queued(context, run.project, 'the changed configuration')}:`);
      const lines = [...[...changed, ...kept].map(describeChange), ...overridden.map(describeOverridden)];
      for (const line of lines) print(clean(`  ${line}`, Number.POSITIVE_INFINITY));
    }
    return EXIT.ok;
  });
}

interface ShownKey {
  key: string;
  value: unknown;
  /** `default`, `ralphctl.yaml:12`, or the flag. */
  origin: string;
  /** An open run can apply a change. */
  reloadable: boolean;
}

export async function showConfig(context: Context, only: string | undefined): Promise<number> {
  const project = await findProject(context);
  const open = await openRunConfig(context, project);
  const keys = await shownKeys(open?.file.folder ?? (await configFolder(context.cwd, project.repository.root)), open);
  const isAsked = ({ key }: { key: string }): boolean =>
    only === undefined || key === only || key.startsWith(`${only}.`);
  const shown = keys.filter(isAsked);
  const changes = open ? (await fileChanges(open)).filter(isAsked) : [];
  // The run may lack a key that the file sets by now.
  if (shown.length === 0 && changes.length === 0)
    throw new UserError(`there is no key ${only}. List all keys: ralphctl config show`);
  const safe = shown.map((one) => ({ ...one, value: showValue(one.key, one.value) === '(set)' ? '(set)' : one.value }));
  if (context.json) {
    printJson({ runId: open?.file.runId ?? null, revision: open?.revision ?? null, keys: safe, changes });
    return EXIT.ok;
  }
  if (open) print(`of the open run ${open.file.runId}${open.revision > 0 ? `, revision ${open.revision}` : ''}`);
  for (const { key, value, origin } of shown)
    print(clean(`${key}: ${showValue(key, value)}  # ${origin}`, Number.POSITIVE_INFINITY));
  if (changes.length > 0) {
    const live = changes.some(({ counts }) => counts !== 'never');
    const how = live ? '; bring it into the run with: ralphctl config reload' : ', for the next run:';
    print(`the file has ${changes.length === 1 ? 'another value' : 'other values'} by now${how}`);
    for (const change of changes) print(clean(`  ${describeChange(change)}`, Number.POSITIVE_INFINITY));
  }
  return EXIT.ok;
}

const NEXT = { format: 'ideas', waves: false } as const;

/**
 * The keys of the open run, otherwise of the next one. The file may have changed since the start, so its line is the
 * origin only when the values agree.
 */
async function shownKeys(root: string, open: RunConfig | undefined): Promise<ShownKey[]> {
  const read = await readConfig(root);
  const config = open?.config ?? configFor(read, {}, NEXT);
  const inFile = flatten(configFor(read, open?.flags ?? {}, open ? configOf(open.file) : NEXT));
  const name = read.file && relative(root, read.file);
  const origins = read.file ? originsIn(await readFile(read.file, 'utf8'), read.file) : () => undefined;
  return [...flatten(config)].map(([key, value]) => {
    const flag = open && flagOf(key, open.flags);
    const line = origins((open?.file.waves && key === 'slots' ? 'waves.slots' : key).split('.'));
    const asInFile = JSON.stringify(inFile.get(key)) === JSON.stringify(value);
    const from = line === undefined ? 'default' : `${name}:${line}`;
    const origin = flag ?? (asInFile ? from : `the run, since its start (now ${from})`);
    return { key, value, origin, reloadable: reloadRow(key)?.counts !== 'never' };
  });
}
