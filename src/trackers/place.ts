/** Which repository on which forge: from the configuration, or from the address of a remote. Pure. */

export interface Place {
  host: string;
  /** `owner/name`; on GitLab also with groups in between. */
  path: string;
}

/** `repository` of the configuration: host/owner/name, or owner/name on the usual host. */
export function placeOf(repository: string, usualHost: string): Place {
  const [first = '', ...rest] = repository.split('/');
  // A name of a person or group has no dot; a host has one, or a port.
  if (rest.length >= 2 && /[.:]/.test(first)) return { host: first, path: rest.join('/') };
  return { host: usualHost, path: repository };
}

const URL_REMOTE = /^(?:https?|ssh|git):\/\/(?:[^@/]+@)?([^/:]+)(?::\d+)?\/(.+?)(?:\.git)?\/?$/;
const SCP_REMOTE = /^(?:[^@/\s]+@)?([^/:\s]+):(?!\/)(.+?)(?:\.git)?\/?$/;

/** Undefined for a path on this machine. */
export function placeOfRemote(remote: string): Place | undefined {
  const found = URL_REMOTE.exec(remote) ?? SCP_REMOTE.exec(remote);
  const [, host = '', path = ''] = found ?? [];
  return path.includes('/')
    ? { host: host.replace(/^ssh\.(?=github\.com$)|^altssh\.(?=gitlab\.com$)/, ''), path }
    : undefined;
}
