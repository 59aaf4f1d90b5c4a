/** Checks the prompt template of a run before it starts. */
import { resolve } from 'node:path';
import { MIB, readInput } from '../../config/read-input.js';
import { UserError } from '../../protocol/user-error.js';

const readPromptTemplate = (root: string, path: string): Promise<Buffer> =>
  readInput(resolve(root, path), MIB).catch((error: Error) => {
    throw new UserError(`ralphctl cannot read ${path} in ${root}, which prompt.template names: ${error.message}`);
  });

/** Of pull requests. */
export async function readPullTemplate(root: string, path: string): Promise<void> {
  const { pullBody } = await import('../../jobs/review/body.js');
  const text = await readInput(resolve(root, path), MIB).catch((error: Error) => {
    throw new UserError(`ralphctl cannot read ${path} in ${root}, which landing.pr.template names: ${error.message}`);
  });
  pullBody(
    { idea: { id: 'check', title: '', text: '', success: [] }, runs: 1, by: [], commits: [] },
    text.toString('utf8'),
  );
}

/** Of the title of pull requests. */
export async function checkPullTitle(title: string): Promise<void> {
  const { titleFrom } = await import('../../jobs/review/body.js');
  titleFrom(title, { idea: { id: 'check', title: '', text: '', success: [] }, runs: 1, by: [], commits: [] });
}

export async function readTemplate(root: string, path: string): Promise<void> {
  const { buildPrompt, newNonce } = await import('../../agents/prompt/prompt.js');
  const text = (await readPromptTemplate(root, path)).toString('utf8');
  // A dry build finds unknown placeholders before the run starts.
  const idea = { id: 'check', title: 'check', text: 'check', success: [] };
  buildPrompt({ idea, iteration: 1, maxIterations: 1, nonce: newNonce(), notes: [], template: text });
}
