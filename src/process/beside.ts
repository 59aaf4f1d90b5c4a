/**
 * Processes of a command that works beside a worker (`doctor`): their token names the process that they serve.
 * Invariant: a worker ends them only once that command is dead.
 */
import { aliveness, type Identity, ownIdentity } from './identity.js';
import { killByToken } from './tokens.js';

/** No idea has such a name. */
const PREFIX = '_beside-';

/** The part of a token after the project, for what a process runs; by default this one. */
export async function ownerPart(owner?: Identity): Promise<string> {
  return `${PREFIX}${Buffer.from(JSON.stringify(owner ?? (await ownIdentity()))).toString('base64url')}`;
}

/** Ends every process of the project but those of a command that lives, and returns them. */
export const endProcesses = (project: string): Promise<Identity[]> =>
  killByToken(project, undefined, async (token) => {
    const owner = ownerOf(token.slice(project.length + 1));
    return owner !== undefined && (await aliveness(owner)) !== 'dead';
  });

function ownerOf(rest: string): Identity | undefined {
  const [part = ''] = rest.split('/');
  if (!part.startsWith(PREFIX)) return undefined;
  try {
    const { pid, startTime } = JSON.parse(Buffer.from(part.slice(PREFIX.length), 'base64url').toString()) as Identity;
    return Number.isSafeInteger(pid) && typeof startTime === 'string' ? { pid, startTime } : undefined;
  } catch {
    return undefined;
  }
}
