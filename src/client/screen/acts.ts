/**
 * Carries out acts beyond painting: commands, the editor, the clipboard, a worker.
 * Invariant: every command goes through the program's command line. No act throws: an error becomes a message.
 */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { readOwn } from '../../config/own-files.js';
import { asSystemError } from '../../config/system-errors.js';
import { makeTemporary } from '../../process/temporary.js';
import { plainText } from '../../protocol/escapes.js';
import type { Act } from '../../screen/control/act.js';
import { withoutSent } from '../../screen/control/drafts.js';
import { draftOf } from '../../screen/control/typing.js';
import type { Terminal } from '../../screen/terminal/terminal.js';
import type { Ui } from '../../screen/ui.js';
import { connectTarget } from '../../server/target.js';
import type { Context } from '../context.js';
import { openEditor } from '../editor.js';
import { withDisk } from '../state-folder.js';
import { endsText } from '../views/worker-ends.js';
import { ensureWorker, program } from '../worker-process.js';
import type { RunSource } from './source.js';
import { tell } from './tell.js';

/** The functions of the screen that acts call. */
export interface ActHost {
  readonly context: Context;
  readonly terminal: Terminal;
  readonly source: RunSource;
  readonly project: string;
  /** As they were at the key press. */
  readonly drafts: Ui['drafts'];
  /** Changes the drafts as they are now. */
  redraft(change: (drafts: Ui['drafts']) => Ui['drafts']): void;
  say(text: string, ok?: boolean): void;
  leave(): void;
  repaint(): void;
  /** Makes the pages about whole runs reload. */
  forget(): void;
}

export async function carryOut(act: Act, host: ActHost): Promise<void> {
  try {
    await done(act, host);
  } catch (error) {
    const { message } = (await withDisk(error, host.context)) as Error;
    host.say((asSystemError(error)?.message ?? message).split('\n')[0] || `${act.do} failed`, false);
  }
}

async function done(act: Act, host: ActHost): Promise<void> {
  const { context, terminal, source } = host;
  switch (act.do) {
    case 'leave':
      host.leave();
      return;
    case 'shell':
      terminal.suspend();
      return;
    case 'repaint':
      terminal.painter.forget();
      host.repaint();
      return;
    case 'refresh':
      source.refresh();
      terminal.painter.forget();
      host.say('asked again');
      return;
    case 'copy':
      terminal.copy(act.text);
      host.say(`copied: ${act.text.slice(0, 60)}`);
      return;
    case 'web': {
      const page = source.webPage(act.idea);
      host.say(page ?? 'no Web UI is known for this server', page !== undefined);
      return;
    }
    case 'page': {
      host.say('writing the page …');
      const { ok, text } = await tell(context, ['report', '--run', act.run, '--html']);
      host.say(ok ? `the report of run ${act.run} as a page: ${pathToFileURL(text).href}` : text, ok);
      return;
    }
    case 'worker': {
      host.say('starting a worker …');
      // A worker that runs does not bring back a server that a person stopped.
      await connectTarget(context, { start: true, onProgress: (line) => host.say(line) });
      const { ends } = await ensureWorker(context, host.project);
      source.refresh();
      if (ends) host.say(endsText(ends, context.root, host.project), false);
      else host.say('a worker runs');
      return;
    }
    case 'editor':
      await inEditor(act.idea, host);
      return;
    case 'lend':
      await terminal.lend(
        () => execa(process.execPath, [program(), '-C', context.cwd, ...act.args], { stdio: 'inherit', reject: false }),
        () => '',
      );
      return;
    case 'edit': {
      const edited = await terminal.lend(
        () => tell(context, act.args),
        ({ ok, text }) => (ok ? undefined : text),
      );
      source.refresh();
      host.say(edited.text, edited.ok);
      return;
    }
    case 'tell': {
      const first = await tell(context, act.args);
      const then = act.next && first.ok ? await tell(context, act.next) : first;
      const ok = then.ok;
      const text = then === first ? first.text : `the ${act.args[0]} is taken; ${then.text}`;
      const name = act.draft;
      if (ok && name !== undefined) host.redraft((drafts) => withoutSent(drafts, host.drafts, name));
      source.refresh();
      host.forget();
      host.say(text, ok);
    }
  }
}

/** Opens the draft answer in the person's editor. What a failed editor printed stays until a key press. */
async function inEditor(idea: string, host: ActHost): Promise<void> {
  const dir = await makeTemporary('answer');
  const file = join(dir, 'answer.md');
  try {
    await writeFile(file, host.drafts[idea]?.text ?? '', { mode: 0o600 });
    const instead = 'Or type the answer here; Ctrl-J begins a new line';
    const code = await host.terminal.lend(
      () => openEditor(host.context, { file, instead }),
      (exit) => (exit === 0 ? undefined : failedWith(exit)),
    );
    if (code !== 0) {
      host.say(failedWith(code), false);
      return;
    }
    const text = plainText((await readOwn(file)) ?? '').trimEnd();
    host.redraft((drafts) => ({ ...drafts, [idea]: { ...drafts[idea], ...draftOf(text) } }));
    host.repaint();
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const failedWith = (code: number): string => `the editor exited with code ${code}; the answer is as it was`;
