/** All activities of a worker, by queue. */
import type { AgentActivities, GitActivities, MainActivities } from '../protocol/activities.js';
import type { ActivityDeps } from './deps.js';
import { landIdeaActivity } from './land-idea.js';
import { mainActivities } from './main-activities.js';
import { prepareIdeaActivity } from './prepare-idea.js';
import { runAgentActivity } from './run-agent.js';
import { runGateActivity } from './run-gate.js';

export function createActivities(deps: ActivityDeps): {
  main: MainActivities;
  git: GitActivities;
  agents: AgentActivities;
} {
  return {
    main: mainActivities(deps),
    git: {
      prepareIdea: prepareIdeaActivity(deps),
      runGate: runGateActivity(deps),
      landIdea: landIdeaActivity(deps),
    },
    agents: { runAgent: runAgentActivity(deps) },
  };
}
