/**
 * The `sandbox` part of the configuration.
 * Invariant: after parsing it is an object with a mode and lists, and no entry of `allow` names this machine without a
 * port. Imports zod and this folder only.
 */
import { z } from 'zod';
import { isLoopback } from './metrics.js';

const mode = z.enum(['off', 'on', 'strict']);

const PLACE = /^(?:\[[0-9A-Fa-f:.]+\]|(?:\*\.)?[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)(?::\d{1,5})?$/;
const port = (text: string): string | undefined => /(?:\]|^[^:]*):(\d+)$/.exec(text)?.[1];

const place = z
  .string()
  .refine((text) => PLACE.test(text) && Number(port(text) ?? 1) >= 1 && Number(port(text) ?? 1) <= 65_535, {
    error: 'must be a host such as "registry.npmjs.org", "*.example.com" or "127.0.0.1:8080"',
  })
  .refine((text) => port(text) !== undefined || !isLoopback(text.replace(/^\[|\]$/g, '')), {
    error: 'needs a port, such as "127.0.0.1:8080": without one every program of this machine would be open to agents',
  });

const path = z
  .string()
  .regex(/^(?:\/|~\/)[^\0]*[^\0/]$/, 'must be an absolute path, or one that begins with "~/", and not the root folder');

const whole = z.strictObject({
  mode: mode
    .default('on')
    .describe(
      'off: agents run as you, and changes outside their worktree are found afterwards. on: agents can write only in their worktree, and reach only the hosts below. strict: they also see only programs, tools and their own worktree, and none of your files.',
    ),
  allow: z
    .array(place)
    .max(200)
    .default([])
    .describe(
      'Hosts that agents may reach besides the model API of their own CLI: "registry.npmjs.org", "*.example.com", or with a port "db.example.com:5432". Without a port: 80 and 443. An address of this machine needs its port.',
    ),
  read: z.array(path).max(200).default([]).describe('Further files and folders that agents may read in mode strict.'),
  write: z
    .array(path)
    .max(200)
    .default([])
    .describe('Further folders that agents may write, such as a build cache that worktrees share.'),
  gates: z
    .boolean()
    .default(false)
    .describe(
      'Run gate and set-up commands in the same sandbox, because they run code that agents wrote. They make no commits there, and reach only `allow`.',
    ),
});

export const sandbox = z
  .union([mode.transform((given) => whole.parse({ mode: given })), whole])
  .prefault('off')
  .describe(
    'Runs agents in a sandbox of bubblewrap (Linux). A mode alone, or settings. `ralphctl doctor` says whether it works on this machine.',
  );

type Sandbox = z.output<typeof sandbox>;

const OFF: Sandbox = { mode: 'off', allow: [], read: [], write: [], gates: false };

/** Of a run, which has none where an older version began it. */
export const sandboxOf = (config: { sandbox?: Sandbox | undefined }): Sandbox => config.sandbox ?? OFF;
