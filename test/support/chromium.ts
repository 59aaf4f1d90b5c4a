/** Pages in a real browser, over a pipe: no port is open. */
import { spawn, spawnSync } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { until } from './program.js';

/** The program, where one is installed. */
export const browser = ['chromium', 'chromium-browser', 'google-chrome'].find(
  (name) => spawnSync(name, ['--version']).status === 0,
);

type Send = (method: string, params?: Record<string, unknown>) => Promise<Record<string, unknown>>;

export interface Page {
  send: Send;
  /** The value of an expression in the page, whose own policy stays as it is. */
  measure<T>(expression: string): Promise<T>;
}

/** Opens `url`, hands the page to `use`, and ends the browser. `dir` is for its profile. */
export async function inBrowser<T>(dir: string, url: string, use: (page: Page) => Promise<T>): Promise<T> {
  const args = ['--headless=new', '--no-sandbox', '--disable-gpu', '--remote-debugging-pipe', `--user-data-dir=${dir}`];
  // A group of its own: its helper processes write into the profile, too.
  const child = spawn(browser ?? '', args, {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const waiting = new Map<number, (answer: Answer) => void>();
  let whenLoaded = (): void => undefined;
  const loaded = new Promise<void>((done) => {
    whenLoaded = done;
  });
  const gone = new Promise<never>((_, fail) => {
    child.once('error', fail);
    child.once('exit', (code) => fail(new Error(`the browser ended with ${code}`)));
  });
  gone.catch(() => undefined);
  const input = child.stdio[3] as Writable;
  input.on('error', () => undefined);
  let rest = '';
  (child.stdio[4] as Readable).setEncoding('utf8').on('data', (text: string) => {
    const parts = `${rest}${text}`.split('\0');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const answer = JSON.parse(part) as Answer;
      if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
      else if (answer.method === 'Page.loadEventFired') whenLoaded();
    }
  });
  let session: string | undefined;
  const send: Send = async (method, params = {}) => {
    const id = waiting.size + 1;
    const answered = new Promise<Answer>((done) => waiting.set(id, done));
    input.write(`${JSON.stringify({ id, method, params, ...(session ? { sessionId: session } : {}) })}\0`);
    const { result, error } = await Promise.race([answered, gone]);
    if (!result) throw new Error(`${method}: ${error?.message}`);
    return result;
  };
  try {
    const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
    ({ sessionId: session } = (await send('Target.attachToTarget', { targetId, flatten: true })) as {
      sessionId: string;
    });
    await send('Page.enable');
    await send('Page.navigate', { url });
    await Promise.race([loaded, gone]);
    const measure = async <V>(expression: string): Promise<V> => {
      const { result } = await send('Runtime.evaluate', { expression, returnByValue: true });
      return (result as { value: V }).value;
    };
    return await use({ send, measure });
  } finally {
    const ended = new Promise((done) => (child.exitCode === null ? child.once('exit', done) : done(undefined)));
    endGroup(child.pid);
    await ended;
    await until('the processes of the browser to end', async () => !endGroup(child.pid));
  }
}

/** False: no process of the group is left. */
function endGroup(pid = 0): boolean {
  try {
    return pid > 1 && process.kill(-pid, 'SIGKILL');
  } catch {
    return false;
  }
}

interface Answer {
  id?: number;
  method?: string;
  result?: Record<string, unknown>;
  error?: { message: string };
}
