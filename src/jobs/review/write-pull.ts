/**
 * Opens a pull request with a text about its commits, and renews that text once it has others.
 * Invariant: repeating a renewal changes nothing, and no word of a person goes.
 */
import { resolve } from 'node:path';
import { MIB, readInput } from '../../config/read-input.js';
import { trackerOf, writesTo } from '../../config/schema/tracker.js';
import { RepositoryError } from '../../git/errors.js';
import { PINNED_LOG } from '../../git/landing/first-parents.js';
import { git } from '../../git/runner.js';
import type { MergedGate } from '../../protocol/git-work.js';
import type { Idea } from '../../protocol/idea.js';
import type { Below } from '../../protocol/review.js';
import type { LoadedRun } from '../../run-files/run.js';
import type { WorkDeps } from '../job.js';
import { redactorOf } from '../secrets.js';
import { type BodyParts, marker, pullBody, pullTitle, titleFrom } from './body.js';
import { type Forge, ForgeError, type Listed } from './forge.js';
import { renewed, withMark } from './own-text.js';
import { standsLine, withLine } from './stand.js';

export interface OpenInput {
  idea: Idea;
  /** A pull request that somebody closed is followed by another one. */
  anew?: boolean | undefined;
  /** What its agent had before this work. */
  seen?: readonly string[] | undefined;
  /** The open pull request that it stands on. */
  below?: Below | undefined;
  candidate: string;
  onto: string;
  gate?: MergedGate | undefined;
  runs: number;
  dollars?: number | undefined;
  by: readonly string[];
}

export async function createPull(
  deps: WorkDeps,
  run: LoadedRun,
  input: OpenInput,
  { forge, branch, base }: { forge: Forge; branch: string; base: string },
): Promise<Listed> {
  const { below } = input;
  const { parts, text } = await textOf(deps, run, input, forge);
  const body = `${withMark(text, input.candidate)}\n${marker(input.idea.id)}`;
  const { title: pattern, draft } = run.file.config.landing.pr;
  const title = pattern === undefined ? pullTitle(input.idea) : titleFrom(pattern, parts);
  return forge.open({
    ...{ title: redactorOf(deps)(title), branch, base, draft },
    body: below ? withLine(body, standsLine(below, forge)) : body,
  });
}

/** Of an open one with other commits now. A forge that refuses it keeps the text that it has. */
export async function renewPull(
  deps: WorkDeps,
  run: LoadedRun,
  input: OpenInput,
  { forge, made, body }: { forge: Forge; made: Listed; body: string },
): Promise<void> {
  if (renewed(body, '', input.candidate) === undefined) return;
  const told = await textOf(deps, run, input, forge).catch((error: unknown) => {
    if (error instanceof RepositoryError) return undefined;
    throw error;
  });
  const next = told && renewed(body, told.text, input.candidate);
  if (next === undefined) return;
  await forge.change(made.number, { body: next }).catch((error: unknown) => {
    if (!(error instanceof ForgeError) || error.later) throw error;
  });
}

/** What it tells of its commits, as the forge keeps it. */
async function textOf(
  deps: WorkDeps,
  { file: { repo, config } }: LoadedRun,
  input: OpenInput,
  forge: Forge,
): Promise<{ parts: BodyParts; text: string }> {
  const { candidate, onto, below } = input;
  const log = await git(repo).run(['log', '--reverse', '--format=%s', candidate, '--not', onto, '--'], {
    read: true,
    config: PINNED_LOG,
  });
  const on = below && `${forge.words.sign}${below.number}`;
  // The forge shows the link on the issue, so who asked for no writing there gets none.
  const tracker = trackerOf(config);
  const { linkIssue = tracker !== undefined && writesTo(tracker) } = config.landing.pr;
  const parts = { ...input, on, linkIssue, commits: log.split('\n').filter(Boolean) };
  const body = pullBody(parts, await templateOf(repo, config));
  const text = body.slice(0, -`\n\n${marker(input.idea.id)}`.length);
  return { parts, text: forge.asKept(redactorOf(deps)(text)) };
}

/** Read at each pull request, from the checkout. */
async function templateOf(repo: string, { landing }: LoadedRun['file']['config']): Promise<string | undefined> {
  const { template } = landing.pr;
  if (template === undefined) return undefined;
  const text = await readInput(resolve(repo, template), MIB).catch((error: Error) => {
    throw new RepositoryError(
      `${template}, which landing.pr.template names, cannot be read: ${error.message}.`,
      'Put it back, or change landing.pr.template; then: ralphctl config reload',
    );
  });
  return text.toString('utf8');
}
