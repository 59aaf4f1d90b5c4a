/** docker-compose.yml: what must hold whichever Docker runs it. No engine is needed here. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Compose, compose, read, type Service, settings, top, variables } from './files.js';

let file: Compose;
beforeAll(async () => {
  file = await compose();
});

const service = (name: string): Service => {
  const found = file.services[name];
  if (!found) throw new Error(`docker-compose.yml has no service ${name}`);
  return found;
};
const environment = (name: string): Record<string, string> => service(name).environment ?? {};

describe('versions', () => {
  it('are pinned to a full version for every image', () => {
    const images = Object.values(file.services).map(({ image }) => image);
    expect(images).toHaveLength(7);
    for (const image of images) expect(image).toMatch(/^[\w./-]+:v?\d+\.\d+(\.\d+)?$/);
    // PostgreSQL has no third number; Temporal's images do.
    for (const image of images.filter((one) => one.startsWith('temporalio/'))) {
      expect(image).toMatch(/:\d+\.\d+\.\d+$/);
    }
  });
  it('are the same for the server and the tools that prepare its schema', () => {
    const version = (name: string) => service(name).image.split(':')[1];
    expect(version('schema')).toBe(version('temporal'));
    expect(version('namespace')).toBe(version('temporal'));
  });
});

describe('the network', () => {
  it('shows every published port on loopback only, whatever the settings say', async () => {
    const moved: Record<string, string> = { RALPHCTL_TEMPORAL_PORT: '17233', RALPHCTL_TEMPORAL_UI_PORT: '18233' };
    for (const env of [{}, moved]) {
      const ports = Object.values((await compose(env)).services).flatMap((one) => one.ports ?? []);
      expect(ports).toHaveLength(3);
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
    }
  });
  it('has Temporal where the tools look for it, and the database nowhere', () => {
    expect(service('temporal').ports).toEqual(['127.0.0.1:7233:7233', '127.0.0.1:9233:9090']);
    expect(service('postgres').ports).toBeUndefined();
  });
});

describe('the data', () => {
  it('is in a named volume that belongs to this compose project', () => {
    expect(service('postgres').volumes).toEqual(['postgres:/var/lib/postgresql/data']);
    expect(Object.keys(file.volumes)).toEqual(['postgres', 'prometheus']);
    // A fixed name would be shared with, and deleted by, a copy of this file under another project name.
    for (const volume of Object.values(file.volumes)) expect(volume?.name).toBeUndefined();
    expect(file.name).toMatch(/^[a-z0-9][a-z0-9_-]+$/);
    for (const one of Object.values(file.services)) expect(one).not.toHaveProperty('container_name');
  });
});

describe('the order of starting', () => {
  it('is database, schema, server, namespace, UI', () => {
    expect(service('schema').depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
    expect(service('temporal').depends_on).toEqual({
      postgres: { condition: 'service_healthy' },
      schema: { condition: 'service_completed_successfully' },
    });
    expect(service('namespace').depends_on).toEqual({ temporal: { condition: 'service_healthy' } });
    expect(service('ui').depends_on).toEqual({
      temporal: { condition: 'service_healthy' },
      namespace: { condition: 'service_completed_successfully' },
    });
  });
  it('waits only for services with a health check, and never for the end of one that is kept running', () => {
    for (const one of Object.values(file.services)) {
      for (const [name, { condition }] of Object.entries(one.depends_on ?? {})) {
        if (condition === 'service_healthy') expect(service(name).healthcheck, name).toBeDefined();
        else expect(service(name).restart, name).toMatch(/^on-failure:\d+$/);
      }
    }
  });
  it('checks the health of everything that stays up', () => {
    const staying = Object.entries(file.services).filter(([, one]) => one.restart === 'unless-stopped');
    expect(staying.map(([name]) => name).sort()).toEqual(['grafana', 'postgres', 'prometheus', 'temporal', 'ui']);
    for (const [name, { healthcheck }] of staying) {
      expect(healthcheck?.test[0], name).toBe('CMD');
      expect(healthcheck?.retries, name).toBeGreaterThan(1);
    }
  });
});

describe('mounted files', () => {
  it('exist, are read-only, and hold what the commands name', async () => {
    const mounts = Object.values(file.services).flatMap((one) => one.volumes ?? []);
    const binds = new Set(mounts.filter((mount) => mount.startsWith('.')));
    expect([...binds]).toEqual(['./deploy/temporal:/ralphctl:ro', './deploy/metrics:/ralphctl:ro']);
    const named = [
      ...Object.values(file.services).flatMap((one) => one.command ?? []),
      environment('temporal').DYNAMIC_CONFIG_FILE_PATH ?? '',
    ].filter((word) => word.startsWith('/ralphctl/'));
    expect(named).toHaveLength(3);
    for (const path of named) await access(join(top, path.replace('/ralphctl/', 'deploy/temporal/')));
  });
  it('are mounted in every service that names one', () => {
    for (const [name, one] of Object.entries(file.services)) {
      const names = JSON.stringify([one.command, one.environment]).includes('/ralphctl/');
      expect(Boolean(one.volumes?.some((mount) => mount.includes(':/ralphctl:'))), name).toBe(names);
    }
  });
});

describe('settings', () => {
  it('are all documented in deploy/.env.example, with the default that holds without it', async () => {
    const used = variables(await read('docker-compose.yml'));
    const documented = settings(await read('deploy/.env.example'));
    expect(new Set(used.map(([name]) => name))).toEqual(new Set(documented.keys()));
    for (const [name, fallback] of used) expect(fallback, name).toBe(documented.get(name));
  });
  it('give one password to the database and to both that log in', async () => {
    const { postgres, schema, temporal } = (await compose({ RALPHCTL_DB_PASSWORD: 'other' })).services;
    expect(postgres?.environment?.POSTGRES_PASSWORD).toBe('other');
    expect(schema?.environment?.SQL_PASSWORD).toBe('other');
    expect(temporal?.environment?.POSTGRES_PWD).toBe('other');
  });
  it('name the same user and host everywhere', () => {
    const server = environment('temporal');
    const tool = environment('schema');
    expect([tool.SQL_HOST, tool.SQL_USER, tool.SQL_PORT, tool.SQL_PLUGIN]).toEqual([
      server.POSTGRES_SEEDS,
      server.POSTGRES_USER,
      server.DB_PORT,
      server.DB,
    ]);
    expect(file.services).toHaveProperty(server.POSTGRES_SEEDS ?? '');
    expect(environment('postgres').POSTGRES_USER).toBe(server.POSTGRES_USER);
    expect(environment('namespace').TEMPORAL_NAMESPACE).toBe(environment('ui').TEMPORAL_DEFAULT_NAMESPACE);
  });
  it('are text, as YAML numbers and booleans are not environment values', () => {
    for (const [name, one] of Object.entries(file.services)) {
      for (const value of Object.values(one.environment ?? {})) expect(typeof value, name).toBe('string');
    }
  });
});
