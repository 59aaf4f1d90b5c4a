/**
 * The `notify` part of the configuration: which events alert whom, and how.
 * Invariant: after parsing, every row has a unique name and its events. A row contains names of environment variables
 * and never a secret.
 * Imports zod, protocol and this folder only.
 */
import { z } from 'zod';

import { ALERT_KINDS, type AlertKind } from '../../protocol/alerts.js';
import { envName, minutes, name, text } from './common.js';

/** Without single landings, and without states that one of these events follows. */
const USUAL: AlertKind[] = [
  'question',
  'blocked',
  'timed-out',
  'failed',
  'review',
  'all-limited',
  'budget',
  'not-pushed',
  'run-done',
  'nothing-moves',
];

const kinds = z.array(z.enum(ALERT_KINDS));
const common = {
  name: name.optional().describe('Name in reports. Default: `to`, with a number where it repeats.'),
  events: kinds.min(1).default(USUAL).describe('Events that alert this row. Default: all but `landed`.'),
};

/** http or https, without a login in it. */
const webAddress = z.string().refine((value) => isWebAddress(value), {
  error: 'must be an http or https address without a user name or password; put a token into tokenEnv',
});

function isWebAddress(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '';
}

const seconds = z.number().min(1).max(60);

const bell = z.strictObject({ to: z.literal('bell').describe('bell: rings in attached terminals.'), ...common });
const desktop = z.strictObject({
  to: z.literal('desktop').describe('desktop: shows a notification, with notify-send or osascript.'),
  ...common,
});
const sound = z.strictObject({
  to: z.literal('sound').describe('sound: plays a sound on the worker’s machine.'),
  ...common,
  file: text.optional().describe('Sound file, an absolute path. Default: a sound of the system.'),
});
const webhook = z.strictObject({
  to: z.literal('webhook').describe('webhook: sends an HTTP request.'),
  ...common,
  url: webAddress.optional().describe('Address that gets a POST request.'),
  urlEnv: envName
    .optional()
    .describe('Variable of the worker’s environment that holds the address, if the address is a secret.'),
  format: z
    .enum(['json', 'ntfy', 'slack', 'discord'])
    .default('json')
    .describe('Body of the request. json: as schemas/alert.schema.json describes it.'),
  secretEnv: envName
    .optional()
    .describe('Variable that holds the secret for the signature (Standard Webhooks). Without it nothing is signed.'),
  tokenEnv: envName.optional().describe('Variable that holds a token for the header `Authorization: Bearer`.'),
  timeoutSeconds: seconds.default(10).describe('Seconds until a request times out.'),
});
const command = z.strictObject({
  to: z.literal('command').describe('command: runs a program of yours.'),
  ...common,
  run: z
    .array(z.string())
    .min(1)
    .describe('Program and arguments; no shell runs them. The alert comes as JSON on stdin and in RALPHCTL_ALERT_*.'),
  passEnv: z.array(envName).default([]).describe('Like gate.passEnv, for this command.'),
  timeoutSeconds: seconds.default(30).describe('Seconds until the command times out.'),
});

const row = z.discriminatedUnion('to', [bell, desktop, sound, webhook, command]);
const rows = z.array(row).max(20);

export const QUIET_EXCEPT: readonly AlertKind[] = ['review', 'nothing-moves'];

const whole = z.strictObject({
  rows: rows.default([]).describe('Where alerts go. Empty: nobody is alerted.'),
  groupSeconds: z
    .number()
    .min(0)
    .max(3600)
    .default(60)
    .describe('Seconds in which events are collected for one alert. The end of a run does not wait.'),
  quiet: z
    .string()
    .refine((value) => hoursOf(value) !== undefined, { error: 'must be two different times such as "22:00-07:00"' })
    .optional()
    .describe('Quiet hours, e.g. "22:00-07:00". Alerts wait for their end, except those of `quietExcept`.'),
  quietExcept: kinds.default([...QUIET_EXCEPT]).describe('Events that quiet hours do not hold.'),
  stillMinutes: minutes
    .default(30)
    .describe('Minutes without output, change or event in an open run until `nothing-moves`.'),
  timeZone: z
    .string()
    .refine(isTimeZone, { error: 'must be the name of a time zone such as "Europe/Berlin"' })
    .optional()
    .describe('Time zone of `quiet`. Default: that of the machine where the run starts.'),
});

type Row = z.output<typeof row>;
/** A row after parsing. */
export type NotifyRow = Row & { name: string };

export const notify = whole
  .prefault({})
  .transform((given, ctx) => {
    const named = withNames(given.rows);
    named.forEach((one, at) => {
      const where = ['rows', at];
      if (named.some((other, before) => before < at && other.name === one.name))
        ctx.addIssue({ code: 'custom', path: [...where, 'name'], message: `is the name of two rows: "${one.name}"` });
      if (one.to === 'webhook' && (one.url === undefined) === (one.urlEnv === undefined))
        ctx.addIssue({ code: 'custom', path: where, message: 'needs either url or urlEnv' });
    });
    return { ...given, rows: named };
  })
  .describe('Alerts: which events tell you, and where.');

function withNames(list: readonly Row[]): NotifyRow[] {
  const given = new Set(list.flatMap((one) => one.name ?? []));
  return list.map((one) => {
    if (one.name !== undefined) return { ...one, name: one.name };
    let free: string = one.to;
    for (let number = 2; given.has(free); number++) free = `${one.to}-${number}`;
    given.add(free);
    return { ...one, name: free };
  });
}

/** Minutes of the day; undefined when the text is not a time span. */
export function hoursOf(value: string): { from: number; to: number } | undefined {
  const found = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/.exec(value);
  if (!found) return undefined;
  const [, h1 = 0, m1 = 0, h2 = 0, m2 = 0] = found.map(Number);
  const hours = { from: h1 * 60 + m1, to: h2 * 60 + m2 };
  return hours.from === hours.to ? undefined : hours;
}

function isTimeZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}
