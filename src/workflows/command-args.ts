/** What the autopilot's commands look like as arguments of messages, and how its end is called. Pure. */
import { agentName } from '../decide/autopilot.js';
import type { AgentChoice } from '../protocol/limits.js';
import type { AutopilotState } from '../protocol/run.js';
import type { RunOutcome } from '../protocol/states.js';

export function outcomeOf({ run, aborting }: AutopilotState): RunOutcome {
  if (run !== 'stopping') return 'completed';
  return aborting ? 'aborted' : 'stopped';
}

export const choiceOf = ({ choice }: { choice?: AgentChoice }): { choice?: AgentChoice } => (choice ? { choice } : {});

export const grantOf = (command: { slot: number; choice?: AgentChoice }) => ({
  agentName: agentName(command.slot),
  ...choiceOf(command),
});
