/**
 * One sandbox: its proxy, its environment and the command line that starts a program in it.
 * Invariant: what it makes is gone after `close`. Nothing that this process was given open is open in what it starts.
 * Starts no program itself.
 */
import { join } from 'node:path';
import { closeInherited } from '../descriptors.js';
import { programFile } from '../program-file.js';
import { removeTree } from '../remove-tree.js';
import type { Place } from './allowed.js';
import { ruleFor } from './mounts.js';
import { bubblewrap, environmentInside, rulesOf, type SandboxFacts, SOCKETS } from './plan.js';
import { startProxy, TOLD_SOCKET } from './proxy.js';
import type { Upstreams } from './upstream.js';

const BRIDGE_FILE = 'sandbox-bridge.js';

export interface Sandbox {
  argv: (argv: readonly string[]) => string[];
  env: (env: Readonly<Record<string, string>>) => Record<string, string>;
  /** What it has refused, and what it has ended, for a person. Empty: nothing. */
  told: () => string[];
  close: () => Promise<void>;
}

/** What is about to start. */
export interface Starting {
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
}

export type OpenSandbox = (starting: Starting) => Promise<Sandbox>;

export interface SandboxOptions {
  facts: SandboxFacts;
  places: readonly Place[];
  upstreams: Upstreams;
  /** bubblewrap. */
  program: string;
  /** Called when its folders are gone. */
  closed?: (() => Promise<void>) | undefined;
}

const MOST_NAMED = 5;

export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { facts, places, upstreams, program, closed } = options;
  const cleared = async (): Promise<void> => {
    // A folder that a program closed to us is no reason to lose its run.
    for (const path of [facts.sockets, facts.temporary]) await removeTree(path);
    await closed?.();
  };
  const bridge = programFile(BRIDGE_FILE);
  const proxy = await startIn({ folder: facts.sockets, places, upstreams }).catch(async (error: unknown) => {
    await cleared();
    throw error;
  });
  const offered = proxy.ports.map(({ port, socket }) => `${port}=${join(SOCKETS, socket)}`);
  const inside = {
    program,
    rules: rulesOf({ ...facts, programs: [...facts.programs, process.execPath, bridge] }),
    cwd: facts.cwd,
    bridge: [process.execPath, bridge, ...offered, join(SOCKETS, TOLD_SOCKET)],
  };
  return {
    argv: (argv) => bubblewrap(inside, argv),
    env: (env) =>
      environmentInside(env, proxy.proxyPort, (path) => {
        const rule = ruleFor(path, inside.rules);
        return rule?.access === 'write' && rule.from === undefined;
      }),
    told: () => [...refusedText(proxy.refused), ...leftText(proxy.left)],
    close: async () => {
      await proxy.close();
      await cleared();
    },
  };
}

async function startIn(options: Parameters<typeof startProxy>[0]): ReturnType<typeof startProxy> {
  closeInherited();
  return startProxy(options);
}

function refusedText(refused: ReadonlyMap<string, number>): string[] {
  if (refused.size === 0) return [];
  const often = [...refused].sort((a, b) => b[1] - a[1]);
  const named = often.slice(0, MOST_NAMED).map(([place, times]) => (times > 1 ? `${place} (${times} times)` : place));
  const more = often.length > MOST_NAMED ? ` and ${often.length - MOST_NAMED} more` : '';
  return [
    `the sandbox refused connections to ${named.join(', ')}${more}. If the agent needs one, add it to sandbox.allow in ralphctl.yaml`,
  ];
}

const leftText = (left: readonly string[]): string[] =>
  left.length === 0 ? [] : [`the sandbox ended processes that the agent had left: ${left.join(', ')}`];
