/** The way out of a sandbox, with real sockets: what it dials, and what it refuses. Features: B2 D2. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer as createWeb } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { placesIn } from '../../../src/process/sandbox/plan.js';
import { type SandboxProxy, startProxy } from '../../../src/process/sandbox/proxy.js';

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  return (server.address() as AddressInfo).port;
}

const greeting = (): Promise<number> => listening(createServer((client) => client.end('hello')));

async function proxyFor(places: readonly string[], upstream?: string): Promise<SandboxProxy & { folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'proxy-'));
  const proxy = await startProxy({
    folder,
    places: placesIn(places),
    upstreams: { http: upstream, https: upstream, except: [] },
  });
  onTestFinished(() => proxy.close());
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return { ...proxy, folder };
}

/** All that comes back. */
function say(path: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const client = connect(path, () => client.write(text));
    let said = '';
    client.on('data', (chunk) => {
      said += chunk.toString();
    });
    client.on('close', () => resolve(said));
    client.on('error', reject);
  });
}

const tunnel = (proxy: { folder: string }, place: string): Promise<string> =>
  say(join(proxy.folder, 'proxy.sock'), `CONNECT ${place} HTTP/1.1\r\nHost: ${place}\r\n\r\n`);

it('tunnels to an allowed address, offers it by a socket of its own, and refuses the port beside it', async () => {
  const [allowed, other] = [await greeting(), await greeting()];
  const proxy = await proxyFor([`127.0.0.1:${allowed}`]);
  expect(await tunnel(proxy, `127.0.0.1:${allowed}`)).toMatch(/^HTTP\/1\.1 200 .*hello$/s);
  expect(await say(join(proxy.folder, `${allowed}.sock`), '')).toBe('hello');
  expect(await tunnel(proxy, `127.0.0.1:${other}`)).toMatch(/^HTTP\/1\.1 403 /);
  expect(await tunnel(proxy, `localhost:${other}`)).toMatch(/^HTTP\/1\.1 403 /);
  expect(await tunnel(proxy, `localhost:${other}`)).toMatch(/^HTTP\/1\.1 403 /);
  expect([...proxy.refused]).toEqual([
    [`127.0.0.1:${other}`, 1],
    [`localhost:${other}`, 2],
  ]);
});

it('passes a request on with its body, its answer and its status, and no header of the proxy', async () => {
  const seen: string[] = [];
  const web = createWeb((message, answer) => {
    message.on('data', (chunk) => seen.push(String(chunk)));
    message.on('end', () => {
      seen.push(`${message.method} ${message.url} ${message.headers['proxy-authorization'] ?? 'none'}`);
      answer.writeHead(418, { 'x-own': 'yes' }).end('tea');
    });
  });
  const port = await listening(web);
  const proxy = await proxyFor([`127.0.0.1:${port}`]);
  const head = `POST http://127.0.0.1:${port}/a?b=1 HTTP/1.1\r\nHost: x\r\nProxy-Authorization: secret\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody`;
  const said = await say(join(proxy.folder, 'proxy.sock'), head);
  expect(said).toMatch(/^HTTP\/1\.1 418 .*x-own: yes.*tea/s);
  expect(seen).toEqual(['body', 'POST /a?b=1 none']);
  const refused = await say(
    join(proxy.folder, 'proxy.sock'),
    'GET http://169.254.169.254/latest HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  );
  expect(refused).toMatch(/^HTTP\/1\.1 403 /);
});

it("goes through the user's proxy, which alone knows the name", async () => {
  const asked: string[] = [];
  const upstream = await listening(
    createServer((client) => {
      client.once('data', (chunk) => {
        asked.push(chunk.toString().split('\r\n')[0] ?? '');
        client.end('HTTP/1.1 200 OK\r\n\r\nfrom far away');
      });
    }),
  );
  const proxy = await proxyFor(['only-there.example'], `http://127.0.0.1:${upstream}`);
  expect(await tunnel(proxy, 'only-there.example:443')).toMatch(/^HTTP\/1\.1 200 .*from far away$/s);
  expect(asked).toEqual(['CONNECT only-there.example:443 HTTP/1.1']);
});

it("sends a plain request through the user's proxy, too, and gives its answer", async () => {
  const upstream = await listening(
    createServer((client) => {
      client.once('data', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        client.once('data', () => client.end('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nfrom far away'));
      });
    }),
  );
  const proxy = await proxyFor(['only-there.example'], `http://127.0.0.1:${upstream}`);
  const request = 'GET http://only-there.example/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  expect(await say(join(proxy.folder, 'proxy.sock'), request)).toMatch(/^HTTP\/1\.1 200 .*from far away/s);
});

it('answers garbage and an address that nobody serves, and goes on', async () => {
  const proxy = await proxyFor(['127.0.0.1:1']);
  expect(await tunnel(proxy, 'nonsense')).toMatch(/^HTTP\/1\.1 40/);
  expect(await say(join(proxy.folder, 'proxy.sock'), 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toMatch(
    /^HTTP\/1\.1 400 /,
  );
  expect(await tunnel(proxy, '127.0.0.1:1')).toMatch(/^HTTP\/1\.1 502 /);
});

it.each([
  ['099 x'],
  ['000 x'],
  ['99 x'],
  ['101 Switching Protocols'],
  ['999 x'],
  ['101 x\r\nConnection: Upgrade\r\nUpgrade: x'],
])('answers for a server that says HTTP/1.1 %s, and goes on', async (status) => {
  const port = await listening(
    createServer((client) => {
      client.on('error', () => undefined);
      client.once('data', () => client.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`));
    }),
  );
  const proxy = await proxyFor([`127.0.0.1:${port}`]);
  const ask = `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
  expect(await say(join(proxy.folder, 'proxy.sock'), ask)).toMatch(/^HTTP\/1\.1 502 /);
  expect(await tunnel(proxy, 'nonsense')).toMatch(/^HTTP\/1\.1 40/);
});

it('refuses a port of this machine by its address in the network, unless it is allowed with that port', async () => {
  const own = Object.values(networkInterfaces())
    .flat()
    .find((one) => one && !one.internal && one.family === 'IPv4')?.address;
  if (own === undefined) return;
  const server = createServer((client) => client.end('hello'));
  await new Promise<void>((resolve) => server.listen(0, own, resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  const { port } = server.address() as AddressInfo;
  expect(await tunnel(await proxyFor([own]), `${own}:443`)).toMatch(/^HTTP\/1\.1 403 /);
  expect(await tunnel(await proxyFor([`${own}:${port}`]), `${own}:${port}`)).toMatch(/^HTTP\/1\.1 200 .*hello$/s);
});

it('leaves no socket and no connection', async () => {
  const port = await listening(createServer((client) => client.on('error', () => undefined).resume()));
  const proxy = await proxyFor([`127.0.0.1:${port}`]);
  const hanging = say(join(proxy.folder, `${port}.sock`), 'x').catch(() => '');
  const told = say(join(proxy.folder, 'told.sock'), 'sleep\nnode\n').catch(() => '');
  await expect.poll(() => [...proxy.left]).toEqual(['sleep', 'node']);
  await proxy.close();
  await Promise.all([hanging, told]);
  expect(await readdir(proxy.folder)).toEqual([]);
});
