/** `ralphctl notify test [row]`: sends a test alert to each row of `notify`, and prints the result of each. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { configFolder, loadConfig } from '../../../config/load.js';
import { projectDir } from '../../../config/paths.js';
import { nearest } from '../../../config/problems.js';
import type { NotifyRow } from '../../../config/schema/notify.js';
import { messageFor, sendTo } from '../../../jobs/alerts/deliver.js';
import type { Alert } from '../../../protocol/alerts.js';
import { EXIT, UserError } from '../../../protocol/user-error.js';
import { pagesOf } from '../../../server/files.js';
import { type Context, findProject, print, printJson } from '../../context.js';
import { clean } from '../../views/live-lines.js';
import { ringBell } from '../../views/terminal.js';

interface Tested {
  row: string;
  to: NotifyRow['to'];
  ok: boolean;
  /** The result, in a sentence. */
  said: string;
}

export async function testNotify(context: Context, only: string | undefined): Promise<number> {
  const { id: project, repository } = await findProject(context);
  const { config } = await loadConfig(await configFolder(context.cwd, repository.root));
  const logs = join(projectDir(context.root, project), 'alerts');
  await mkdir(logs, { recursive: true, mode: 0o700 });
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const tested: Tested[] = [];
  for (const row of wanted(config.notify.rows, only)) {
    const pages = await pagesOf(context.root);
    const message = { ...messageFor({ ...context, host: '' }, project, testAlert(row), pages), test: true as const };
    const place = { env: context.env, cwd: repository.root, logs, project, signal: stop.signal };
    const problem = await sendTo(row, message, place).then(
      () => undefined,
      (error: Error) => error.message,
    );
    tested.push({
      row: row.name,
      to: row.to,
      ...(problem ? { ok: false, said: problem } : { ok: true, said: done(row) }),
    });
    if (stop.signal.aborted) return EXIT.interrupted;
  }
  if (context.json) printJson({ rows: tested });
  else for (const { row, to, ok, said } of tested) print(clean(`${ok ? '✓' : '✗'} ${row} (${to}): ${said}`, 2000));
  return tested.every(({ ok }) => ok) ? EXIT.ok : EXIT.usage;
}

function wanted(rows: readonly NotifyRow[], only: string | undefined): readonly NotifyRow[] {
  if (rows.length === 0)
    throw new UserError('no row alerts anyone. Add notify.rows to ralphctl.yaml; see: ralphctl help alerts');
  if (only === undefined) return rows;
  const row = rows.find(({ name }) => name === only);
  if (row) return [row];
  const names = rows.map(({ name }) => name);
  const near = nearest(only, names);
  const hint = near ? ` Did you mean ${near}?` : '';
  throw new UserError(`notify.rows has no row ${only}.${hint} Its rows: ${names.join(', ')}`);
}

function testAlert({ name }: NotifyRow): Alert {
  const at = Date.now();
  const id = `test.run.question.${at}-${name}`;
  return {
    id,
    counts: { question: 1 },
    items: [
      ...[{ id, kind: 'question' as const, run: 'test', at, command: 'ralphctl notify test', idea: 'test' }].map(
        (item) => ({ ...item, text: 'this is a test: nobody waits for an answer' }),
      ),
    ],
  };
}

function done(row: NotifyRow): string {
  switch (row.to) {
    case 'bell':
      return ringBell() ? 'rang in this terminal' : 'rings in attached terminals; this is none';
    case 'desktop':
      return 'the desktop took it';
    case 'sound':
      return 'played';
    case 'webhook':
      return `taken by the receiver${row.secretEnv ? ', signed' : ', not signed (no secretEnv)'}`;
    case 'command':
      return `${row.run[0] ?? ''} succeeded`;
  }
}
