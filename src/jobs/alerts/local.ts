/**
 * Sends alerts on this machine: a desktop notification, a sound, or a program of the user's.
 * Invariant: no shell; texts go through arguments, stdin or environment. Programs run in their own process groups and
 * end with the alert.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { NotifyRow } from '../../config/schema/notify.js';
import { gateEnvironment } from '../../gate/environment.js';
import { passedValues, secretValues } from '../../process/redact.js';
import { run } from '../../process/run.js';
import { alertError } from './alert-error.js';
import type { Message } from './message.js';
import { payloadOf } from './payload.js';

export interface Place {
  env: NodeJS.ProcessEnv;
  /** Working directory of programs. */
  cwd: string;
  /** Folder for the output of programs. */
  logs: string;
  project: string;
  /** Absent for a test without a run. */
  runId?: string;
  signal: AbortSignal;
}

/** Variables that programs need to reach the desktop and its sound. */
const SESSION = ['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'];
const LOCAL_TIMEOUT_S = 15;
/** Nobody needs more to find out why an alert was not delivered. */
const MOST_LOG_BYTES = 1 << 20;

export async function showDesktop(message: Message, place: Place): Promise<void> {
  const body = [...message.lines, ...(message.link === undefined ? [] : [message.link])].join('\n');
  await firstThatRuns(desktopCommands(message.title, body, message.urgent), 'desktop', place);
}

/** The programs to try, this system's own first. */
function desktopCommands(title: string, body: string, urgent: boolean): string[][] {
  const script = ['on run argv', 'display notification (item 2 of argv) with title (item 1 of argv)', 'end run'];
  // Notification servers parse the body as markup.
  const plain = body.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
  return ownFirst([
    ['notify-send', '--app-name=ralphctl', `--urgency=${urgent ? 'critical' : 'normal'}`, '--', title, plain],
    ['osascript', ...script.flatMap((line) => ['-e', line]), title, body],
  ]);
}

export const DESKTOP_PROGRAMS = ['notify-send', 'osascript'];

/** The lists end with the macOS programs, so macOS tries them first. */
const ownFirst = (commands: string[][]): string[][] =>
  process.platform === 'darwin' ? commands.toReversed() : commands;

export async function playSound(file: string | undefined, place: Place): Promise<void> {
  await firstThatRuns(soundCommands(file), 'sound', place);
}

/** The programs to try; they play a system sound where the row names no file. */
export function soundCommands(file: string | undefined): string[][] {
  const usual = file ?? '/usr/share/sounds/freedesktop/stereo/complete.oga';
  return ownFirst([
    ...(file === undefined ? [['canberra-gtk-play', '--id=complete']] : []),
    ...[
      ['pw-play', usual],
      ['paplay', usual],
    ],
    ...(file === undefined ? [] : [['aplay', '-q', file]]),
    ['afplay', file ?? '/System/Library/Sounds/Glass.aiff'],
  ]);
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
  const secrets = [...secretValues(env), ...passedValues(env, row.passEnv)];
  const problem = await tryOne(row.run, row.name, { ...place, env }, { ...options, secrets });
  if (problem) throw alertError(problem.text, problem.ran);
}

async function firstThatRuns(commands: string[][], name: string, place: Place): Promise<void> {
  const session = Object.fromEntries(SESSION.flatMap((key) => (place.env[key] ? [[key, place.env[key]]] : [])));
  const env = gateEnvironment(place.env, session as Record<string, string>);
  let ran: Problem | undefined;
  for (const argv of commands) {
    const problem = await tryOne(argv, name, { ...place, env }, { timeoutMs: LOCAL_TIMEOUT_S * 1000 });
    if (!problem) return;
    if (problem.ran) ran = problem;
  }
  if (ran) throw alertError(ran.text, true);
  const programs = commands.map(([program]) => program).join(', ');
  throw alertError(`none of these programs is installed: ${programs}. Install one, or remove the row`, false);
}

interface Problem {
  text: string;
  /** Whether the program started; then a retry may help. */
  ran: boolean;
}

/** Undefined: success. */
async function tryOne(
  argv: readonly string[],
  name: string,
  { env, cwd, logs, project, runId = 'none', signal }: Omit<Place, 'env'> & { env: Record<string, string> },
  options: { stdin?: string; timeoutMs: number; secrets?: string[] },
): Promise<Problem | undefined> {
  const log = join(logs, `${name}.log`);
  const token = `${project}/${runId}/alert/1/${randomUUID()}`;
  // It runs in the user's repository, in which other programs of theirs work.
  const own = { places: [] };
  const result = await run({
    argv,
    cwd,
    env,
    outputFile: log,
    token,
    signal,
    tailBytes: 500,
    maxLogBytes: MOST_LOG_BYTES,
    ...own,
    ...options,
  });
  const [program = ''] = argv;
  if (result.launchError) return { text: result.launchError, ran: false };
  if (result.stopped === 'aborted') signal.throwIfAborted();
  const said = result.tail.trim().split('\n').at(-1);
  const more = `${said ? `: ${said}` : ''} (its output: ${log})`;
  if (result.stopped) return { text: `${program} timed out after ${options.timeoutMs / 1000} s${more}`, ran: true };
  if (result.exitCode === 0) return undefined;
  const how = result.exitCode === null ? `was ended by ${result.signal}` : `failed with exit code ${result.exitCode}`;
  return { text: `${program} ${how}${more}`, ran: true };
}
