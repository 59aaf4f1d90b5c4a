/**
 * `ralphctl edit IDEA`: changes an idea of the open run, by flags or in $EDITOR. Texts go into the run's files, and the run
 * gets their revision. The backlog file stays as it is; later runs use the edit (`run-files/amendments.ts`).
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { makeTemporary } from '../../../process/temporary.js';
import { type Intervention, type LimitPatch, MOST_ITERATIONS, MOST_MINUTES } from '../../../protocol/command.js';
import type { Idea } from '../../../protocol/idea.js';
import { UserError } from '../../../protocol/user-error.js';
import { type AmendedFields, amend } from '../../../run-files/amendments.js';
import { type IdeaEdit, lastEdit, writeEdit } from '../../../run-files/edits.js';
import { loadIdea } from '../../../run-files/run.js';
import { type Context, say } from '../../context.js';
import { openEditor } from '../../editor.js';
import { endProgress } from '../../progress.js';
import { forgetAmendment } from './forget.js';
import { knownIdea, type OpenRun, send, withProject } from './interventions.js';

export interface EditOptions {
  title?: string;
  text?: string;
  success?: string[];
  maxIterations?: number;
  timeout?: number;
  iterationTimeout?: number;
  reason?: string;
  /** Drop the edit for later runs. */
  forget?: boolean;
}

/** At least a second. */
const MINUTES = z
  .number()
  .min(1 / 60)
  .max(MOST_MINUTES);
const EDITABLE = z.strictObject({
  title: z.string().trim().min(1),
  text: z.string().trim().min(1),
  success: z.array(z.string().trim().min(1)).default([]),
  maxIterations: z.int().min(1).max(MOST_ITERATIONS).optional(),
  timeoutMinutes: MINUTES.optional(),
  iterationTimeoutMinutes: MINUTES.optional(),
});
type Editable = z.infer<typeof EDITABLE>;

export async function edit(context: Context, idea: string, options: EditOptions): Promise<number> {
  if (options.forget) return forgetAmendment(context, idea, 'edit');
  const inRun = async (run: OpenRun): Promise<number> => {
    await knownIdea(context, run, idea);
    const before = await current(context, run, idea);
    const after = given(options) ? withFlags(before, options) : await inEditor(context, idea, before);
    const pinned = await loadIdea(context.root, run, idea);
    if (pinned) (await import('../../after-run/amend.js')).assertIterationsCount(pinned, difference(before, after));
    const command = await commandOf(context, run, idea, before, after);
    if (!command) throw new UserError(`${idea} is unchanged`);
    const code = await send(context, run, { ...command, ...(options.reason ? { reason: options.reason } : {}) });
    if (pinned) await amend(context.root, run.project, pinned, { fields: difference(before, after) });
    if (!context.json) {
      say(
        `later runs use the edit too, until the backlog file has a new text for ${idea}. To drop the edit: ralphctl edit ${idea} --forget`,
      );
    }
    return code;
  };
  return withProject(context, inRun, async (closed) => {
    const { amendWithoutRun, ideaOfNextRun } = await import('../../after-run/amend.js');
    const whole = await ideaOfNextRun(closed, idea, 'edit');
    const before = editable(whole);
    const after = given(options) ? withFlags(before, options) : await inEditor(context, idea, before);
    const fields = difference(before, after);
    if (Object.keys(fields).length === 0) throw new UserError(`${idea} is unchanged`);
    return amendWithoutRun(closed, whole, {
      verb: 'edit',
      change: { fields },
      ...(options.reason ? { reason: options.reason } : {}),
    });
  });
}

/** The fields that the edit sets. */
function difference(before: Editable, after: Editable): AmendedFields {
  const same = (key: keyof Editable): boolean => JSON.stringify(before[key]) === JSON.stringify(after[key]);
  return Object.fromEntries(Object.entries(after).filter(([key]) => !same(key as keyof Editable)));
}

const given = ({ reason: _, ...rest }: EditOptions): boolean => Object.values(rest).some((one) => one !== undefined);

