/**
 * A line on a terminal's stderr while a command is silent for longer than two seconds: what it does, and for how long.
 * Invariant: the line is gone before anything else is written, and when the command ends. Never in a pipe, never for
 * JSON, never while something else owns the screen.
 */
const AFTER_MS = 2000;
const ERASE = '\r\u001b[2K';

interface Shown {
  what: string;
  since: number;
  drawn: boolean;
  timer: NodeJS.Timeout;
  restore: () => void;
}

let shown: Shown | undefined;

type Write = typeof process.stderr.write;

/** `name`: the command. Until `endProgress`. */
export function showProgress(name: string): void {
  const { stdout, stderr } = process;
  const [out, err] = [stdout.write, stderr.write];
  const raw: Write = err.bind(stderr) as Write;
  const draw = (): void => {
    if (!shown) return;
    const seconds = Math.round((Date.now() - shown.since) / 1000);
    const room = (stderr.columns ?? 80) - 1;
    raw(`${ERASE}${`… ${shown.what}, ${seconds}s`.slice(0, room)}`);
    shown.drawn = true;
  };
  const begin = (delay: number): NodeJS.Timeout => {
    const timer = setTimeout(() => {
      draw();
      if (shown) shown.timer = begin(1000);
    }, delay);
    timer.unref();
    return timer;
  };
  const clear = (): void => {
    if (!shown) return;
    if (shown.drawn) raw(ERASE);
    shown.drawn = false;
    clearTimeout(shown.timer);
    shown.timer = begin(AFTER_MS);
  };
  const guarded = (write: Write, stream: NodeJS.WriteStream): Write =>
    ((...args: Parameters<Write>) => {
      clear();
      return write.apply(stream, args);
    }) as Write;
  stdout.write = guarded(out, stdout);
  stderr.write = guarded(err, stderr);
  const restore = (): void => {
    stdout.write = out;
    stderr.write = err;
  };
  shown = { what: name, since: Date.now(), drawn: false, timer: begin(AFTER_MS), restore };
  process.once('exit', endProgress);
}

/** What the command does from now on. */
export function doing(what: string): void {
  if (!shown) return;
  shown.what = what;
  shown.since = Date.now();
}

/** Before something else owns the screen, and at the end. */
export function endProgress(): void {
  if (!shown) return;
  clearTimeout(shown.timer);
  const { drawn, restore } = shown;
  shown = undefined;
  restore();
  if (drawn) process.stderr.write(ERASE);
}
