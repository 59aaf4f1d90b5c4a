/** What the running ideas of an open run tell, each by a query of its own. */
import { withUnreported } from '../../decide/views/survey.js';
import type { AgentHeartbeat } from '../../protocol/agent-run.js';
import type { IdeaView, RunStatus } from '../../protocol/views.js';
import type { RunApi } from './run.js';

interface Running {
  status: RunStatus;
  ideas: IdeaView[];
  /** The last progress of running agents, by idea. */
  progress: Record<string, AgentHeartbeat>;
}

/** The views of running ideas, the first ones of the list. */
export async function runningIdeas(api: RunApi, live: RunStatus, most: number): Promise<Running> {
  const running = live.active.filter((line) => line.status === 'running').slice(0, most);
  const views = await Promise.all(running.map((line) => api.idea(line.id).catch(() => undefined)));
  const ideas = views.filter((view) => view !== undefined);
  const progress: Running['progress'] = {};
  const ask = async ({ idea }: IdeaView): Promise<void> => {
    const told = await api.progress(idea).catch(() => undefined);
    if (told) progress[idea] = told;
  };
  await Promise.all(ideas.filter((view) => view.phase === 'agent').map(ask));
  return { status: { ...live, statistics: withUnreported(live.statistics, running, ideas) }, ideas, progress };
}
