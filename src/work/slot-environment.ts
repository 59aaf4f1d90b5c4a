/** Lets a project keep ports and container names of parallel slots apart. */
export function slotEnvironment(input: { agentName: string; project: string; idea: string }): Record<string, string> {
  const slot = Number(/\d+$/.exec(input.agentName)?.[0] ?? 1);
  return {
    RALPHCTL_SLOT: String(slot),
    RALPHCTL_PORT_BASE: String(20_000 + slot * 100),
    COMPOSE_PROJECT_NAME: `${input.project}-${slot}`.toLowerCase().replace(/[^a-z0-9_-]/g, '-'),
  };
}
