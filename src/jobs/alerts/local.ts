/**
 * Alerts on this machine: a desktop notification, a sound, a program of the user's.
 * Invariant: no shell; texts are arguments, stdin or environment. The programs run in groups of their own and end with
 * the alert.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { NotifyRow } from '../../config/schema/notify.js';
import { gateEnvironment } from '../../gate/environment.js';
import { run } from '../../process/run.js';
import { alertError } from './alert-error.js';
import type { Message } from './message.js';
import { payloadOf } from './payload.js';

export interface Place {
  env: NodeJS.ProcessEnv;
  /** Where programs run. */
  cwd: string;
  /** For the output of programs. */
  logs: string;
  project: string;
  /** Absent for a test without a run. */
  runId?: string;
  signal: AbortSignal;
}

/** What programs need to reach the desktop and its sound. */
const SESSION = ['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'];
const LOCAL_TIMEOUT_S = 15;

export async function showDesktop(message: Message, place: Place): Promise<void> {
  const body = [...message.lines, ...(message.link === undefined ? [] : [message.link])].join('\n');
  await firstThatRuns(desktopCommands(message.title, body, message.urgent), 'desktop', place);
}

function desktopCommands(title: string, body: string, urgent: boolean): string[][] {
  if (process.platform === 'darwin') {
    const script = ['on run argv', 'display notification (item 2 of argv) with title (item 1 of argv)', 'end run'];
    return [['osascript', ...script.flatMap((line) => ['-e', line]), title, body]];
  }
  // Notification servers read the body as markup.
  const plain = body.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
  return [['notify-send', '--app-name=ralphctl', `--urgency=${urgent ? 'critical' : 'normal'}`, '--', title, plain]];
}

export async function playSound(file: string | undefined, place: Place): Promise<void> {
  await firstThatRuns(soundCommands(file), 'sound', place);
}

/** Each program that may be there, with a sound of the system where the row names none. */
export function soundCommands(file: string | undefined): string[][] {
  if (process.platform === 'darwin') return [['afplay', file ?? '/System/Library/Sounds/Glass.aiff']];
  const usual = file ?? '/usr/share/sounds/freedesktop/stereo/complete.oga';
  return [
    ...(file === undefined ? [['canberra-gtk-play', '--id=complete']] : []),
    ...[
      ['pw-play', usual],
      ['paplay', usual],
    ],
    ...(file === undefined ? [] : [['aplay', '-q', file]]),
  ];
}

export async function runCommand(
  row: Extract<NotifyRow, { to: 'command' }>,
  message: Message,
  place: Place,
): Promise<void> {
  const payload = payloadOf(message);
  const about = {
    RALPHCTL_ALERT_ID: message.id,
    RALPHCTL_ALERT_TITLE: message.title,
    RALPHCTL_ALERT_TEXT: message.lines.join('\n'),
    RALPHCTL_ALERT_COMMAND: message.command,
    RALPHCTL_ALERT_KINDS: Object.keys(payload.counts).join(' '),
    RALPHCTL_ALERT_URGENT: message.urgent ? '1' : '0',
    ...(message.link === undefined ? {} : { RALPHCTL_ALERT_LINK: message.link }),
  };
  const options = { stdin: `${JSON.stringify(payload)}\n`, timeoutMs: row.timeoutSeconds * 1000 };
  const env = gateEnvironment(place.env, about, row.passEnv);
  const problem = await tryOne(row.run, row.name, { ...place, env }, options);
  if (problem) throw alertError(problem.text, problem.launched);
}

async function firstThatRuns(commands: string[][], name: string, place: Place): Promise<void> {
  const session = Object.fromEntries(SESSION.flatMap((key) => (place.env[key] ? [[key, place.env[key]]] : [])));
  const env = gateEnvironment(place.env, session as Record<string, string>);
  let last = { text: 'there is no program for it', launched: false };
  for (const argv of commands) {
    const problem = await tryOne(argv, name, { ...place, env }, { timeoutMs: LOCAL_TIMEOUT_S * 1000 });
    if (!problem) return;
    if (problem.launched || !last.launched) last = problem;
  }
  throw alertError(last.text, last.launched);
}

/** Undefined: it ended well. */
async function tryOne(
  argv: readonly string[],
  name: string,
  { env, cwd, logs, project, runId = 'none', signal }: Omit<Place, 'env'> & { env: Record<string, string> },
  options: { stdin?: string; timeoutMs: number },
): Promise<{ text: string; launched: boolean } | undefined> {
  const log = join(logs, `${name}.log`);
  const token = `${project}/${runId}/alert/1/${randomUUID()}`;
  const result = await run({ argv, cwd, env, outputFile: log, token, signal, tailBytes: 500, ...options });
  const [program = ''] = argv;
  if (result.launchError) return { text: result.launchError, launched: false };
  if (result.stopped === 'aborted') signal.throwIfAborted();
  if (result.stopped) return { text: `${program} did not end within ${options.timeoutMs / 1000} s`, launched: true };
  if (result.exitCode === 0) return undefined;
  const said = result.tail.trim().split('\n').at(-1);
  return {
    text: `${program} ended with ${result.exitCode ?? result.signal}${said ? `: ${said}` : ''}`,
    launched: true,
  };
}
