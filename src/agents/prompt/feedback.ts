/** Tells the agent what became of its last iteration. Must not import anything but types and the fence. */
import type { Feedback } from '../../protocol/activities.js';
import { fenced } from './template.js';

function ended(exitCode: number | null): string {
  if (exitCode === null) return 'did not run to its end (it was stopped at its time limit or killed)';
  return exitCode === 0 ? 'ended with exit code 0 and still does not count' : `failed with exit code ${exitCode}`;
}

function output(tail: string, log: string): string {
  if (tail.trim() === '') return `It printed nothing. Log: ${log}`;
  return `The end of its output:\n\n${fenced(tail)}\n\nThe whole output is in ${log}`;
}

function tests({ newTests = [], knownTests = [] }: { newTests?: string[]; knownTests?: string[] }): string {
  const list = (names: string[]): string => fenced(names.join('\n'));
  // Without old failures every failure is a new one: nothing to tell apart.
  if (knownTests.length === 0) return '';
  const fresh = newTests.length > 0 ? `\n\nThese tests passed before you began:\n\n${list(newTests)}` : '';
  return `${fresh}\n\nThese failed already before you began, so they are not your doing:\n\n${list(knownTests)}`;
}

/** Markdown for the next prompt. */
export function describeFeedback(feedback: Feedback): string {
  switch (feedback.kind) {
    case 'gate-failed':
      return `The quality checks did not pass. This command ${ended(feedback.exitCode)}:\n\n${fenced(feedback.command)}\n\n${output(feedback.tail, feedback.log)}${tests(feedback)}\n\nFind the cause and mend it; run the command yourself before you end.`;
    case 'claimed-but-empty':
      return 'You reported the task as complete, but the branch has no change against its base. Make the change. If the task really needs none, say so to a person with a NEEDS_HUMAN signal that gives the reason.';
    case 'no-signal':
      return 'Your last message ended without a valid signal, so the task counts as unfinished. If everything is done, check it once more and end with the signal exactly as described below; if not, carry on.';
    case 'iteration-timeout':
      return `You were stopped after ${feedback.minutes} minutes. What you had written is still there. Work in smaller steps, avoid commands that wait or watch, and end with a PROGRESS signal when much is left.`;
    case 'run-failed':
      return `The last run ended with an error and not by your decision:\n\n${fenced(feedback.message)}\n\nWhat was written before is still there: check it before you go on.`;
    case 'landing-conflict':
      return `Your work was complete, but the target branch has moved on and the two conflict. Your branch now starts from the target, with your work on top of it as uncommitted changes; these files contain conflict markers:\n\n${feedback.files.map((file) => `- \`${file.replaceAll('`', "'")}\``).join('\n')}\n\n${feedback.detail.trim() === '' ? '' : `${fenced(feedback.detail)}\n\n`}Resolve every one of them so that the intent of both sides is kept, remove all markers and run the checks. Do not throw away the other side.`;
    case 'landing-red':
      return `Your work passed on its own, but together with what has landed since it does not. The target has been merged into this worktree. This command ${ended(feedback.exitCode)} on the merged code:\n\n${fenced(feedback.command)}\n\n${output(feedback.tail, feedback.log)}\n\nMake both work together; do not undo what others landed.`;
  }
}

/** When iterations leave the same as the one before. */
export function describeStandstill(iterations: number): string {
  return `The last ${iterations} iterations got this task no further: the files, or what the checks say of them, are as they were. Going on as before will not help: look at the task anew, find what blocks you, and choose another approach. If only a person can decide, end with a NEEDS_HUMAN signal.`;
}
