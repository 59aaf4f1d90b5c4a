/**
 * Alerts (G7): what an event tells a person, and what the workflow that delivers alerts stores.
 * Invariant: plain JSON and small; no address, no secret: the activity reads those from the run's configuration and its
 * own environment. Fields are only ever added, never changed in meaning. Must import types only.
 */
import type { RunRef } from './run-ref.js';

export const ALERT_KINDS = [
  /** An idea asks a person, or waits for an approval. */
  'question',
  'blocked',
  'timed-out',
  'failed',
  /** Too many failures in a row paused the run (A7). */
  'review',
  /** No agent can work. */
  'all-limited',
  /** The budget of run or day is used up. */
  'budget',
  /** The remote lacks landed work, and this does not pass by itself. */
  'not-pushed',
  'landed',
  'run-done',
  /**
   * Nothing moves in an open run: its worker is gone, its agents hang, or everything waits. No workflow can tell this:
   * the supervisor does, or an attached command.
   */
  'nothing-moves',
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** One row of the configuration, as much as deciding needs. */
export interface AlertRow {
  name: string;
  events: AlertKind[];
  /** An attached command rings: nothing is delivered. */
  bell?: true;
}

export interface AlertSettings {
  rows: AlertRow[];
  /** How long events are collected for one alert. */
  groupMs: number;
  /** Minutes of the day; `from` may be after `to`. */
  quiet?: { from: number; to: number };
  /** Kinds that quiet hours do not hold. `urgent` is the wire name. */
  urgent: AlertKind[];
  /** Name of the time zone of quiet hours, e.g. Europe/Berlin. */
  timeZone: string;
}

/** An event that people are alerted of. */
export interface AlertItem {
  /** `<run>.<idea or "run">.<kind>.<serial>`: the same event has the same id wherever it appears. */
  id: string;
  kind: AlertKind;
  run: string;
  idea?: string;
  title?: string;
  /** Why, in a sentence. */
  text?: string;
  /** The command that answers it. */
  command: string;
  /** epoch ms */
  at: number;
}

/** Events that go out together. */
export interface Alert {
  /** That of its first event. */
  id: string;
  items: AlertItem[];
  /** How many events of each kind; more than `items` has when there were very many. */
  counts: Partial<Record<AlertKind, number>>;
}

/** Events that wait for a row. */
export interface WaitingAlerts {
  items: AlertItem[];
  counts: Partial<Record<AlertKind, number>>;
  /** Further events, without title and text: they take the place of items that are taken back. */
  more?: AlertItem[];
  /** Of older versions: the id of a cancelled delivery whose rest waits here together with what came since. */
  id?: string;
}

/** The autopilot's part: events that the delivering workflow has not taken yet. */
export interface AlertOutbox {
  serial: number;
  items: AlertItem[];
  /** Conditions of the run that were told and still hold. */
  told: AlertKind[];
  /** Events that still hold, by idea or kind of condition. The newest of very many. */
  open?: { of: string; id: string }[];
  /** Ids of events that no longer hold. The delivering workflow does not know that yet. */
  over?: string[];
}

/** From the autopilot to the delivering workflow. */
export interface AlertBatch {
  ref: RunRef;
  settings: AlertSettings;
  items: AlertItem[];
  /** Ids of events that no longer hold: a person has answered them, or the idea goes on. They are not sent. */
  over?: string[];
}

/** The delivering workflow's state. */
export interface AlertQueue {
  ref: RunRef;
  settings: AlertSettings;
  /** Waiting alerts, by row. `lanes` is the wire name. */
  lanes: Record<string, WaitingAlerts>;
  /** Under way, by row: a row has one delivery at a time. */
  sending: Record<string, Alert>;
  /**
   * What still holds of cancelled deliveries, by row. It goes out before what waits, alone and under its id: an event
   * that came since would be lost at a receiver that took the alert before.
   */
  again?: Record<string, Alert>;
  /** Ids of the latest events, so that each counts once. */
  seen: string[];
}

export interface AlertsInput {
  project: string;
  batch?: AlertBatch;
  /** Set by continue-as-new. */
  state?: AlertQueue;
  maxHistory?: number;
}

export interface DeliverInput extends RunRef {
  row: string;
  alert: Alert;
  /** Address of the Web UI's pages; the worker fills it in. */
  pages?: string;
}

export interface DeliverResult {
  /**
   * `before`: an earlier attempt had delivered it. `gone`: nothing is left to deliver: the configuration has no such row
   * any more, or all events of the alert are over.
   */
  outcome: 'delivered' | 'before' | 'gone';
  /** Where it went, for people; never an address. */
  to: string;
}
