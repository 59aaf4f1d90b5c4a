/** Connections to the worker's page for Prometheus that keep it from nobody. Feature: G9. */
import { once } from 'node:events';
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { Endpoint } from '../../../src/worker/served/endpoint.js';
import { freePort } from '../../support/prometheus.js';

let endpoint: Endpoint | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await endpoint?.close();
  endpoint = undefined;
});

const open = async (text: () => Promise<string> = () => Promise.resolve('a 1\n')): Promise<number> => {
  const port = await freePort();
  endpoint = await Endpoint.open({ host: '127.0.0.1', port }, async (_, response) => void response.end(await text()));
  return port;
};

async function client(port: number, says = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.resume();
  if (says) socket.write(says);
  return socket;
}

/** Over a connection of its own. */
async function ask(port: number): Promise<string> {
  const [answer] = await once(get({ host: '127.0.0.1', port, path: '/metrics', agent: false }), 'response');
  let text = '';
  for await (const part of answer) text += String(part);
  return text;
}
const REQUEST = 'GET /metrics HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n';

it('answers beside any number of clients that say nothing, or never end their request', async () => {
  const port = await open();
  for (let i = 0; i < 40; i++) {
    await client(port, i % 2 === 0 ? '' : 'GET /metrics HTTP/1.1\r\nhost: 127');
    if (i % 8 === 7) expect(await ask(port)).toBe('a 1\n');
  }
});

it('ends the connection that has waited longest, not one that is answered', async () => {
  let answer = (_: string): void => {};
  let asked = (): void => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const port = await open(() => {
    asked();
    return new Promise((resolve) => {
      answer = resolve;
    });
  });
  const first = await client(port, REQUEST);
  await isAsked;
  const waiting: Socket[] = [];
  for (let i = 0; i < 15; i++) waiting.push(await client(port));
  const [longest, next] = waiting;
  if (!longest || !next) throw new Error('no clients');
  const ended = once(longest, 'close');
  await client(port);
  await ended;
  expect(next.destroyed).toBe(false);
  const said = once(first, 'data');
  answer('b 2\n');
  expect(String(await said)).toContain('b 2\n');
});

it('answers although all the others are still being answered', async () => {
  let count = 0;
  let all = (): void => {};
  const areThere = new Promise<void>((resolve) => {
    all = resolve;
  });
  const port = await open(() => {
    count++;
    if (count === 16) all();
    return count <= 16 ? new Promise(() => {}) : Promise.resolve('c 3\n');
  });
  for (let i = 0; i < 16; i++) await client(port, REQUEST);
  await areThere;
  expect(await ask(port)).toBe('c 3\n');
});

it('ends by itself a connection that says nothing', async () => {
  const port = await open();
  await once(await client(port), 'close');
}, 25_000);
