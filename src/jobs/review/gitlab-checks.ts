/** Red jobs of a merge request's pipeline, with the end of their logs. */
import { plainText } from '../../gate/ansi.js';
import { logOf } from './check-log.js';
import type { Pipeline, RedCheck, Seen } from './forge.js';
import type { PipelineJson } from './gitlab-json.js';
import type { Glab } from './glab.js';

interface JobJson {
  id: number;
  name: string;
  allow_failure: boolean;
  web_url?: string;
  finished_at?: string | null;
}
interface BridgeJson extends JobJson {
  downstream_pipeline?: { id: number; project_id: number } | null;
}
interface StatusJson {
  id: number;
  name: string;
  status: string;
  allow_failure: boolean;
  description?: string | null;
  target_url?: string | null;
  pipeline_id?: number;
}

/** Only where the pipeline is over: a job that fails may be one of several. */
export async function redJobs(glab: Glab, pull: Seen, known: readonly string[]): Promise<RedCheck[]> {
  const { pipeline, head } = pull;
  if (pipeline?.status !== 'failed' || !(await isOf(glab, pipeline, head))) return [];
  const red = await redOf(glab, pipeline);
  const all = red.length > 0 ? red : await redElsewhere(glab, pipeline);
  const found = all.length > 0 ? all : [wholePipeline(glab, pipeline)];
  return found.filter(({ key }) => !known.includes(key));
}

/** For a moment after a push, GitLab still shows the pipeline before. Some pipelines run on the merge with the base. */
async function isOf(glab: Glab, { sha }: Pipeline, head: string): Promise<boolean> {
  if (sha === head) return true;
  const commit = await glab.get<{ parent_ids?: string[] }>(`repository/commits/${sha}`);
  return commit?.parent_ids?.includes(head) === true;
}

async function redOf(glab: Glab, { id }: Pick<Pipeline, 'id'>, project = ''): Promise<RedCheck[]> {
  const jobs = await glab.list<JobJson>(`${project}pipelines/${id}/jobs?scope[]=failed`);
  return jobs
    .filter((job) => !job.allow_failure)
    .map((job) => ({
      ...{ key: `check ${job.id}`, name: job.name, ...(job.web_url ? { url: job.web_url } : {}) },
      log: async () => {
        const log = await logOf(glab, `${project}jobs/${job.id}/trace`, job.finished_at);
        return log === undefined ? undefined : logText(log);
      },
    }));
}

/** Pipelines that it started, and checks of other systems. */
async function redElsewhere(glab: Glab, { id, sha }: Pipeline): Promise<RedCheck[]> {
  const bridges = await glab.list<BridgeJson>(`pipelines/${id}/bridges?scope[]=failed`);
  const all: RedCheck[] = [];
  for (const { allow_failure, downstream_pipeline: down } of bridges)
    if (!allow_failure && down) all.push(...(await redOf(glab, down, `/projects/${down.project_id}/`)));
  const statuses = await glab.list<StatusJson>(`repository/commits/${sha}/statuses?pipeline_id=${id}`);
  for (const one of statuses)
    if (one.status === 'failed' && !one.allow_failure)
      all.push({
        ...{ key: `check ${one.id}`, name: one.name, ...(one.target_url ? { url: one.target_url } : {}) },
        log: () => Promise.resolve(one.description ?? ''),
      });
  return all;
}

const wholePipeline = (glab: Glab, { id, url }: Pipeline): RedCheck => ({
  ...{ key: `check pipeline-${id}`, name: 'the pipeline', ...(url ? { url } : {}) },
  log: async () => (await glab.get<PipelineJson>(`pipelines/${id}`))?.yaml_errors ?? 'It failed, and none of its jobs.',
});

/** Marks of folded sections, and the times that some runners write before each line. */
const SECTION = /section_(?:start|end):\d+:[^\r\n]*\r?/g;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z \d\d[OE][ +]?/gm;

export const logText = (trace: string): string => plainText(trace.replace(TIME, '').replace(SECTION, '')).trim();
