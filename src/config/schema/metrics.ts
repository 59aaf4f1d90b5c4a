/**
 * The `metrics` part of the configuration: where the worker answers Prometheus.
 * Invariant: after parsing, `listen` is a loopback address unless `loopbackOnly` is false.
 * Imports zod only.
 */
import { z } from 'zod';

export interface Place {
  host: string;
  port: number;
}

/** `[::1]:9464` and `127.0.0.1:9464`. Undefined for other texts. */
export function placeOf(listen: string): Place | undefined {
  const [, six, four, digits] = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9.-]+)):(\d{1,5})$/.exec(listen) ?? [];
  const [host, port] = [six ?? four, Number(digits)];
  return host !== undefined && port >= 1 && port <= 65_535 ? { host, port } : undefined;
}

export const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i.test(host);

export const address = z.string().refine((text) => placeOf(text) !== undefined, {
  error: 'must be an address and a port from 1 to 65535, such as "127.0.0.1:9464"',
});

export const metrics = z
  .strictObject({
    listen: address
      .optional()
      .describe('Address and port, such as "127.0.0.1:9464". Default: the worker serves no metrics.'),
    loopbackOnly: z
      .boolean()
      .default(true)
      .describe('Accept only a loopback address. false: other machines may read the metrics, without a login.'),
  })
  .superRefine(({ listen, loopbackOnly }, ctx) => {
    const place = listen === undefined ? undefined : placeOf(listen);
    if (!place || !loopbackOnly || isLoopback(place.host)) return;
    const message = `is no loopback address: "${listen}"; everyone who reaches it could read the metrics. Use 127.0.0.1:${place.port}, or allow it with metrics.loopbackOnly: false`;
    ctx.addIssue({ code: 'custom', path: ['listen'], message });
  })
  .prefault({})
  .describe('Metrics of the run and its worker for Prometheus: docs/metrics.md.');
