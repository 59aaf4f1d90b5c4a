/**
 * Message definitions of both workflows. Names come from the protocol, so that clients need not load the SDK's
 * workflow package. May import protocol, types of decide and @temporalio/workflow only.
 */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { Configured, Edited, Granted, Resync, UseAgent } from '../decide/messages/between.js';
import type { SaidAnswer } from '../decide/messages/said.js';
import type { AgentEnded } from '../protocol/agent-run.js';
import type { AlertBatch } from '../protocol/alerts.js';
import type { AnswerTaken } from '../protocol/answers.js';
import type { Intervention, InterventionAnswer } from '../protocol/command.js';
import type { IdeaCard } from '../protocol/idea.js';
import type { IdeaReport, Verdict } from '../protocol/idea-run.js';
import {
  ABORT,
  AGENT_ENDED,
  ANSWER,
  ANSWER_TAKEN,
  APPROVE,
  COMMAND,
  CONFIGURED,
  EDITED,
  ENQUEUE,
  HINT,
  IDEA_REPORT,
  IDEA_STATUS,
  IDEAS,
  PAUSE,
  PAUSE_NOW,
  RESUME,
  RESYNC,
  SET_SLOTS,
  SET_STEP,
  SKIP_STEP,
  SLOT_GRANTED,
  STATUS,
  STOP,
  TAKE_ALERTS,
  TAKE_TRACKED,
  TELL,
  USE_AGENT,
  VERDICT,
  WARN,
  WHY,
} from '../protocol/names.js';
import type { TrackerBatch } from '../protocol/tracker.js';
import type { IdeaPage, IdeaPageRequest, IdeaView, RunStatus, WhyView } from '../protocol/views.js';
import type { WarningAnswer } from '../protocol/warnings.js';

/** A person's message to an idea, as `decide/messages/said.ts` reads it: a text, where there is one. */
type Said = string | undefined;

/** To the workflow that delivers alerts. */
export const takeAlertsSignal = defineSignal<[AlertBatch]>(TAKE_ALERTS);
/** To the workflow that tells the tracker. */
export const takeTrackedSignal = defineSignal<[TrackerBatch]>(TAKE_TRACKED);

export const pauseSignal = defineSignal<[Said]>(PAUSE);
export const pauseNowSignal = defineSignal<[Said]>(PAUSE_NOW);
export const resumeSignal = defineSignal<[Said]>(RESUME);
export const stopSignal = defineSignal<[Said, boolean]>(STOP);
export const abortSignal = defineSignal<[Said]>(ABORT);
export const approveSignal = defineSignal<[Said]>(APPROVE);
export const hintSignal = defineSignal<[string]>(HINT);
export const answerSignal = defineSignal<[SaidAnswer]>(ANSWER);

export const reportSignal = defineSignal<[IdeaReport]>(IDEA_REPORT);

/** From a worker. */
export const agentEndedSignal = defineSignal<[AgentEnded]>(AGENT_ENDED);

/** Child to parent. */
export const answerTakenSignal = defineSignal<[AnswerTaken]>(ANSWER_TAKEN);

export const warnSignal = defineSignal<[WarningAnswer]>(WARN);

export const slotSignal = defineSignal<[Granted]>(SLOT_GRANTED);
export const agentSignal = defineSignal<[UseAgent]>(USE_AGENT);
export const verdictSignal = defineSignal<[Verdict]>(VERDICT);
export const editedSignal = defineSignal<[Edited]>(EDITED);
export const skipStepSignal = defineSignal<[Said]>(SKIP_STEP);
export const configuredSignal = defineSignal<[Configured]>(CONFIGURED);
export const setStepSignal = defineSignal<[boolean]>(SET_STEP);
export const commandSignal = defineSignal<[Intervention]>(COMMAND);
export const resyncSignal = defineSignal<[Resync]>(RESYNC);

export const statusQuery = defineQuery<RunStatus | undefined>(STATUS);
export const whyQuery = defineQuery<WhyView | undefined, [string]>(WHY);
export const ideasQuery = defineQuery<IdeaPage | undefined, [IdeaPageRequest?]>(IDEAS);
export const ideaQuery = defineQuery<IdeaView>(IDEA_STATUS);

/** ralphctl sends `tell`. Clients of 0.1 send this one, and a history that holds it replays only with a handler (decision 026). */
export const setSlotsUpdate = defineUpdate<number, [number]>(SET_SLOTS);
export const tellUpdate = defineUpdate<InterventionAnswer, [Intervention]>(TELL);
export const enqueueUpdate = defineUpdate<number, [IdeaCard[]]>(ENQUEUE);
