/** What running ideas and their agents say of themselves, for `status`. An idea that does not answer is left out. */
import { withUnreported } from '../../decide/views/survey.js';
import type { AgentHeartbeat } from '../../protocol/agent-run.js';
import type { IdeaView, RunStatus } from '../../protocol/views.js';
import type { RunApi } from './run.js';

/** The views of running ideas, the first ones of the list. */
export async function withIdeas(
  api: RunApi,
  live: RunStatus,
  most: number,
): Promise<{ status: RunStatus; ideas: IdeaView[]; progress: Record<string, AgentHeartbeat> }> {
  const running = live.active.filter((line) => line.status === 'running').slice(0, most);
  const views = await Promise.all(running.map((line) => api.idea(line.id).catch(() => undefined)));
  const ideas = views.filter((view) => view !== undefined);
  const progress: Record<string, AgentHeartbeat> = {};
  const ask = async ({ idea }: IdeaView): Promise<void> => {
    const told = await api.progress(idea).catch(() => undefined);
    if (told) progress[idea] = told;
  };
  await Promise.all(ideas.filter((view) => view.phase === 'agent').map(ask));
  return { status: { ...live, statistics: withUnreported(live.statistics, running, ideas) }, ideas, progress };
}
