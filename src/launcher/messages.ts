/** What worker and launcher say to each other; plain JSON over Node's channel between parent and child. */
import type { AgentProgress } from '../protocol/activities.js';
import type { WorkName } from '../work/index.js';
import type { FailureType } from '../work/work-error.js';

export type ToLauncher =
  | { do: 'init'; root: string; host: string }
  | { do: 'work'; id: number; name: WorkName; input: unknown; taskToken: string }
  | { do: 'abort'; id: number }
  | { do: 'ping' };

export type FromLauncher =
  | { pong: true }
  | { id: number; progress: AgentProgress }
  | { id: number; ok: true; result: unknown }
  | { id: number; ok: false; message: string; stack?: string; type?: FailureType; retryable?: boolean };
