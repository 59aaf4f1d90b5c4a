/** Real CLIs under the real program: a repository whose configuration names them, pointed at the mock. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Sandbox, sandbox, yaml } from '../../support/program.js';
import type { AgentEntry, Setup } from './drivers.js';

export interface AgentsBox extends Sandbox {
  /** Lines that each start of an agent left in a scratch file. */
  marks: string;
}

/**
 * Says when two agents of one name live at once: the lock is held by the CLI and by everything that it starts.
 * `$MARKS/agents` gets a line for each start, `$MARKS/overlaps` one for each that was not alone, `$MARKS/arguments` what
 * each was started with, `$MARKS/leaks` whatever of Temporal's and of ours it got to see.
 */
const ALONE = `#!/bin/sh
exec 9>>"$MARKS/lock-$RALPHCTL_AGENT"
flock -n 9 || echo "$RALPHCTL_AGENT" >> "$MARKS/overlaps"
echo "$RALPHCTL_AGENT" >> "$MARKS/agents"
echo "$*" >> "$MARKS/arguments"
env | grep -E '^(TEMPORAL_|RALPHCTL_HOME=)' >> "$MARKS/leaks"
exec "$@"
`;

export async function agentsBox(
  stateRoot: string,
  setups: Record<string, Setup>,
  files: Record<string, string>,
  config: Record<string, unknown> | ((box: Sandbox) => Record<string, unknown>),
): Promise<AgentsBox> {
  const box = await sandbox(stateRoot, files);
  const wrapper = join(box.scratch, 'alone.sh');
  const put = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  };
  await put(wrapper, ALONE);
  // A credential that is none for the embedded server, so that it changes nothing but what agents could see.
  box.env.TEMPORAL_CODEC_AUTH = 'not for agents';
  const agents: Record<string, AgentEntry> = {};
  for (const [name, { entry, home }] of Object.entries(setups)) {
    const env = { ...entry.env, MARKS: box.scratch };
    agents[name] = { ...entry, command: ['/bin/sh', wrapper, ...entry.command], env };
    for (const [path, text] of Object.entries(home)) await put(join(box.env.HOME ?? '', path), text);
  }
  const given = typeof config === 'function' ? config(box) : config;
  await box.write({ 'ralphctl.yaml': yaml({ version: 1, stepDelayMs: 0, agents, ...given }) });
  await box.commit('configuration');
  return { ...box, marks: box.scratch };
}
