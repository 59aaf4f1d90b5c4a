/** The feedback for the agent about its last iteration. Must not import anything but types and the fence. */
import type { Feedback } from '../../protocol/activities.js';
import { fenced } from './template.js';

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
      return `You were stopped after ${feedback.minutes} minutes. The files you had written are still there. Work in smaller steps, avoid commands that wait or watch, and end with a PROGRESS signal when much work is left.`;
    case 'run-failed':
      return `An error ended the last run:\n\n${fenced(feedback.message)}\n\nThe files written before it are still there. Check them before you continue.`;
    case 'landing-conflict':
      return `Your work was complete, but the target branch has moved on and your work conflicts with it. Your branch now starts from the target, with your work on top of it as uncommitted changes. These files contain conflict markers:\n\n${feedback.files.map((file) => `- \`${file.replaceAll('`', "'")}\``).join('\n')}\n\n${feedback.detail.trim() === '' ? '' : `${fenced(feedback.detail)}\n\n`}Resolve every conflict so that the intent of both sides is kept, remove all markers and run the checks. Do not throw away the other side.`;
    case 'landing-red':
      return `Your work passed the checks on its own, but not together with the work that has landed since. ralphctl merged the target into this worktree. This command ${ended(feedback.exitCode)} on the merged code:\n\n${fenced(feedback.command)}\n\n${output(feedback.tail, feedback.log)}\n\nMake both work together. Do not undo the work of others that has landed.`;
  }
}

/** For iterations that leave the same result as the one before. */
export function describeStandstill(iterations: number): string {
  return `The last ${iterations} iterations made no progress on this task: the files, or the results of the checks, did not change. Do not continue in the same way. Look at the task again, find the obstacle, and choose another approach. If only a person can decide, end with a NEEDS_HUMAN signal.`;
}
