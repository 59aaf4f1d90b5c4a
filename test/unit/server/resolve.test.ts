import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cachedBinary, resolveBinary } from '../../../src/server/install/resolve.js';
import { PINNED_CLI } from '../../../src/server/install/version.js';
import { bundle, fakeTemporal, remove, run, temporaryFolder } from './program.js';

let dir: string;
let cacheRoot: string;
let said: string[];
const servers: Server[] = [];

beforeEach(async () => {
  dir = await temporaryFolder();
  cacheRoot = join(dir, 'cache');
  said = [];
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  await remove(dir);
});

const SYSTEM_PATH = '/usr/bin:/bin';
/** Nothing listens at port 1, so a download fails at once. */
const CLOSED = 'http://127.0.0.1:1/archive';
const resolve = (env: Record<string, string>) =>
  resolveBinary({
    env: { HOME: dir, PATH: SYSTEM_PATH, RALPHCTL_TEMPORAL_DOWNLOAD_URL: CLOSED, ...env },
    cacheRoot,
    onProgress: (line) => said.push(line),
  });

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  servers.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/archive`;
}

async function archive(cli = PINNED_CLI, server = '1.29.1'): Promise<Buffer> {
  await fakeTemporal(join(dir, 'pack', 'temporal'), cli, server);
  await promisify(execFile)('tar', ['-czf', join(dir, 'a.tar.gz'), '-C', join(dir, 'pack'), 'temporal']);
  return readFile(join(dir, 'a.tar.gz'));
}

/** A stand-in for the Go toolchain that "builds" a script into GOBIN and logs each call. */
async function fakeGo(body: string): Promise<string> {
  const bin = join(dir, 'go-bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'go'), `#!/bin/sh\necho "$@" >> '${join(dir, 'go.log')}'\n${body}\n`, { mode: 0o755 });
  return `${bin}:${SYSTEM_PATH}`;
}
const BUILDS = `cat > "$GOBIN/temporal" <<'END'
#!/bin/sh
echo 'temporal version ${PINNED_CLI} (Server 1.29.1, UI 2.42.1)'
END
chmod 755 "$GOBIN/temporal"`;

/** Whatever happened, no half-made folder stays in the cache. */
const cacheEntries = async () => (await readdir(join(cacheRoot, 'temporal'))).sort();

describe('a configured program', () => {
  it('wins over everything', async () => {
    const configured = await fakeTemporal(join(dir, 'mine', 'temporal'), '1.4.0', '1.28.0');
    await fakeTemporal(join(dir, 'bin', 'temporal'), '1.6.0', '1.30.0');
    const found = await resolve({ RALPHCTL_TEMPORAL_BIN: configured, PATH: join(dir, 'bin') });
    expect(found).toEqual({ path: configured, source: 'configured', version: { cli: '1.4.0', server: '1.28.0' } });
  });
  it('that does not work is an error, never passed over', async () => {
    await fakeTemporal(join(dir, 'bin', 'temporal'), '1.6.0', '1.30.0');
    const other = join(dir, 'other');
    await writeFile(other, '#!/bin/sh\necho something else\n', { mode: 0o755 });
    const env = { PATH: `${join(dir, 'bin')}:${SYSTEM_PATH}` };
    await expect(resolve({ ...env, RALPHCTL_TEMPORAL_BIN: other })).rejects.toThrow('it printed "something else"');
    await expect(resolve({ ...env, RALPHCTL_TEMPORAL_BIN: join(dir, 'none') })).rejects.toThrow(/none is not a usable/);
  });
});

describe('PATH and cache', () => {
  it('takes the program on PATH when it is recent enough', async () => {
    const path = await fakeTemporal(join(dir, 'bin', 'temporal'), '1.3.0', '1.27.1');
    expect(await resolve({ PATH: `${join(dir, 'bin')}:${SYSTEM_PATH}` })).toMatchObject({ path, source: 'path' });
  });
  it('says why it passes over an old one and uses the cache', async () => {
    const old = await fakeTemporal(join(dir, 'bin', 'temporal'), '1.2.0', '1.26.2');
    const path = await fakeTemporal(cachedBinary(cacheRoot), PINNED_CLI, '1.29.1');
    expect(await resolve({ PATH: `${join(dir, 'bin')}:${SYSTEM_PATH}` })).toMatchObject({ path, source: 'cache' });
    expect(said).toEqual([`not using ${old}: version 1.2.0 is older than 1.3.0`]);
  });
  it('says of a build without a version how old its server is', async () => {
    const old = await fakeTemporal(join(dir, 'bin', 'temporal'), '0.0.0-DEV', '1.26.2');
    await fakeTemporal(cachedBinary(cacheRoot), PINNED_CLI, '1.29.1');
    expect(await resolve({ PATH: `${join(dir, 'bin')}:${SYSTEM_PATH}` })).toMatchObject({ source: 'cache' });
    expect(said).toEqual([
      `not using ${old}: it is a build without a version, and its server 1.26.2 is older than 1.27.0`,
    ]);
  });
  it('replaces a cached program that no longer runs', async () => {
    await fakeTemporal(cachedBinary(cacheRoot), PINNED_CLI, '1.29.1');
    await writeFile(cachedBinary(cacheRoot), 'garbage');
    await chmod(cachedBinary(cacheRoot), 0o755);
    const found = await resolve({ PATH: await fakeGo(BUILDS) });
    expect(found).toMatchObject({ path: cachedBinary(cacheRoot), source: 'go' });
  });
});

