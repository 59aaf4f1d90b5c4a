/** A web server on this machine that takes alerts, and answers as a test wants. */
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface Receiver {
  url: string;
  received: Received[];
  /** Requests with distinct `webhook-id`. */
  bodies<Body = Record<string, unknown>>(): Body[];
  close(): Promise<void>;
}

/** `answer` gets the number of the request, from one; without it every request is taken. */
export async function receiver(
  answer: (response: ServerResponse, number: number) => void = (response) => void response.writeHead(204).end(),
): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      received.push({
        path: request.url ?? '',
        headers: request.headers,
        text: Buffer.concat(parts).toString('utf8'),
      });
      answer(response, received.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/alerts`,
    received,
    bodies: <Body>() => received.map(({ text }) => JSON.parse(text) as Body),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Computed here as the standard says, and not with the program's own code. */
export function isSigned({ headers, text }: Received, key: string): boolean {
  const said = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
  return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(said).digest('base64')}`;
}
