/**
 * Bundles the workflows for the worker.
 * Its source map keeps names and lines, for stack traces, and leaves the sources out: they are a third of the bundle,
 * every worker holds them in memory, and only a query that nothing of ours sends would show them.
 */
import { fileURLToPath } from 'node:url';

const MAP = /\/\/# sourceMappingURL=data:application\/json;charset=utf-8;base64,([\w+/=]+)\s*$/;

function withoutSources(code) {
  const [comment, map] = MAP.exec(code) ?? [];
  if (comment === undefined) throw new Error('the workflow bundle has no source map in it');
  const { sourcesContent, ...rest } = JSON.parse(Buffer.from(map, 'base64').toString());
  return code.replace(comment, comment.replace(map, Buffer.from(JSON.stringify(rest)).toString('base64')));
}

export async function bundleWorkflows(options) {
  const { bundleWorkflowCode } = await import('@temporalio/worker');
  const { code } = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('../src/workflows/index.ts', import.meta.url)),
    payloadConverterPath: fileURLToPath(new URL('../src/workflows/payloads.ts', import.meta.url)),
    failureConverterPath: fileURLToPath(new URL('../src/workflows/failures.ts', import.meta.url)),
    ...options,
  });
  return withoutSources(code);
}
