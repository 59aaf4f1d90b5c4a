/**
 * The parts of the schema of events that are about waves.
 * Invariant: each has exactly the fields of its type in the protocol; the compiler compares the two.
 */
import { z } from 'zod';
import type { RunEvent } from '../../protocol/events.js';
import { type Tier, TRIAGE_GATES } from '../../protocol/triage.js';
import type { WavesEnd } from '../../protocol/waves.js';
import { amount, counted, duration, type Fields, idea, type MayFields, spent, text } from './event-parts.js';

type Wave = Omit<Extract<RunEvent, { kind: 'wave' }>, 'kind'>;
type Rejected = Omit<Extract<RunEvent, { kind: 'rejected' }>, 'kind'>;

const tier = z.enum(['T1', 'T2', 'T3'] satisfies Tier[]).describe('T1: less than 2 minutes. T2: 2 to 10. T3: more.');
const end = z
  .enum(['max-waves', 'no-success', 'empty', 'budget'] satisfies WavesEnd[])
  .describe('Why no further wave begins.');
const number = counted('Number of the wave, from 1.');

const waveFields: Fields<Wave> = {
  wave: number,
  of: counted('Most waves of this run.'),
  state: z
    .enum(['began', 'empty', 'waits', 'ended', 'over'])
    .describe('empty: triage lets nothing through. waits: the source cannot be read. over: no further wave begins.'),
};
const waveOptional: MayFields<Wave> = {
  taken: z
    .array(z.object({ idea, tier, score: z.number().min(-1e9).max(1e9).describe('Its score.') }))
    .describe('Ideas of the wave, in order.'),
  open: counted('Open reports in the source.'),
  left: counted('Good reports that no wave has taken yet.'),
  rejected: counted('Reports that triage rejects.'),
  leftOut: counted('Reports that the configuration leaves out.'),
  read: z
    .object({
      agent: text('Agent that read reports.'),
      reports: counted('Reports that it judged.'),
      byRules: counted('Reports that rules judged in its place.'),
      why: text('Why.').optional(),
      spent: spent('Of its runs, together.'),
    })
    .describe('An agent read reports for this wave.'),
  unknownRuns: z
    .object({ why: text('About the newest one.'), more: counted('How many others there are.') })
    .describe('Runs whose work triage does not know, because they cannot be read.'),
  end,
  why: text('Why the source cannot be read, or why no further wave begins.'),
  attempted: counted('Ideas of the wave that an agent worked on.'),
  passed: counted('Of these, the ones that landed or are in review.'),
  failed: counted('Of these, the ones that did not.'),
  skipped: counted('Ideas that somebody else has, or that a person took out.'),
  elsewhere: counted('Of the skipped ones, those that somebody else has in the tracker.'),
  waiting: counted('Ideas that wait for a person, or for another idea.'),
  ms: duration,
  dollars: amount('US dollars, as far as agents reported them.'),
};

const rejectedFields: Fields<Rejected> = {
  wave: number,
  report: text('Id of the report in its tracker.'),
  as: text('Id that it would have as an idea.'),
  title: text('Its title.'),
  gate: z.enum([...TRIAGE_GATES, 'person']).describe('The gate that rejects it; person: a verdict of a person.'),
  reason: text('Why.'),
  quote: text('An unchanged part of the report.'),
};

export const wave = [waveFields, waveOptional] as const;
export const rejected: readonly [Fields<Rejected>, MayFields<Rejected>] = [
  rejectedFields,
  {
    duplicateOf: text('The report or idea that it repeats.'),
    judgedBy: text('The agent whose reading this is. Absent: rules, or a person.'),
  },
];
