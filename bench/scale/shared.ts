/** What the two processes of the scale benchmark agree on. */
import { createHash } from 'node:crypto';
import type { IdeaCard } from '../../src/protocol/idea.js';

export interface ScaleOptions {
  ideas: number;
  slots: number;
  /** Agent runs an idea takes. */
  iterations: number;
  agentMs: number;
  /** Continue as new after this many events; absent: when the server suggests it. */
  maxHistory?: number;
  address: string;
  root: string;
  project: string;
  runId: string;
  /** Path of the production workflow bundle. */
  bundle: string;
  /** While this file exists nothing new is worked on, and the time does not count: for a machine that others measure on. */
  hold?: string;
}

/** How far the worker is. Times without those on hold. */
export interface WorkerTick {
  landed: number;
  cpuMs: number;
  heldMs: number;
  held: boolean;
}

export interface WorkerBooks extends WorkerTick {
  lost: number;
  wrongs: string[];
  mostAtWork: number;
  rss: number;
  heapUsed: number;
}

const WORDS =
  'add fix parser login cache retry index token export filter upload schema report search queue worker'.split(' ');

/** A title from a hash of its number, so that each is its own and every run has the same. */
function words(at: number): string {
  const hash = createHash('sha256').update(String(at)).digest();
  return [...hash.subarray(0, 9)].map((byte) => WORDS[byte % WORDS.length]).join(' ');
}

/** Titles of real length that no compressor finds all alike, groups under Blues, and a dependency here and there. */
export function cards(count: number): IdeaCard[] {
  const blues = Array.from({ length: Math.ceil(count / 50) }, (_, at) => ({
    id: `group-${at}`,
    title: `Group ${at}`,
    blue: true as const,
  }));
  const ideas = Array.from({ length: count }, (_, at) => ({
    id: `idea-${at}`,
    title: words(at),
    parent: `group-${Math.floor(at / 50)}`,
    ...(at % 10 === 9 ? { dependsOn: [`idea-${at - 5}`] } : {}),
    ...(at % 7 === 0 ? { tags: ['quick-win'] } : {}),
  }));
  return [...blues, ...ideas];
}
