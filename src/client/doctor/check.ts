/** One check of `doctor`. Must not import anything. */
export interface Check {
  /** The subject of the check, e.g. `git` or `agent claude`. */
  what: string;
  /** fail: a run would not work. warn: a run may fail or work badly. info: nothing to do. */
  state: 'ok' | 'warn' | 'fail' | 'info';
  /** The finding, one line. */
  found: string;
  /** How to fix it; always set when `state` is fail. */
  fix?: string;
}

export const ok = (what: string, found: string): Check => ({ what, state: 'ok', found });
export const info = (what: string, found: string): Check => ({ what, state: 'info', found });
export const warn = (what: string, found: string, fix: string): Check => ({ what, state: 'warn', found, fix });
export const fail = (what: string, found: string, fix: string): Check => ({ what, state: 'fail', found, fix });

/** The message of an error, with its own fix if it has one. */
export function problem(what: string, error: unknown, fix: string): Check {
  const text = error instanceof Error ? error.message : String(error);
  const own = (error as { fix?: unknown } | undefined)?.fix;
  // Some messages end with their fix.
  if (typeof own === 'string' && text.length > own.length && text.endsWith(own))
    return fail(what, text.slice(0, -own.length).trim(), own);
  const [first = '', ...rest] = text.split('\n').filter(Boolean);
  return fail(what, first, rest.join(' ').trim() || fix);
}
