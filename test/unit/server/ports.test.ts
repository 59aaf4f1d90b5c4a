import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { portsFromArguments, serverArguments } from '../../../src/server/flags.js';
import { accepts, choosePorts } from '../../../src/server/ports.js';

const open: Server[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

async function occupy(port = 0): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  open.push(server);
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

describe('choosePorts', () => {
  it('goes past a taken port to the next free one, and gives four different ones', async () => {
    const taken = await occupy();
    const ports = await choosePorts({ env: { RALPHCTL_PORT: `${taken}`, RALPHCTL_UI_PORT: `${taken}` } });
    expect(ports.grpc).not.toBe(taken);
    expect(new Set([taken, ...Object.values(ports)]).size).toBe(5);
  });

  it('prefers what is asked for, then the environment, then the ports of before', async () => {
    const [a, b, c] = (await Promise.all([0, 0, 0].map(() => choosePorts({ env: {}, asked: { grpc: 0, ui: 0 } })))).map(
      ({ grpc }) => grpc,
    );
    const last = { grpc: c ?? 0, ui: c ?? 0 };
    const env = { RALPHCTL_PORT: `${b}` };
    const near = (port: number | undefined) =>
      expect.toSatisfy((got: number) => got >= (port ?? 0) && got < (port ?? 0) + 20);
    expect((await choosePorts({ env, asked: { grpc: a }, last })).grpc).toEqual(near(a));
    expect((await choosePorts({ env, last })).grpc).toEqual(near(b));
    expect((await choosePorts({ env: {}, last })).grpc).toEqual(near(c));
  });

  it('lets "any free port" be met by the port that clients know', async () => {
    const { grpc } = await choosePorts({ env: {}, asked: { grpc: 0, ui: 0 } });
    const again = await choosePorts({ env: {}, asked: { grpc: 0, ui: 0 }, last: { grpc, ui: 0 } });
    expect(again.grpc).toBeGreaterThanOrEqual(grpc);
    expect(again.grpc).toBeLessThan(grpc + 20);
  });

  it.each(['x', '-1', '70000', '1.5'])('refuses RALPHCTL_PORT=%s', async (value) => {
    await expect(choosePorts({ env: { RALPHCTL_PORT: value } })).rejects.toThrow(
      `RALPHCTL_PORT=${value} is not a port`,
    );
  });
});

it('accepts() tells a listener from none', async () => {
  expect(await accepts(await occupy())).toBe(true);
  const { grpc } = await choosePorts({ env: {}, asked: { grpc: 0, ui: 0 } });
  expect(await accepts(grpc)).toBe(false);
});

it('reads its own flags back, and binds loopback only', () => {
  const ports = { grpc: 7423, ui: 8423, http: 9001, metrics: 9002 };
  const args = ['/bin/temporal', ...serverArguments('/some where/temporal.db', ports)];
  expect(portsFromArguments(args)).toEqual(ports);
  expect(args.filter((_, i) => /^--(ui-)?ip$/.test(args[i - 1] ?? ''))).toEqual(['127.0.0.1', '127.0.0.1']);
  expect(args.filter((arg) => /^Ralph\w+=/.test(arg)).sort()).toEqual([
    'RalphIdea=Keyword',
    'RalphIteration=Int',
    'RalphProject=Keyword',
    'RalphState=Keyword',
  ]);
  expect(portsFromArguments(['/bin/temporal', 'server', 'start-dev'])).toBeUndefined();
});
