/** A page of metrics as Prometheus reads it. */
import { once } from 'node:events';
import { createServer } from 'node:net';

interface Series {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export class Page {
  readonly series: readonly Series[];
  /** By name of the metric, without the suffixes of histograms. */
  readonly types: ReadonlyMap<string, string>;

  constructor(text: string) {
    const lines = text.split('\n').filter((line) => line !== '');
    this.types = new Map(
      lines.flatMap((line) => {
        const [, name = '', type = ''] = /^# TYPE (\S+) (\w+)$/.exec(line) ?? [];
        return name === '' ? [] : [[name, type] as const];
      }),
    );
    this.series = lines.filter((line) => !line.startsWith('#')).map(seriesOf);
  }

  /** The sum of the series with these labels; undefined without one. */
  value(name: string, labels: Record<string, string> = {}): number | undefined {
    const found = this.series.filter(
      (one) => one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value),
    );
    return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
  }
}

function seriesOf(line: string): Series {
  const [, name = '', labels = '', value = ''] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (name === '') throw new Error(`no line of Prometheus: ${line}`);
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', text = '']) => [label, text]);
  return {
    name,
    labels: Object.fromEntries(pairs) as Record<string, string>,
    value: Number(value.replace('Inf', 'Infinity')),
  };
}

export async function scrape(port: number): Promise<Page> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  return new Page(await answer.text());
}

/** Nobody had it a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
