/**
 * Looks at what a run left in the server, from outside: events and bytes of each execution, and the state that the
 * autopilot carried from one execution to the next. Shared by tests and benchmarks.
 */
import type { Client, WorkflowHandle } from '@temporalio/client';

export interface ExecutionSize {
  runId: string;
  events: number;
  /** As the server counts it. */
  bytes: number;
  /** Events by type, without the EVENT_TYPE_ prefix. */
  types: Record<string, number>;
  /** Bytes of the input for the next execution, as stored (after the codec); absent for the last one. */
  carried?: number;
  /** Of each workflow task: from when it was due until a worker had it, and from then until it was done. */
  taskWaitMs: number[];
  taskTakesMs: number[];
}

type HistoryEvent = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>[number];

/** All executions of a workflow id, first to last, followed from the given run. */
export async function executionSizes(client: Client, workflowId: string, firstRunId: string): Promise<ExecutionSize[]> {
  const found: ExecutionSize[] = [];
  for (let runId: string | undefined = firstRunId; runId; ) {
    const handle = client.workflow.getHandle(workflowId, runId);
    const [{ events: all }, described] = await Promise.all([handle.fetchHistory(), handle.describe()]);
    const events: HistoryEvent[] = all ?? [];
    const types: Record<string, number> = {};
    for (const event of events) {
      const name = eventName(event);
      types[name] = (types[name] ?? 0) + 1;
    }
    const [taskWaitMs, taskTakesMs]: [number[], number[]] = [[], []];
    const timeOf = (id: unknown): number => millis(events[Number(id) - 1]);
    for (const event of events) {
      const done = event.workflowTaskCompletedEventAttributes;
      if (!done) continue;
      const begun = timeOf(done.startedEventId);
      taskWaitMs.push(begun - timeOf(done.scheduledEventId));
      taskTakesMs.push(millis(event) - begun);
    }
    const next = events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes;
    found.push({
      runId,
      events: events.length,
      bytes: described.historySize ?? 0,
      types,
      taskWaitMs,
      taskTakesMs,
      ...(next ? { carried: sum((next.input?.payloads ?? []).map(({ data }) => data?.length ?? 0)) } : {}),
    });
    runId = next?.newExecutionRunId ?? undefined;
  }
  return found;
}

const millis = (event: HistoryEvent | undefined): number =>
  Number(event?.eventTime?.seconds ?? 0) * 1000 + (event?.eventTime?.nanos ?? 0) / 1e6;

/** The attributes field that is set names the event, whatever form the enum has. */
function eventName(event: HistoryEvent): string {
  const key = Object.keys(event).find((name) => name.endsWith('EventAttributes')) ?? 'unknown';
  return key.replace(/EventAttributes$/, '');
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
