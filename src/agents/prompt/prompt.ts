/**
 * Builds the prompt of one iteration.
 * Invariant: no part of the prompt, and no echo of it, reads as a signal: the tag is shown with the word NONCE,
 * indented as code, the nonce is apart from it, and the last line is prose. A template that breaks this is refused.
 */
import { randomBytes } from 'node:crypto';
import type { Feedback } from '../../protocol/agent-run.js';
import { type Answered, answerNote } from '../../protocol/command.js';
import type { Idea } from '../../protocol/idea.js';
import { parseSignal } from '../reading/signal.js';
import { fromReview, outside } from './outside.js';
import { type PlanSection, planSection } from './plan-section.js';
import { DEFAULT_TEMPLATE, fenced, fillTemplate, RULES, TemplateError } from './template.js';

export { TemplateError } from './template.js';

export interface PromptInput {
  idea: Pick<Idea, 'id' | 'title' | 'text' | 'success' | 'promise' | 'phase' | 'origin' | 'investigation'>;
  /** 1-based. */
  iteration: number;
  maxIterations: number;
  nonce: string;
  feedback?: Feedback;
  /** Iterations in a row with the same result. */
  unchanged?: number;
  /** Answers and hints from a person. */
  notes: readonly string[];
  /** A person's answers to earlier questions, oldest first. */
  answers?: readonly Answered[] | undefined;
  /** Replaces {@link DEFAULT_TEMPLATE}. */
  template?: string | undefined;
  /** The plan of the idea, and this iteration's place in it. */
  plan?: PlanSection | undefined;
  /** Paths (git globs) that ralphctl restores after any change by the agent. */
  protect?: readonly string[] | undefined;
  /** Protected paths that were restored after the last iteration. */
  restored?: readonly string[] | undefined;
  /** What was wrong with the place of the work after the last iteration, whatever its signal said. */
  replaced?: string | undefined;
}

/** Placeholders for templates. */
export const PLACEHOLDERS = [
  'id',
  'title',
  'phase',
  'text',
  'success',
  'iteration',
  'max',
  'feedback',
  'notes',
  'rules',
  'signal',
  'nonce',
  'promise',
] as const;

const section = (heading: string, body: string): string => `\n## ${heading}\n\n${body.trim()}\n`;
const bullets = (entries: readonly string[]): string =>
  entries.map((entry) => `- ${entry.trim().replaceAll('\n', '\n  ')}`).join('\n');

