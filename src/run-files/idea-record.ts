import type { StampedEvent } from '../protocol/events.js';
import type { RunRef } from '../protocol/run-ref.js';
import { eventsPath, followEvents } from './events.js';

type Of<Kind extends StampedEvent['kind']> = Extract<StampedEvent, { kind: Kind }>;

export interface AgentRunRecord {
  serial: number;
  begun?: Of<'iteration'>;
  ended?: Of<'iteration-end'>;
  /** After this run; a gate whose worker was lost runs again. */
  gate?: Of<'gate'>;
}

export interface IdeaRecord {
  last?: Of<'idea'>;
  runs: AgentRunRecord[];
  gate?: Of<'gate'>;
  /** Its last failed landing. */
  bounced?: Of<'bounced'>;
  told?: { verb: string; reason?: string };
}

export interface RunRecord {
  /** ISO time of the first event. */
  startedAt?: string;
  /** The last message about the run itself. */
  run?: Of<'run'>;
  landing?: string;
  ideas: Map<string, IdeaRecord>;
}

export async function readRecord(root: string, ref: RunRef): Promise<RunRecord> {
  const record: RunRecord = { ideas: new Map() };
  for await (const event of followEvents(eventsPath(root, ref), AbortSignal.abort())) take(record, event);
  return record;
}

export function take(record: RunRecord, event: StampedEvent): void {
  record.startedAt ??= event.at;
  if (event.kind === 'run') record.run = event;
  if (event.kind === 'landing') record.landing = event.idea;
  if (!('idea' in event) || typeof event.idea !== 'string') return;
  const idea = record.ideas.get(event.idea) ?? { runs: [] };
  record.ideas.set(event.idea, idea);
  switch (event.kind) {
    case 'idea':
      idea.last = event;
      if (record.landing === event.idea && event.status !== 'landing') delete record.landing;
      return;
    case 'iteration':
      runOf(idea, event.serial).begun = event;
      return;
    case 'iteration-end':
      runOf(idea, event.serial).ended = event;
      return;
    case 'gate': {
      // That on the merged tree is the landing's.
      if (event.merged) return;
      idea.gate = event;
      const last = idea.runs.at(-1);
      if (last) last.gate = event;
      return;
    }
    case 'bounced':
      idea.bounced = event;
      return;
    case 'command':
      idea.told = { verb: event.verb, reason: event.reason || undefined };
      return;
    default:
  }
}

function runOf(idea: IdeaRecord, serial: number): AgentRunRecord {
  const known = idea.runs.find((run) => run.serial === serial);
  if (known) return known;
  const run: AgentRunRecord = { serial };
  idea.runs.push(run);
  return run;
}
