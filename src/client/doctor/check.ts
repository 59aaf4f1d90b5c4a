/** One thing that `doctor` looked at. Must not import anything. */
export interface Check {
  /** What was looked at, e.g. `git` or `agent claude`. */
  what: string;
  /** fail: a run would not work. warn: it may not, or not well. info: nothing to do. */
  state: 'ok' | 'warn' | 'fail' | 'info';
  /** What was found, one line. */
  found: string;
  /** What mends it; always there when `state` is fail. */
  fix?: string;
}

export const ok = (what: string, found: string): Check => ({ what, state: 'ok', found });
export const info = (what: string, found: string): Check => ({ what, state: 'info', found });
export const warn = (what: string, found: string, fix: string): Check => ({ what, state: 'warn', found, fix });
export const fail = (what: string, found: string, fix: string): Check => ({ what, state: 'fail', found, fix });

/** What an error says, with its own fix where it has one. */
export function problem(what: string, error: unknown, fix: string): Check {
  const text = error instanceof Error ? error.message : String(error);
  const [first = '', ...rest] = text.split('\n').filter(Boolean);
  return fail(what, first, rest.join(' ').trim() || fix);
}