function protection({ protect = [], restored = [] }: PromptInput): string {
  if (protect.length === 0) return '';
  const list = (paths: readonly string[]): string => paths.map((path) => `\`${path.replaceAll('`', "'")}\``).join(', ');
  const again = restored.length > 0 ? ` Last time ralphctl restored: ${list(restored)}.` : '';
  return `\n- Do not change ${list(protect)}: ralphctl restores these paths before the checks run.${again}`;
}

function happened({ feedback, unchanged, replaced = '' }: PromptInput): string {
  const said = feedback?.kind === 'run-failed' && feedback.message === replaced;
  const parts = [
    said || replaced === '' ? '' : `${replaced.charAt(0).toUpperCase()}${replaced.slice(1)}.`,
    feedback ? describeFeedback(feedback) : '',
    unchanged ? describeStandstill(unchanged) : '',
  ];
  const told = parts.filter(Boolean);
  return told.length === 0 ? '' : section('What happened last time', told.join('\n\n'));
}

function told({ notes }: PromptInput): string {
  return notes.length === 0 ? '' : section('From the person in charge', bullets(notes));
}

function toldBefore({ answers = [] }: PromptInput): string {
  if (answers.length === 0) return '';
  const rule =
    'These answers still apply. Where two differ, the later one applies. Do not ask the same question again.';
  return section('Answers you already have', `${bullets(answers.map(answerNote))}\n\n${rule}`);
}

function signalSection(nonce: string, promise: string | undefined): string {
  const done = promise
    ? `    <promise nonce="NONCE">${promise.replace(/\s+/g, ' ').trim()}</promise>`
    : '    <ralph nonce="NONCE">COMPLETE</ralph>';
  return `When you end, the very last line of your final message must be one tag, alone on its line and outside any code block.
Use one of these forms and replace NONCE with the word given below:

${done}
        everything asked for is done and you have checked it
    <ralph nonce="NONCE">BLOCKED: reason</ralph>
        something outside your reach stops the work
    <ralph nonce="NONCE">NEEDS_HUMAN: question</ralph>
        only a person can decide this; the answer comes with the next iteration
    <ralph nonce="NONCE">PROGRESS: percent</ralph>
        part of the work is done and more is left, percent from 0 to 100

The word for this iteration is ${nonce}. It is valid only once. Write such a tag only when you mean it,
and write nothing after it. Without a valid tag the work counts as unfinished.`;
}

/**
 * The whole prompt.
 * Throws a TemplateError when the template has an unknown placeholder or would let an echo count as a signal.
 */
export function buildPrompt(input: PromptInput): string {
  const { idea, nonce } = input;
  const own = idea.origin ? outside(idea, idea.origin, newNonce()) : { title: idea.title, text: idea.text.trim() };
  const values: Record<(typeof PLACEHOLDERS)[number], string> = {
    id: idea.id,
    title: own.title,
    phase: idea.phase === undefined ? '' : `This task belongs to the part "${idea.phase}" of the backlog.\n\n`,
    text: input.plan ? `${own.text}\n\n${planSection(input.plan)}` : own.text,
    success: idea.success.length === 0 ? '' : section('It is done when', bullets(idea.success)),
    iteration: String(input.iteration),
    max: String(input.maxIterations),
    feedback: happened(input),
    notes: toldBefore(input) + told(input),
    rules: `${RULES}${protection(input)}`,
    signal: signalSection(nonce, idea.promise),
    nonce,
    promise: idea.promise ?? 'COMPLETE',
  };
  const filled = fillTemplate(input.template ?? DEFAULT_TEMPLATE, values).trimEnd();
  const prompt = `${filled}\n\n(End of the instructions for ${idea.id}, iteration ${input.iteration}.)\n`;
  for (const tag of prompt.matchAll(
    /<(?:ralph|chorus|promise)\s[^<>]{0,256}?nonce\s{0,8}=\s{0,8}["']?([^"'<>\s]*)/gi,
  )) {
    if (tag[1] === nonce) {
      throw new TemplateError(
        'The prompt template puts {{nonce}} inside a signal tag, so an echo of the prompt would count as a signal. Write the word NONCE in the tag, or use {{signal}}.',
      );
    }
  }
  const ctx = {
    nonce,
    requireXml: false,
    prompt: '',
    promise: idea.promise,
  };
  if (parseSignal(prompt, ctx).kind !== 'none') {
    throw new TemplateError('The prompt would itself count as a signal; end the template with a line of prose.');
  }
  return prompt;
}

/** Throws a TemplateError when a template cannot be used, so that a run is refused before it starts. */
export function checkTemplate(template: string): void {
  const idea = { id: 'task-001', title: 'Title', text: 'Text.', success: [] };
  buildPrompt({ idea, iteration: 1, maxIterations: 1, nonce: newNonce(), notes: [], template });
}

/* The word that only this iteration's agent gets. */

/** 12 characters of lower-case letters and digits, different for each iteration. */
export function newNonce(): string {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
  return Array.from(randomBytes(12), (byte) => alphabet.charAt(byte % alphabet.length)).join('');
}

/* The feedback for the agent about its last iteration. Must not import anything but types and the fence. */

function ended(exitCode: number | null): string {
  if (exitCode === null) return 'did not finish (it was stopped at its time limit or killed)';
  return exitCode === 0 ? 'ended with exit code 0 but did not pass' : `failed with exit code ${exitCode}`;
}

function output(tail: string, log: string): string {
  if (tail.trim() === '') return `It printed nothing. Log: ${log}`;
  return `The end of its output:\n\n${fenced(tail)}\n\nThe full output is in ${log}`;
}

function tests({ newTests = [], knownTests = [] }: { newTests?: string[]; knownTests?: string[] }): string {
  const list = (names: string[]): string => fenced(names.join('\n'));
  // Without old failures every failure is new: no need to separate them.
  if (knownTests.length === 0) return '';
  const fresh = newTests.length > 0 ? `\n\nThese tests passed before you began:\n\n${list(newTests)}` : '';
  return `${fresh}\n\nThese tests failed already before you began. You did not cause them:\n\n${list(knownTests)}`;
}

/** Markdown for the next prompt. */
export function describeFeedback(feedback: Feedback): string {
  switch (feedback.kind) {
    case 'gate-failed':
      return `The quality checks did not pass. This command ${ended(feedback.exitCode)}:\n\n${fenced(feedback.command)}\n\n${output(feedback.tail, feedback.log)}${tests(feedback)}\n\nFind the cause and fix it. Run the command yourself before you end.`;
    case 'claimed-but-empty':
      return 'You reported the task as complete, but the branch has no change against its base. Make the change. If the task really needs no change, end with a NEEDS_HUMAN signal that gives the reason.';
    case 'no-signal':
      return 'Your last message ended without a valid signal, so the task counts as unfinished. If everything is done, check it once more and end with the signal exactly as described below. If not, continue.';
    case 'iteration-timeout':
      return `You were stopped after ${spent(feedback)}. The files you had written are still there. Work in smaller steps, avoid commands that wait or watch, and end with a PROGRESS signal when much work is left.`;
    case 'run-failed':
      return `An error ended the last run:\n\n${fenced(feedback.message)}\n\nThe files written before it are still there. Check them before you continue.`;
    case 'landing-conflict':
      return `Your work was complete, but the target branch has moved on and your work conflicts with it. Your branch now starts from the target, with your work on top of it as uncommitted changes. These files contain conflict markers:\n\n${feedback.files.map((file) => `- \`${file.replaceAll('`', "'")}\``).join('\n')}\n\n${feedback.detail.trim() === '' ? '' : `${fenced(feedback.detail)}\n\n`}Resolve every conflict so that the intent of both sides is kept, remove all markers and run the checks. Do not throw away the other side.`;
    case 'landing-red':
      return `Your work passed the checks on its own, but not together with the work that has landed since${landedSince(feedback.others)}. ralphctl merged the target into this worktree. This command ${ended(feedback.exitCode)} on the merged code:\n\n${fenced(feedback.command)}\n\n${output(feedback.tail, feedback.log)}\n\nMake both work together. Do not undo the work of others that has landed.`;
    case 'review':
      return fromReview(feedback, newNonce());
  }
}

const landedSince = (ids: readonly string[] = []): string => (ids.length > 0 ? ` (${ids.join(', ')})` : '');

/** For iterations that leave the same result as the one before. */
export function describeStandstill(iterations: number): string {
  return `The last ${iterations} iterations made no progress on this task: the files, or the results of the checks, did not change. Do not continue in the same way. Look at the task again, find the obstacle, and choose another approach. If only a person can decide, end with a NEEDS_HUMAN signal.`;
}

const spent = ({ minutes, ms = minutes * 60_000 }: Extract<Feedback, { kind: 'iteration-timeout' }>): string =>
  ms < 60_000 ? `${Math.round(ms / 1000)} seconds` : minutes === 1 ? 'a minute' : `${minutes} minutes`;
