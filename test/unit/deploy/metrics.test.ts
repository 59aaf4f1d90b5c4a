/** deploy/metrics: what dashboard and rules name exists, and both services stay on loopback. No engine is needed here. */
import { spawnSync } from 'node:child_process';
import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { METRICS, type Metric } from '../../../src/metrics/list.js';
import { compose, read, type Service, top } from './files.js';

const FOLDER = 'deploy/metrics';

interface Rule {
  alert: string;
  expr: string;
  for?: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}
interface Panel {
  id: number;
  title: string;
  type: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string; refId: string }[];
}

let rules: Rule[];
let panels: Panel[];
let guide: string;
beforeAll(async () => {
  const file = parse(await read(`${FOLDER}/alerts.yml`)) as { groups: { rules: Rule[] }[] };
  rules = file.groups.flatMap((group) => group.rules);
  panels = (JSON.parse(await read(`${FOLDER}/grafana/dashboards/ralphctl.json`)) as { panels: Panel[] }).panels;
  guide = await read('docs/metrics.md');
});

/** Names in the position of a metric, with the labels that the expression selects. */
function named(expr: string): { name: string; labels: string[] }[] {
  const found = expr.matchAll(/\b((?:ralphctl|temporal|process|nodejs)_\w+)\s*(?:\{([^}]*)\})?/g);
  return [...found].map(([, name = '', matchers = '']) => ({
    name,
    labels: [...matchers.matchAll(/(\w+)\s*[=!]/g)].map(([, label = '']) => label),
  }));
}

const known: Readonly<Record<string, Metric>> = METRICS;
const familyOf = (name: string): string => {
  const base = name.replace(/_(?:bucket|count|sum)$/, '');
  return known[base]?.type === 'histogram' ? base : name;
};

function check(expr: string, where: string): void {
  for (const { name, labels } of named(expr)) {
    if (!name.startsWith('ralphctl_')) {
      if (name.startsWith('temporal_')) expect(guide, where).toContain(name.replace(/_(?:bucket|count|sum)$/, ''));
      continue;
    }
    const metric = known[familyOf(name)];
    expect(metric, `${where}: ${name}`).toBeDefined();
    for (const label of labels)
      expect([...Object.keys(metric?.labels ?? {}), 'project', 'le', 'job'], `${where}: ${name}`).toContain(label);
    for (const [, label = '', value = ''] of expr.matchAll(/(\w+)="([\w -]+)"/g)) {
      const values = metric?.labels[label];
      if (Array.isArray(values) && labels.includes(label)) expect(values, `${where}: ${name}`).toContain(value);
    }
  }
}

it('every alert rule names metrics, labels and values that exist, and docs/metrics.md lists it', () => {
  expect(rules.length).toBeGreaterThan(5);
  for (const { alert, expr, labels, annotations } of rules) {
    check(expr, alert);
    expect(expr, alert).toMatch(/ralphctl_|nodejs_/);
    expect(['page', 'ticket'], alert).toContain(labels.severity);
    expect(annotations.summary, alert).toMatch(/\.$/);
    expect(annotations.command, alert).toContain('ralphctl ');
    expect(guide).toContain(`| \`${alert}\` |`);
  }
  expect([...guide.matchAll(/^\| `(Ralphctl\w+)` \|/gm)]).toHaveLength(rules.length);
});

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
it.skipIf(!hasPromtool)('Prometheus itself accepts configuration and rules, and alerts as it should', async () => {
  const run = (...args: string[]) => execa('promtool', args, { cwd: top, reject: false });
  for (const args of [
    ['check', 'config', `${FOLDER}/prometheus.yml`],
    ['test', 'rules', 'test/unit/deploy/alerts-test.yml'],
  ]) {
    const { exitCode, stdout, stderr } = await run(...args);
    expect(exitCode, `${stdout}${stderr}`).toBe(0);
  }
});

it('every panel of the dashboard names metrics that exist, and most metrics are on it', () => {
  const shown = new Set<string>();
  for (const { title, targets = [] } of panels)
    for (const { expr } of targets) {
      check(expr, title);
      for (const { name } of named(expr)) shown.add(familyOf(name));
    }
  const left = Object.keys(METRICS).filter((name) => !shown.has(name));
  expect(left.sort()).toEqual([
    ...['ralphctl_account_reopens_timestamp_seconds', 'ralphctl_agent_unreported_total', 'ralphctl_build_info'],
    ...['ralphctl_ideas_closed_total', 'ralphctl_pushes_total', 'ralphctl_questions_total'],
    ...['ralphctl_run_files_readable', 'ralphctl_run_last_event_timestamp_seconds'],
    'ralphctl_run_start_timestamp_seconds',
  ]);
});

it('the panels have ids of their own and do not overlap', () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  for (const [at, { gridPos: a, title }] of panels.entries()) {
    expect(a.x + a.w, title).toBeLessThanOrEqual(24);
    for (const { gridPos: b } of panels.slice(at + 1))
      expect(a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h, title).toBe(false);
  }
});

describe('the profile `metrics`', () => {
  let services: Record<string, Service>;
  beforeAll(async () => {
    services = (await compose()).services;
  });
  it('has Prometheus and Grafana, on loopback of the host', () => {
    const own = Object.entries(services).filter(([, { profiles }]) => profiles?.includes('metrics'));
    expect(own.map(([name]) => name)).toEqual(['prometheus', 'grafana']);
    for (const [, { network_mode, ports }] of own) expect([network_mode, ports]).toEqual(['host', undefined]);
    expect(services.prometheus?.command).toContain('--web.listen-address=127.0.0.1:9090');
    expect(services.grafana?.environment).toMatchObject({ GF_SERVER_HTTP_ADDR: '127.0.0.1' });
  });
  it('mounts files that exist where they are looked for', async () => {
    const paths = ['prometheus.yml', 'alerts.yml', 'workers.yml', 'grafana/dashboards/ralphctl.json'];
    for (const path of paths) await access(join(top, FOLDER, path));
    expect(services.prometheus?.command).toContain('--config.file=/ralphctl/prometheus.yml');
    const config = parse(await read(`${FOLDER}/prometheus.yml`));
    expect(config.rule_files).toEqual(['alerts.yml']);
    expect(config.scrape_configs[0]).toEqual({ job_name: 'ralphctl', file_sd_configs: [{ files: ['workers.yml'] }] });
    expect(parse(await read(`${FOLDER}/workers.yml`))).toEqual([{ targets: ['127.0.0.1:9464'] }]);
    expect(services.temporal?.ports).toContain(`${config.scrape_configs[1].static_configs[0].targets[0]}:9090`);
    expect(await readdir(join(top, FOLDER, 'grafana'))).toEqual(['dashboards', 'datasources']);
    expect(services.grafana?.environment?.GF_PATHS_PROVISIONING).toBe('/ralphctl/grafana');
  });
});
