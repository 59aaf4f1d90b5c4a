import type { IdeaPage, IdeaPageRequest } from '../../protocol/views.js';
import type { RunApi } from '../api/run.js';
import { print } from '../context.js';
import { lineWord } from './idea-lines.js';
import { clean, many } from './live-lines.js';
import { statusNamed, unknownStatus } from './words.js';

export interface StatusOptions {
  all?: boolean;
  /** 1-based. */
  page?: number;
  only?: string[];
}

const A_PAGE = 100;
/** Page size when the person wants all ideas. */
const A_BATCH = 500;

const isWanted = ({ all, page, only }: StatusOptions): boolean =>
  all === true || page !== undefined || only !== undefined;

/** The problem with the options, as a sentence. */
export function listProblem({ all, page, only = [] }: StatusOptions): string | undefined {
  if (all && page !== undefined) return '--all shows every page; leave out --page';
  const unknown = only.find((one) => statusNamed(one) === undefined);
  return unknown === undefined ? undefined : unknownStatus('--only', unknown);
}

/** Undefined when no list is wanted, and when nobody answers. */
export async function listIdeas(api: Pick<RunApi, 'ideas'>, options: StatusOptions): Promise<IdeaPage | undefined> {
  if (!isWanted(options)) return undefined;
  const { page, only } = options;
  const about = only ? { only: only.flatMap((one) => statusNamed(one) ?? []) } : {};
  if (page !== undefined) return api.ideas({ ...about, from: (page - 1) * A_PAGE, count: A_PAGE });
  return everyPage((asked) => api.ideas({ ...about, ...asked }));
}

/** With `only`, an idea that changes its status meanwhile may be missing or come twice. */
async function everyPage(
  ask: (asked: IdeaPageRequest) => Promise<IdeaPage | undefined>,
): Promise<IdeaPage | undefined> {
  const lines: IdeaPage['lines'] = [];
  for (;;) {
    const page = await ask({ from: lines.length, count: A_BATCH });
    if (!page) return undefined;
    lines.push(...page.lines);
    if (page.lines.length === 0 || lines.length >= page.total) return { from: 0, total: page.total, lines };
  }
}

/** A list without lines. */
export const noLines = (total: number, page = 1): string =>
  total === 0
    ? 'no idea has this status'
    : `there is no page ${page}: the list has ${many(Math.ceil(total / A_PAGE), 'page')}`;

/** Without an open run, the report has the list. */
export const listNeedsRun = (options: StatusOptions): string[] =>
  isWanted(options) ? ['the list of ideas is that of an open run. How all ideas ended: ralphctl report --all'] : [];

export function describeList(list: IdeaPage | undefined, options: StatusOptions): void {
  if (!isWanted(options)) return;
  if (!list) {
    print('the list of ideas needs a worker that answers. Start one with: ralphctl start');
    return;
  }
  const { from, total, lines } = list;
  print('');
  if (lines.length === 0) print(noLines(total, options.page));
  else {
    // They are lines of the list, but no view counts them as ideas.
    const what = lines.some(({ group }) => group) ? 'ideas and epics' : 'ideas';
    print(`${what} ${from + 1} to ${from + lines.length} of ${total}`);
  }
  const wide = lines.reduce((most, line) => Math.max(most, lineWord(line).length), 11);
  for (const line of lines) {
    const { id, title, agentName, reason, group } = line;
    print(
      `  ${lineWord(line).padEnd(wide)} ${id}${agentName ? ` ${agentName}` : ''}${group ? ` ${group.done}/${group.total}` : ''}  ${clean(title, 80)}${reason ? `: ${clean(reason, 120)}` : ''}`,
    );
  }
  if (options.page !== undefined && from + lines.length < total && lines.length > 0)
    print(
      `next: ralphctl status --page ${options.page + 1}${(options.only ?? []).map((one) => ` --only ${one}`).join('')}`,
    );
}
