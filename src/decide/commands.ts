/**
 * What the autopilot may ask its workflow to do. The workflow carries these out and decides nothing itself.
 * May import protocol only.
 */
import type { Verdict } from '../protocol/run.js';

export type Command =
  | { do: 'start'; idea: string; slot: number }
  | { do: 'grant'; idea: string; slot: number }
  | { do: 'verdict'; idea: string; verdict: Verdict }
  | { do: 'land'; idea: string }
  | { do: 'tell'; idea: string; signal: 'pause' | 'resume' | 'stop' };
