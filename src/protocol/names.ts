/**
 * Wire names: workflow types and ids, task queues, Temporal signals, updates, queries, search attributes.
 * Invariant: a name here is persisted in workflow histories; changing one strands running work.
 * Must not import anything.
 */
export const AUTOPILOT_WORKFLOW = 'autopilot';
export const IDEA_WORKFLOW = 'idea';
/** Delivers alerts; it may outlive its run. */
export const ALERTS_WORKFLOW = 'alerts';
/** Tells the tracker what becomes of its items; it may outlive its run. */
export const TRACKER_WORKFLOW = 'tracker';

export const autopilotId = (project: string): string => `ralph:${project}:autopilot`;
export const ideaWorkflowId = (project: string, idea: string): string => `ralph:${project}:idea:${idea}`;
export const alertsId = (project: string): string => `ralph:${project}:alerts`;
export const trackerId = (project: string): string => `ralph:${project}:tracker`;

/** Workflows and light activities: any worker of the project can take these. */
export const mainQueue = (project: string): string => `ralph-${project}`;
/** Agent runs: bound to the host of the worktrees. */
export const agentsQueue = (project: string, host: string): string => `ralph-${project}-agents@${host}`;
/** Git, gate and landing: bound to the same host, with their own slots, so that an agent never waits behind a gate. */
export const gitQueue = (project: string, host: string): string => `ralph-${project}-git@${host}`;

/**
 * The autopilot's tasks and queries take precedence over those of a hundred ideas, whose landings and slots wait for
 * it. Without this, `status` took seconds while ideas began, and hardly anything landed. Ideas do not inherit it.
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
/** To an idea, or about one: skip the current step of its plan. */
export const SKIP_STEP = 'skipStep';
/** To an idea: the reply to its warnings: `continue`, `stop`, or `+N` iterations. */
export const WARN = 'warn';
/** To the autopilot: a configuration revision in the run's files. */
export const RELOAD_CONFIG = 'reloadConfig';
/** To the autopilot: raise the used-up budget, or the named one. */
export const RAISE_BUDGET = 'raiseBudget';
/** To the autopilot: try a limited account or agent now; without a name, all of them. */
export const RETRY_LIMIT = 'retryLimit';

/** Temporal signals between the two workflows. */
export const IDEA_REPORT = 'ideaReport';
export const SLOT_GRANTED = 'slotGranted';
export const VERDICT = 'verdict';
/** Child to parent: whether it took an answer. */
export const ANSWER_TAKEN = 'answerTaken';
/** Worker to parent: the agent of an idea has ended, and its slot is free before the run is settled. */
export const AGENT_ENDED = 'agentEnded';
/** The run's configuration was reloaded. */
export const CONFIGURED = 'configured';
/** Changed limits or texts. */
export const EDITED = 'edited';
/** Whether every iteration waits for an approval. */
export const SET_STEP = 'setStep';
/** Parent to child: which agent to use from the next iteration on. */
export const USE_AGENT = 'useAgent';

/** To the workflow that delivers alerts: more events. */
export const TAKE_ALERTS = 'takeAlerts';
/** To the workflow that tells the tracker: more items. */
export const TAKE_TRACKED = 'takeTracked';

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

/** In the environment of every process of an agent run, so that leftover descendants can be found. */
export const ATTEMPT_ENV = 'RALPHCTL_ATTEMPT';
/** Parent to child: report your state again (after an adoption). */
export const RESYNC = 'resync';
