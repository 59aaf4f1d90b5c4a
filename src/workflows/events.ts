/** Tells the worker's event file what happened. A sink: no history events, not called on replay. */
import { proxySinks, type Sink, type Sinks } from '@temporalio/workflow';
import type { RunEvent } from '../protocol/events.js';
import type { RunRef } from '../protocol/run-ref.js';

export interface EventSinks extends Sinks {
  ralph: Sink & { event(ref: RunRef, event: RunEvent, at: number): void };
}

const { ralph } = proxySinks<EventSinks>();

export function emit(ref: RunRef, event: RunEvent): void {
  ralph.event({ project: ref.project, runId: ref.runId }, event, Date.now());
}
