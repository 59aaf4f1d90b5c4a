/**
 * Which addresses a sandboxed program may reach.
 * Invariant: a name never leads to this machine or to the network's own services (loopback and link-local addresses).
 * Only an entry with exactly that host and a port does. Pure.
 */
import { BlockList, isIP } from 'node:net';

export interface Place {
  host: string;
  /** Absent: 443 and 80. */
  port?: number;
}

/** `example.com`, `*.example.com`, `127.0.0.1:8080`, `[::1]:8080`. Undefined for other texts. */
export function placeIn(text: string): Place | undefined {
  const [, six, name, digits] =
    /^(?:\[([0-9A-Fa-f:.]+)\]|((?:\*\.)?[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.?))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = (six ?? name)?.toLowerCase().replace(/\.$/, '');
  if (host === undefined || host === '') return undefined;
  if (digits === undefined) return { host };
  const port = Number(digits);
  return port >= 1 && port <= 65_535 ? { host, port } : undefined;
}

const WEB_PORTS = [80, 443];

/**
 * Addresses of this machine, of its links, of everybody on the network, and none.
 * @param here addresses of this machine in its networks
 */
export function isOwn(address: string, here: readonly string[] = []): boolean {
  const host = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
  if (isOneOf(host, here)) return true;
  if (isIP(host) === 4) return /^(?:0|127|169\.254|22[4-9]|23\d|24\d|25[0-5])\./.test(host);
  if (isIP(host) === 6) return /^(?:::1?$|::ffff:|64:ff9b:|fe[89ab]|ff)/.test(host);
  return host === 'localhost' || host.endsWith('.localhost');
}

/** An address has many spellings. */
function isOneOf(host: string, addresses: readonly string[]): boolean {
  const family = familyOf(host);
  if (!family || addresses.length === 0) return false;
  const list = new BlockList();
  for (const one of addresses) {
    const other = familyOf(one);
    if (other) list.addAddress(one, other);
  }
  return list.check(host, family);
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const version = isIP(address);
  if (version === 0) return undefined;
  return version === 4 ? 'ipv4' : 'ipv6';
}

export interface Allowed {
  /** The program may have it. */
  ok: boolean;
  /** It may lead to this machine: an entry has exactly this host and port. */
  exact: boolean;
}

/**
 * @param host as the program names it
 * @param here addresses of this machine in its networks
 */
export function allowed(host: string, port: number, places: readonly Place[], here: readonly string[] = []): Allowed {
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  // `127.1`, `0x7f000001` and the like are addresses for the system, and names for a comparison.
  const odd = isIP(name) === 0 && /^(?:0x[0-9a-f]*|\d+)(?:\.(?:0x[0-9a-f]*|\d+))*$/.test(name);
  if (odd || !/^[a-z0-9._:-]+$/.test(name)) return { ok: false, exact: false };
  const exact = places.some((place) => place.host === name && place.port === port);
  if (exact || isOwn(name, here)) return { ok: exact, exact };
  const named = places.some(
    (place) =>
      (place.port === undefined ? WEB_PORTS.includes(port) : place.port === port) &&
      (place.host === name || (place.host.startsWith('*.') && name.endsWith(place.host.slice(1)))),
  );
  return { ok: named, exact: false };
}
