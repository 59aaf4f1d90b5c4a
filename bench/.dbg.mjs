import { readFile, rm } from 'node:fs/promises';
import { build } from 'esbuild';
const root='/work/wt/triage/';
const outfile=root+'dist/dbg-triage.mjs';
await build({stdin:{contents:`export { featuresOf } from './src/decide/triage/features.js'; export { alike } from './src/decide/triage/alike.js'; export { partsOf } from './test/support/triage-labels.js'; export {shownIn} from './src/decide/triage/symptom.js'; export {readable} from './src/decide/triage/readable.js'`,resolveDir:root,loader:'ts'},bundle:true,platform:'node',format:'esm',outfile,logLevel:'error'});
const m=await import(outfile); await rm(outfile);
const t=async n=>readFile(root+'test/fixtures/triage/'+n,'utf8');
const tune=m.partsOf(await t('own.jsonl'),await t('public.jsonl'))['to tune on'];
const f=new Map(tune.map(l=>[l.report.id,m.featuresOf(l.report)]));
const pairs=[],non=[];
for(const a of tune)for(const b of tune)if(a.report.id<b.report.id&&!['coherence','symptom'].includes(a.expect)&&!['coherence','symptom'].includes(b.expect)){
 const r=m.alike(f.get(a.report.id),f.get(b.report.id));
 (a.of===b.report.id||b.of===a.report.id?pairs:non).push([r.likeness.toFixed(2),a.report.id,b.report.id,r.by,r.shared.join(' ')]);}
console.log(pairs.sort().map(x=>x.join(' | ')).join('\n'));console.log('---');console.log(non.sort().reverse().slice(0,14).map(x=>x.join(' | ')).join('\n'));
for(const id of process.argv.slice(2)){const l=tune.find(x=>x.report.id===id);console.log(id,JSON.stringify(m.shownIn(m.readable(l.report))),[...f.get(id).concepts].join(' '),'E',[...f.get(id).errors].join(';'),'P',[...f.get(id).places].join(';'))}
