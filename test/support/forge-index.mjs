/**
 * Forges an index that git reads in place of objects, as an agent can:
 * `commit-graph FILE COMMIT TREE` gives a commit another tree; `multi-pack-index FILE OBJECT OTHER` gives an object the
 * content of another one.
 */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';

const [kind, file, id, other] = process.argv.slice(2);
const graph = kind === 'commit-graph';
const bytes = readFileSync(file);
const header = graph ? 8 : 12;
const chunks = new Map();
for (let n = 0; n < bytes[6]; n++) {
  const at = header + n * 12;
  chunks.set(bytes.toString('latin1', at, at + 4), Number(bytes.readBigUInt64BE(at + 4)));
}
const count = bytes.readUInt32BE(chunks.get('OIDF') + 255 * 4);
const indexOf = (wanted) => {
  for (let n = 0; n < count; n++) {
    const at = chunks.get('OIDL') + n * 20;
    if (bytes.toString('hex', at, at + 20) === wanted) return n;
  }
  throw new Error(`${wanted} is not in ${file}`);
};
if (graph) bytes.write(other, chunks.get('CDAT') + indexOf(id) * 36, 'hex');
else {
  const place = (n) => chunks.get('OOFF') + n * 8;
  bytes.copy(bytes, place(indexOf(id)), place(indexOf(other)), place(indexOf(other)) + 8);
}
chmodSync(file, 0o644);
writeFileSync(file, bytes);
