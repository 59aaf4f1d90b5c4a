/** Addresses in the Temporal Web UI. */
import { autopilotId, ideaWorkflowId } from '../../protocol/names.js';
import type { Target } from '../../server/target.js';

/** Address of the run's page, or of an idea's. Undefined where no Web UI is known for the server. */
export function webPage(
  { uiUrl, namespace }: Pick<Target, 'uiUrl' | 'namespace'>,
  project: string,
  idea?: string,
): string | undefined {
  if (uiUrl === undefined) return undefined;
  const id = idea === undefined ? autopilotId(project) : ideaWorkflowId(project, idea);
  return `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(id)}`;
}
