/**
 * Which addresses a sandboxed program may reach.
 * Invariant: a name never leads to this machine or to the network's own services (loopback and link-local addresses).
 * Only an entry with exactly that host and a port does. Pure.
 */
import { isIP } from 'node:net';

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

/** Addresses of this machine, of its links, of everybody on the network, and none. */
export function isOwn(address: string): boolean {
  const host = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
  if (isIP(host) === 4) return /^(?:0|127|169\.254|22[4-9]|23\d|24\d|25[0-5])\./.test(host);
  if (isIP(host) === 6) return /^(?:::1?$|::ffff:|64:ff9b:|fe[89ab]|ff)/.test(host);
  return host === 'localhost' || host.endsWith('.localhost');
}

export interface Allowed {
  /** The program may have it. */
  ok: boolean;
  /** It may lead to this machine: an entry has exactly this host and port. */
  exact: boolean;
}

/** @param host as the program names it */
export function allowed(host: string, port: number, places: readonly Place[]): Allowed {
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  // `127.1`, `0x7f000001` and the like are addresses for the system, and names for a comparison.
  const odd = isIP(name) === 0 && /^(?:0x[0-9a-f]*|\d+)(?:\.(?:0x[0-9a-f]*|\d+))*$/.test(name);
  if (odd || !/^[a-z0-9._:-]+$/.test(name)) return { ok: false, exact: false };
  const exact = places.some((place) => place.host === name && place.port === port);
  if (exact || isOwn(name)) return { ok: exact, exact };
  const named = places.some(
    (place) =>
      (place.port === undefined ? WEB_PORTS.includes(port) : place.port === port) &&
      (place.host === name || (place.host.startsWith('*.') && name.endsWith(place.host.slice(1)))),
  );
  return { ok: named, exact: false };
}
