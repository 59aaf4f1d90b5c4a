/**
 * The part of the API's description that commands use. The SDK describes each message of the server, of its cloud and
 * of the worker's core. Every command would build all of them: a third of its start.
 * Invariant: a service keeps each method whose name any of the given sources says; what a kept part refers to is kept.
 */
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const SERVICES = 'temporal.api.workflowservice.v1';
/** Looked up by a name that comes from the server. */
const BY_NAME = ['google.protobuf', 'google.rpc', 'temporal.api.errordetails.v1', 'grpc.health.v1'];

async function codeBelow(dir) {
  const names = await readdir(dir, { recursive: true });
  const files = names.filter((name) => /\.(?:js|ts)$/.test(name) && !name.endsWith('.d.ts'));
  return (await Promise.all(files.map((name) => readFile(join(dir, name), 'utf8')))).join('\n');
}

/** The whole description as JSON, and the folders whose code may name a part of it. */
async function described() {
  const client = dirname(require.resolve('@temporalio/client'));
  const proto = createRequire(require.resolve('@temporalio/client')).resolve('@temporalio/proto');
  const text = await readFile(join(dirname(proto), 'json-module.js'), 'utf8');
  const from = text.indexOf('.addJSON(') + '.addJSON('.length;
  return {
    whole: JSON.parse(text.slice(from, text.lastIndexOf('})') + 1)),
    sdk: [client, dirname(require.resolve('@temporalio/common'))],
  };
}

export async function usedProtos(src) {
  const { whole, sdk } = await described();
  const said = new Set((await Promise.all([...sdk, src].map(codeBelow))).join('\n').match(/\w+/g));
  const types = new Map();
  const note = (nested, path) => {
    for (const [name, part] of Object.entries(nested)) {
      const full = path ? `${path}.${name}` : name;
      types.set(full, part);
      if (part.nested) note(part.nested, full);
    }
  };
  note(whole, '');

  const kept = new Set();
  const keep = (full) => {
    for (let at = full; at && !kept.has(at); at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
      kept.add(at);
      refer(at);
    }
  };
  /** A name is looked for from the innermost place to the outermost, as protobuf does. */
  const find = (name, from) => {
    if (name.startsWith('.')) return keep(name.slice(1));
    for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
      const full = at ? `${at}.${name}` : name;
      if (types.has(full)) return keep(full);
      if (!at) return;
    }
  };
  const refer = (full) => {
    const part = types.get(full);
    for (const field of Object.values(part.fields ?? {})) {
      find(field.type, full);
      if (field.keyType) find(field.keyType, full);
    }
    for (const method of Object.values(part.methods ?? {})) {
      find(method.requestType, full);
      find(method.responseType, full);
    }
  };

  for (const part of types.values()) {
    for (const name of Object.keys(part.methods ?? {}))
      if (!said.has(name[0].toLowerCase() + name.slice(1))) delete part.methods[name];
  }
  for (const [full, part] of types) {
    const api = full.startsWith('temporal.api.') && !full.startsWith('temporal.api.cloud.');
    const message = part.fields ?? part.values ?? part.methods;
    const request = full.startsWith(`${SERVICES}.`) && /(?:Request|Response)$/.test(full);
    if (BY_NAME.some((place) => full.startsWith(`${place}.`))) keep(full);
    else if (api && message && !request && said.has(full.slice(full.lastIndexOf('.') + 1))) keep(full);
  }
  const only = (nested, path) => {
    for (const [name, part] of Object.entries(nested)) {
      const full = path ? `${path}.${name}` : name;
      if (!kept.has(full)) delete nested[name];
      else if (part.nested) only(part.nested, full);
    }
  };
  only(whole, '');
  return whole;
}
