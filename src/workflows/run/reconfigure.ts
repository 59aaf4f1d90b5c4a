/**
 * Brings a revision of the configuration into an open run: an activity reads it, the run takes it between two decisions
 * and passes it to the open ideas.
 * Invariant: revision and settings go into the workflow's input, which continue-as-new passes on. An older revision
 * never replaces a newer one.
 */

import type { Configured } from '../../decide/messages/between.js';
import type { Autopilot } from '../../decide/run/autopilot.js';
import type { RunConfigResult } from '../../protocol/activities.js';
import type { AutopilotInput } from '../../protocol/run.js';
import type { RunSettings } from '../../protocol/run-settings.js';
import { activityProblem, mainActivities } from '../proxies.js';

type Read = RunConfigResult | { problem: string };

export interface Voice {
  /** Queues an event for the main loop. */
  tell: (event: () => void) => void;
  send: (idea: string, said: Configured) => void;
}

export async function reconfigure(
  input: AutopilotInput,
  revision: number,
  pilot: Autopilot,
  run: Voice,
): Promise<void> {
  const read = await readRevision(input, pilot, revision);
  run.tell(() => {
    for (const [idea, said] of takeRevision(input, pilot, revision, read)) run.send(idea, said);
  });
}

async function readRevision(input: AutopilotInput, pilot: Autopilot, config: number): Promise<Read> {
  const { project, runId } = input;
  const ideas = pilot.openIdeas().map(({ card }) => card.id);
  try {
    return await mainActivities().runConfig({ project, runId, config, ideas });
  } catch (error) {
    const problem = activityProblem(error);
    if (!problem) throw error;
    return { problem };
  }
}

/** Applies the revision. Returns the messages for the ideas. */
function takeRevision(
  input: AutopilotInput,
  pilot: Autopilot,
  config: number,
  read: Read,
): [idea: string, said: Configured][] {
  if ('problem' in read) {
    pilot.notConfigured(read.problem);
    return [];
  }
  if (config <= (input.config ?? 0)) return [];
  const settings = asOfItsStart(input.settings, read.settings);
  input.config = config;
  input.settings = settings;
  pilot.configured({ ...read, settings });
  return pilot.openIdeas().map(({ card: { id } }) => {
    const limits = read.limits[id];
    return [id, { runId: input.runId, config, settings, ...(limits ? { limits } : {}) }];
  });
}

/** Settings that mark the version of the run's start stay: a run keeps one behaviour to its end. */
function asOfItsStart(before: RunSettings, now: RunSettings): RunSettings {
  const {
    mode: _,
    stepLanding: __,
    stepsQueue: _________,
    ownTrouble: ___,
    unblocksThroughParents: ____,
    bluesByChildren: _____,
    pointsAddUp: ______,
    gatesBeside,
    settlesBeside: _______,
    pausesBeside: ________,
    times,
    ...settings
  } = now;
  const { mode, stepLanding, ownTrouble, unblocksThroughParents, bluesByChildren, pointsAddUp } = before;
  const { settlesBeside, pausesBeside, stepsQueue } = before;
  return {
    ...settings,
    ...(mode ? { mode } : {}),
    ...(stepLanding ? { stepLanding } : {}),
    ...(stepsQueue ? { stepsQueue } : {}),
    ...(ownTrouble ? { ownTrouble } : {}),
    ...(unblocksThroughParents ? { unblocksThroughParents } : {}),
    ...(bluesByChildren ? { bluesByChildren } : {}),
    ...(pointsAddUp ? { pointsAddUp } : {}),
    ...(before.gatesBeside === undefined ? {} : { gatesBeside }),
    ...(settlesBeside ? { settlesBeside } : {}),
    ...(pausesBeside ? { pausesBeside } : {}),
    ...(before.times && times ? { times } : {}),
  };
}
