/** Classifies errors of the Temporal client. */

/** The server does not query a workflow whose last task has failed, until the retry of that task. */
export function isBetweenSteps(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ((at as { code?: unknown }).code === 9 && /task in failed state/i.test(at.message)) return true;
  }
  return false;
}

/** A deadline, or the server's message that no worker polls: nobody answers now. */
export function isDeadline(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const code = (at as { code?: unknown }).code;
    if (code === 4 || code === 1 || /no poller|deadline|timeout|cancell?ed/i.test(at.message)) return true;
  }
  return false;
}