describe('the download', () => {
  it('asks for this platform, verifies the program and fills the cache', async () => {
    const asked: string[] = [];
    const body = await archive();
    const url = await serve((request, response) => {
      asked.push(request.url ?? '');
      response.end(body);
    });
    const found = await resolve({ RALPHCTL_TEMPORAL_DOWNLOAD_URL: url });
    expect(found).toEqual({
      path: cachedBinary(cacheRoot),
      source: 'download',
      version: { cli: PINNED_CLI, server: '1.29.1' },
    });
    const arch = process.arch === 'x64' ? 'amd64' : process.arch;
    expect(asked).toEqual([`/archive/v${PINNED_CLI}?platform=${process.platform}&arch=${arch}`]);
    expect(await resolve({ RALPHCTL_TEMPORAL_DOWNLOAD_URL: url })).toMatchObject({ source: 'cache' });
    expect(await cacheEntries()).toEqual([PINNED_CLI, `${PINNED_CLI}.lock`]);
  });

  it.each<[string, RequestListener, RegExp]>([
    ['an error page', (_, response) => response.writeHead(403).end('no'), /answered 403/],
    ['something that is no archive', (_, response) => response.end('<html>'), /tar/],
    ['a cut connection', (_, response) => response.write('x', () => response.destroy()), /./],
  ])('falls through to Go on %s, and says so', async (_, listener, reason) => {
    const url = await serve(listener);
    const found = await resolve({ RALPHCTL_TEMPORAL_DOWNLOAD_URL: url, PATH: await fakeGo(BUILDS) });
    expect(found).toMatchObject({ source: 'go' });
    const line = said.find((text) => text.startsWith('the download failed ('));
    expect(line).toMatch(reason);
    expect(await cacheEntries()).toEqual([PINNED_CLI, `${PINNED_CLI}.lock`]);
  });

  it('gives up on a server that never answers within seconds', async () => {
    const url = await serve(() => undefined);
    const started = performance.now();
    const found = await resolve({ RALPHCTL_TEMPORAL_DOWNLOAD_URL: url, PATH: await fakeGo(BUILDS) });
    expect(found).toMatchObject({ source: 'go' });
    expect(said.join('\n')).toContain('no answer within 5 s');
    expect(performance.now() - started).toBeLessThan(15_000);
  });
});

describe('go install', () => {
  it('names the pinned module, stamps its version, and keeps foreign GOFLAGS out', async () => {
    const path = await fakeGo(`[ -z "$GOFLAGS$GOOS" ] || exit 9\n${BUILDS}`);
    expect(await resolve({ PATH: path, GOFLAGS: '-mod=vendor', GOOS: 'plan9' })).toMatchObject({ source: 'go' });
    const call = await readFile(join(dir, 'go.log'), 'utf8');
    expect(call).toContain(`github.com/temporalio/cli/cmd/temporal@v${PINNED_CLI}`);
    expect(call).toContain(`temporalcli.Version=${PINNED_CLI}`);
  });

  it('names all ways when it fails too', async () => {
    const path = await fakeGo('echo "no space left on device" >&2; exit 1');
    const error = await resolve({ PATH: path }).catch((thrown: Error) => thrown.message);
    for (const part of [
      'TEMPORAL_ADDRESS=',
      'RALPHCTL_TEMPORAL_BIN=',
      'on PATH',
      'curl -fL',
      'go install github.com',
    ]) {
      expect(error).toContain(part);
    }
    expect(error).toContain('no space left on device');
    expect(await cacheEntries()).toEqual([PINNED_CLI, `${PINNED_CLI}.lock`]);
  });

  it('and without Go says that', async () => {
    await mkdir(join(dir, 'empty'));
    await expect(resolve({ PATH: join(dir, 'empty') })).rejects.toThrow('no "go" on PATH');
  });

  it('is run by one of many processes; the others wait for it and say so', async () => {
    const program = await bundle(
      join(dir, 'program'),
      'resolver',
      `import { resolveBinary } from './src/server/install/resolve.js';
       const found = await resolveBinary({ env: process.env, cacheRoot: process.argv[2], onProgress: (l) => console.error(l) });
       console.log(JSON.stringify(found));`,
    );
    const env = {
      HOME: dir,
      PATH: await fakeGo(`sleep 1\n${BUILDS}`),
      RALPHCTL_TEMPORAL_DOWNLOAD_URL: CLOSED,
    };
    const ends = await Promise.all(Array.from({ length: 6 }, () => run(program, [cacheRoot], env).done));
    const found = ends.map(({ stdout }) => JSON.parse(stdout) as { path: string; source: string });
    expect(new Set(found.map(({ path }) => path))).toEqual(new Set([cachedBinary(cacheRoot)]));
    expect(found.filter(({ source }) => source === 'go')).toHaveLength(1);
    expect((await readFile(join(dir, 'go.log'), 'utf8')).trim().split('\n')).toHaveLength(1);
    expect(ends.some(({ stderr }) => /waiting for process \d+/.test(stderr))).toBe(true);
  }, 60_000);
});
