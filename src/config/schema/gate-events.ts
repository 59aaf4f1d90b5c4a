/**
 * The parts of the schema of events that are about gates, and about work around an agent.
 * Invariant: each has exactly the fields of its type in the protocol; the compiler compares the two.
 */
import { z } from 'zod';
import {
  activity,
  command,
  duration,
  escaped,
  event,
  gateCommand,
  gateParts,
  idea,
  merged,
  text,
  texts,
} from './event-parts.js';

export const gateStart = event('gate-start', 'A command of the gate begins.', { idea, ...command }, { merged });

export const around = event(
  'activity',
  'Work around an agent or a gate begins. It lasts until the next event of the idea.',
  { idea, activity },
  command,
);

export const gateEnd = event(
  'gate',
  'The gate ended.',
  { idea, pass: z.boolean().describe('true: green.'), durationMs: duration },
  {
    merged,
    same: text('It did not run again, because this gate had found the same tree green: "gate of t-1".'),
    commands: z.array(gateCommand).describe('In the order in which they ran; those after the first red one did not.'),
    ...gateParts,
    escaped,
    late: texts('Paths in dependency folders that changed between the end of the agent and the gate.'),
  },
);
