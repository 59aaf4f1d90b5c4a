/** Checks events against the published schema, more strictly than it asks: a field that it does not name is a fault. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';

type Schema = Parameters<typeof z.fromJSONSchema>[0];

function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (node === null || typeof node !== 'object') return node;
  const inner = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]));
  return 'properties' in inner ? { ...inner, additionalProperties: false } : inner;
}

/** What is wrong with each event; empty where all are as published. */
export async function eventProblems(events: readonly unknown[]): Promise<string[]> {
  const file = new URL('../../schemas/events.schema.json', import.meta.url);
  const published = JSON.parse(await readFile(file, 'utf8')) as {
    anyOf: { properties: { kind: { const: string } } }[];
  };
  const byKind = new Map(
    published.anyOf.map((one) => [one.properties.kind.const, z.fromJSONSchema(closed(one) as Schema)]),
  );
  return events.flatMap((event) => {
    const schema = byKind.get((event as { kind: string }).kind);
    const result = schema?.safeParse(event);
    if (result?.success) return [];
    return `${JSON.stringify(event)}: ${result ? z.prettifyError(result.error) : 'unknown kind'}`;
  });
}
