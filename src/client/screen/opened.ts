/** What opens the full screen, and how it ends. Types only. */
import type { RunModel } from '../../model/model.js';
import type { RunRef } from '../../protocol/run-ref.js';

export interface ScreenOptions {
  ref: RunRef;
  repo: string;
  notice?: string;
}

export interface ScreenEnd {
  why: 'left' | NodeJS.Signals;
  model: RunModel;
}
