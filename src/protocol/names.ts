/**
 * Wire names: workflow types and ids, task queues, Temporal signals, updates, queries, search attributes.
 * Invariant: a name here is persisted in workflow histories; changing one strands running work.
 * Must not import anything.
 */
export const AUTOPILOT_WORKFLOW = 'autopilot';
export const IDEA_WORKFLOW = 'idea';

export const autopilotId = (project: string): string => `ralph:${project}:autopilot`;
export const ideaWorkflowId = (project: string, idea: string): string => `ralph:${project}:idea:${idea}`;

/** Workflows and light activities: any worker of the project may take these. */
export const mainQueue = (project: string): string => `ralph-${project}`;
/** Agent runs: bound to the host that has the worktrees. */
export const agentsQueue = (project: string, host: string): string => `ralph-${project}-agents@${host}`;
/** Git, gate and landing: bound to the same host, in slots of their own so an agent never waits behind a gate. */
export const gitQueue = (project: string, host: string): string => `ralph-${project}-git@${host}`;

/**
 * The autopilot's tasks and queries go before those of a hundred ideas, whose landings and slots wait for it: without
 * this `status` took seconds while ideas began, and hardly anything landed. Ideas do not inherit it.
 */
export const RUN_FIRST = 1;
export const IDEA_PRIORITY = 3;

/** Temporal signals a person may send, from the CLI, the Web UI or `temporal workflow signal`. */
export const PAUSE = 'pause';
export const RESUME = 'resume';
export const STOP = 'stop';
export const ANSWER = 'answer';
export const HINT = 'hint';
/** To the run: hold at once. To an idea: the same, for it alone. */
export const PAUSE_NOW = 'pauseNow';
/** To the run: end everything at once. To an idea: the same, for it alone. */
export const ABORT = 'abort';
export const APPROVE = 'approve';
/** Any command, for when no worker can take an update. */
export const COMMAND = 'command';
/** To an idea, or about one: leave out the step of its plan that it is at. */
export const SKIP_STEP = 'skipStep';
/** To an idea: what to do about its warnings: `continue`, `stop`, or `+N` iterations. */
export const WARN = 'warn';
/** To the autopilot: a revision of the configuration that stands in the run's files. */
export const RELOAD_CONFIG = 'reloadConfig';
/** To the autopilot: more of the budget that is used up, or of the one named. */
export const RAISE_BUDGET = 'raiseBudget';
/** To the autopilot: try a limited account or agent now; without one, all of them. */
export const RETRY_LIMIT = 'retryLimit';

/** Temporal signals between the two workflows. */
export const IDEA_REPORT = 'ideaReport';
export const SLOT_GRANTED = 'slotGranted';
export const VERDICT = 'verdict';
/** The configuration of the run was read anew. */
export const CONFIGURED = 'configured';
/** Changed limits or texts. */
export const EDITED = 'edited';
/** Whether every iteration waits for an approval. */
export const SET_STEP = 'setStep';
/** Parent to child: which agent to use from the next iteration on. */
export const USE_AGENT = 'useAgent';

/** Updates: requests that can be refused. */
export const SET_SLOTS = 'setSlots';
export const ENQUEUE = 'enqueue';
export const TELL = 'tell';

/** Queries. */
export const STATUS = 'status';
export const IDEA_STATUS = 'idea';
export const WHY = 'why';
export const IDEAS = 'ideas';

export const SEARCH_ATTRIBUTES = {
  RalphProject: 'Keyword',
  RalphState: 'Keyword',
  RalphIdea: 'Keyword',
  RalphIteration: 'Int',
} as const;

/** Set in the environment of everything an agent run starts, so that stray descendants can be found again. */
export const ATTEMPT_ENV = 'RALPHCTL_ATTEMPT';
/** Parent to child: say again where you stand (after an adoption). */
export const RESYNC = 'resync';
