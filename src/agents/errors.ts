/** The configuration names an agent that cannot be run; the message says what to edit. */
export class AgentConfigError extends Error {
  override name = 'AgentConfigError';
}