async function current(context: Context, run: OpenRun, id: string): Promise<Editable> {
  const idea = await loadIdea(context.root, run, id).catch(() => undefined);
  if (!idea)
    throw new UserError(
      `this machine lacks the files of run ${run.runId}. Call edit on the machine that started the run`,
    );
  const { edit: edited } = await lastEdit(context.root, run, id);
  return editable({ ...idea, ...edited });
}

function editable(now: Idea): Editable {
  return {
    title: now.title,
    text: now.text,
    success: now.success,
    ...(now.maxIterations === undefined ? {} : { maxIterations: now.maxIterations }),
    ...(now.timeoutMinutes === undefined ? {} : { timeoutMinutes: now.timeoutMinutes }),
    ...(now.iterationTimeoutMinutes === undefined ? {} : { iterationTimeoutMinutes: now.iterationTimeoutMinutes }),
  };
}

function withFlags(before: Editable, options: EditOptions): Editable {
  const { title, text, success, maxIterations, timeout, iterationTimeout } = options;
  return checked({
    ...before,
    ...(title === undefined ? {} : { title }),
    ...(text === undefined ? {} : { text }),
    ...(success === undefined ? {} : { success }),
    ...(maxIterations === undefined ? {} : { maxIterations }),
    ...(timeout === undefined ? {} : { timeoutMinutes: timeout }),
    ...(iterationTimeout === undefined ? {} : { iterationTimeoutMinutes: iterationTimeout }),
  });
}

/** The result is the content of the file when the editor exits. */
async function inEditor(context: Context, idea: string, before: Editable): Promise<Editable> {
  const dir = await makeTemporary('edit');
  const path = join(dir, `${idea}.yaml`);
  try {
    await writeFile(
      path,
      `# ${idea}: the change applies from its next iteration. The backlog file stays as it is. Later runs use the change.\n${stringify(before)}`,
    );
    endProgress();
    const instead = `Or use flags: ralphctl edit ${idea} --text "…" --max-iterations 20 --timeout 60`;
    const code = await openEditor(context, { file: path, instead });
    if (code !== 0) throw new UserError(`the editor exited with code ${code}; ${idea} is unchanged`);
    return checked(yamlOf(await readFile(path, 'utf8')));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function yamlOf(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new UserError(
      `the edited text is not valid YAML: ${(error as Error).message.split('\n')[0]}. The idea is unchanged`,
    );
  }
}

function checked(value: unknown): Editable {
  const read = EDITABLE.safeParse(value);
  if (read.success) return read.data;
  const [first] = read.error.issues;
  throw new UserError(
    `${first?.path.join('.') || 'the idea'}: ${first?.message ?? 'not valid'}. The idea is unchanged`,
  );
}

const MINUTE = 60_000;

async function commandOf(
  context: Context,
  run: OpenRun,
  idea: string,
  before: Editable,
  after: Editable,
): Promise<Intervention | undefined> {
  const patch: LimitPatch = {
    ...changed('maxIterations', before.maxIterations, after.maxIterations),
    ...changed('timeoutMs', before.timeoutMinutes, after.timeoutMinutes, MINUTE),
    ...changed('iterationTimeoutMs', before.iterationTimeoutMinutes, after.iterationTimeoutMinutes, MINUTE),
  };
  const texts: IdeaEdit = {
    ...(after.title === before.title ? {} : { title: after.title }),
    ...(after.text === before.text ? {} : { text: after.text }),
    ...(JSON.stringify(after.success) === JSON.stringify(before.success) ? {} : { success: after.success }),
  };
  const hasPatch = Object.keys(patch).length > 0;
  const hasTexts = Object.keys(texts).length > 0;
  if (!hasPatch && !hasTexts) return undefined;
  // Texts first: the run may use the revision as soon as it knows it.
  const revision = hasTexts ? await writeEdit(context.root, run, idea, texts) : undefined;
  return {
    verb: 'edit',
    idea,
    ...(hasPatch ? { patch } : {}),
    ...(texts.title === undefined ? {} : { title: texts.title }),
    ...(revision === undefined ? {} : { revision }),
  };
}

function changed(name: keyof LimitPatch, before: number | undefined, after: number | undefined, unit = 1): LimitPatch {
  return after === undefined || after === before ? {} : { [name]: Math.round(after * unit) };
}
