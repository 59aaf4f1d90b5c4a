/** Typed search attribute keys (G9). May import @temporalio/common only. */
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

export const RALPH_PROJECT = defineSearchAttributeKey('RalphProject', SearchAttributeType.KEYWORD);
export const RALPH_STATE = defineSearchAttributeKey('RalphState', SearchAttributeType.KEYWORD);
export const RALPH_IDEA = defineSearchAttributeKey('RalphIdea', SearchAttributeType.KEYWORD);
export const RALPH_ITERATION = defineSearchAttributeKey('RalphIteration', SearchAttributeType.INT);
