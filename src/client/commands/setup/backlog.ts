/** `ralphctl backlog` and `ralphctl convert`: show what is read, and write it in a format of ralphctl. Start nothing. */

import { access, writeFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { FORMATS } from '../../../backlog/formats/registry.js';
import { unclear } from '../../../backlog/unclear.js';
import { type Target, written } from '../../../backlog/write.js';
import { configFolder } from '../../../config/load.js';
import { trackerOf } from '../../../config/schema/tracker.js';
import type { FormatName } from '../../../protocol/backlog-formats.js';
import { many } from '../../../protocol/many.js';
import { EXIT, UserError } from '../../../protocol/user-error.js';
import { type Context, findProject, print, printJson, say } from '../../context.js';
import { type Order, orderOf } from '../../plan/order.js';
import { readConfig } from '../../plan/run-config.js';
import { LISTED, planRun, type RunPlan } from '../../plan/run-plan.js';
import { readSource, trackerLine } from '../../plan/source.js';
import { clean, paragraphs } from '../../views/live-lines.js';

export interface BacklogOptions {
  format?: FormatName;
}

export async function showBacklog(
  context: Context,
  backlog: string | undefined,
  { format }: BacklogOptions,
): Promise<number> {
  const flags = { ...(backlog === undefined ? {} : { backlog }), ...(format === undefined ? {} : { format }) };
  const plan = await planRun(context, flags, { agents: false });
  const ordered = await orderOf(context, plan);
  if (context.json) printJson(asJson(plan, ordered));
  else for (const line of backlogLines(context, plan, ordered)) print(line);
  return EXIT.ok;
}

function asJson({ backlog, tracker, ideas, leftOut }: RunPlan, { order, landed, parts }: Order) {
  const places = new Map(order.map((one) => [one.id, one]));
  return {
    kind: 'backlog',
    ...(tracker
      ? { tracker: tracker.config.tracker, where: tracker.where, write: tracker.config.write }
      : { file: backlog.file, format: backlog.format }),
    ideas: ideas.map((idea) => ({
      id: idea.id,
      title: idea.title,
      group: idea.blue,
      ...(idea.origin ? { origin: idea.origin } : {}),
      done: landed.includes(idea.id),
      ...(idea.parent === undefined ? {} : { parent: idea.parent }),
      after: idea.dependsOn,
      ...(idea.priority === undefined ? {} : { priority: idea.priority.said }),
      round: places.get(idea.id)?.round ?? null,
      score: places.get(idea.id)?.score ?? null,
      scoreParts: parts.get(idea.id) ?? [],
      success: idea.success,
      unclear: landed.includes(idea.id) ? [] : unclear(idea),
    })),
    leftOut: leftOut.map(({ id, title, line, why }) => ({ id, title, line, why })),
  };
}

const MOST_NAMED = 40;
const MOST_CHARACTERS = 2000;

/** What a person reads. Every line is cleaned: ids and titles are foreign text. */
export function backlogLines(...all: Parameters<typeof lines>): string[] {
  return lines(...all).map((line) => clean(line, MOST_CHARACTERS));
}

function lines(
  context: Pick<Context, 'cwd'>,
  {
    backlog,
    tracker,
    ideas,
    leftOut,
    warnings,
  }: Pick<RunPlan, 'backlog' | 'tracker' | 'ideas' | 'leftOut' | 'warnings'>,
  { order, landed, parts }: Order,
): string[] {
  const groups = ideas.filter(({ blue }) => blue);
  const done = ideas.filter(({ id, blue }) => !blue && landed.includes(id));
  const work = ideas.length - groups.length;
  const byId = new Map(ideas.map((idea) => [idea.id, idea]));
  const vague = order.flatMap(({ id }) => {
    const idea = byId.get(id);
    const why = idea ? unclear(idea) : [];
    return why.length === 0 ? [] : [`  ${id}: ${why.join('; ')}`];
  });
  const { about } = FORMATS[backlog.format];
  return [
    tracker
      ? trackerLine(tracker)
      : `${relative(context.cwd, backlog.file) || backlog.file}: ${backlog.format}, ${about}`,
    `${many(work, 'idea')}: ${work - done.length} to do, ${done.length} done${groups.length > 0 ? `; ${many(groups.length, 'epic')}` : ''}`,
    ...(order.length > 0 ? ['', 'order (ideas of a round can run at once):'] : []),
    ...order.map(({ id, round, score, after }) => {
      const why = (parts.get(id) ?? []).map(({ label, value }) => `${label} ${value > 0 ? '+' : ''}${value}`);
      const waits = after.length > 0 ? `  after ${after.join(', ')}` : '';
      return `${String(round).padStart(3)}  ${id}  ${byId.get(id)?.title ?? ''}  [score ${score}${why.length > 0 ? `: ${why.join(', ')}` : ''}]${waits}`;
    }),
    ...section(
      'done:',
      done.map(({ id, title }) => `  ${id}  ${title}`),
    ),
    ...section('unclear:', vague),
    ...section(
      'left out:',
      leftOut.map(({ id, title, why }) => `  ${id}  ${title}: ${why}`),
    ),
    ...section(
      '',
      warnings.filter((one) => !one.endsWith(LISTED)).map((warning) => `warning: ${warning}`),
    ),
  ];
}

function section(heading: string, all: readonly string[]): string[] {
  if (all.length === 0) return [];
  const more = all.length > MOST_NAMED ? [`  and ${all.length - MOST_NAMED} more (--json lists all)`] : [];
  return ['', ...(heading === '' ? [] : [heading]), ...all.slice(0, MOST_NAMED), ...more];
}

export interface ConvertOptions extends BacklogOptions {
  to: Target;
  out?: string;
}

export async function convert(context: Context, named: string | undefined, options: ConvertOptions): Promise<number> {
  const { id, repository } = await findProject(context);
  const { root } = repository;
  const folder = await configFolder(context.cwd, root);
  const { config } = await readConfig(folder);
  const foreign = named === undefined ? trackerOf(config) : undefined;
  // A file of your own has neither the fence nor the rule for text from outside.
  if (foreign)
    throw new UserError(
      `the backlog is the tracker ${foreign.tracker}, and convert reads backlog files only: texts of others would count as yours. Name a file: ralphctl convert <file> --to ${options.to}; or work on the tracker as it is: ralphctl start`,
    );
  const asked = { backlog: named, format: options.format };
  const { file, ideas, leftOut } = await readSource(context, { project: id, root, folder }, config, asked);
  if (ideas.length === 0) throw new UserError(`${relative(context.cwd, file) || file} contains no ideas`);
  const text = await written(ideas, options.to);
  // A terminal must not obey a title. A pipe gets the text as it is.
  const shown = process.stdout.isTTY ? paragraphs(text.trimEnd()).join('\n') : text.trimEnd();
  if (options.out === undefined) print(shown);
  else await put(resolve(context.cwd, options.out), text);
  if (options.out !== undefined) {
    if (context.json)
      printJson({ kind: 'converted', file: options.out, ideas: ideas.length, leftOut: leftOut.map(({ id }) => id) });
    else print(`${options.out}: ${many(ideas.length, 'idea')}`);
  }
  for (const { id, why } of leftOut) say(clean(`left out: ${id}: ${why}`, MOST_CHARACTERS));
  return EXIT.ok;
}

async function put(path: string, text: string): Promise<void> {
  const there = await access(path).then(
    () => true,
    () => false,
  );
  if (there) throw new UserError(`${path} exists already. Remove it, or name another file: --out FILE`);
  await writeFile(path, text);
}
