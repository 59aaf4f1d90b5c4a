/** The `waves` part of the configuration, for `ralphctl run`. Imports zod only. */
import { z } from 'zod';

const count = (least: number, most: number) => z.int().min(least).max(most);

export const MOST_WAVES = 100;
export const MOST_BATCH = 50;

export const waves = z
  .strictObject({
    maxWaves: count(1, MOST_WAVES).default(5).describe('Most waves of one run.'),
    batchSize: count(1, MOST_BATCH).default(5).describe('Most ideas of one wave.'),
    slots: count(1, 100).default(1).describe('How many agents run at the same time in waves; 1: one after another.'),
    confirm: z.boolean().default(false).describe('Pause after each wave and ask whether another one begins.'),
  })
  .prefault({})
  .describe('What `ralphctl run` does: it triages the source, works on the best few, and begins again.');
