/**
 * Escapes texts for a page, because agents wrote most of them.
 * Invariant: results contain no markup, and nothing that ends a quoted attribute.
 */
import { clean, paragraphs } from '../screen/text/text.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '');

/** Escapes to one line. */
export const esc = (text: string): string => escaped(clean(text));

/** Escapes and keeps line breaks. */
export const escLines = (text: string): string => paragraphs(text).map(escaped).join('<br>');

/** The style of the page for light and dark, narrow and wide screens, and paper. Invariant: loads nothing. */
export const STYLE = `
:root{color-scheme:light dark;--back:#fff;--text:#1d2330;--soft:#5b6472;--line:#d9dee6;--card:#f6f8fa;--blue:#1f66d0;--green:#1a7f37;--yellow:#946200;--red:#c62631;--cyan:#0b7285;--gate:#14407f;--limit:#d9a400}
@media (prefers-color-scheme:dark){:root{--back:#12151b;--text:#e4e8ee;--soft:#9aa4b2;--line:#303743;--card:#1a1f28;--blue:#6ba6ff;--green:#4cc26b;--yellow:#e2b340;--red:#ff7b7b;--cyan:#5fd0e0;--gate:#3d6fc0;--limit:#a37c00}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1.25rem 1rem 3rem;max-width:72rem;background:var(--back);color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .25rem}
h2{font-size:1.1rem;margin:2rem 0 .6rem;padding-bottom:.25rem;border-bottom:1px solid var(--line)}
h3{font-size:1rem;margin:0 0 .35rem}
p{margin:.25rem 0}
code,.mono{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
code{background:var(--card);border:1px solid var(--line);border-radius:4px;padding:.05em .35em;user-select:all}
a{color:inherit}
.soft{color:var(--soft)}
.stats{display:flex;flex-wrap:wrap;gap:.4rem 2rem;margin:1rem 0 0;padding:0;list-style:none}
.stats b{font-size:1.35rem;font-variant-numeric:tabular-nums;margin-right:.25rem}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,19rem),1fr));gap:.75rem}
.card{background:var(--card);border:1px solid var(--line);border-left:4px solid var(--soft);border-radius:6px;padding:.7rem .85rem;break-inside:avoid}
.card code{background:var(--back)}
.asks,.approve{--hue:var(--cyan)}.blocked,.timed-out,.waits{--hue:var(--yellow)}.failed{--hue:var(--red)}.landed{--hue:var(--green)}.works,.lands{--hue:var(--blue)}
.card[class]{border-left-color:var(--hue,var(--soft))}
.sign{color:var(--hue,var(--soft));font-weight:700;margin-right:.35rem}
.fix{margin-top:.5rem}.fix code{display:inline-block;max-width:100%}
.scroll{overflow-x:auto}
svg{display:block;min-width:44rem;width:100%;height:auto;font:12px system-ui,sans-serif;fill:var(--soft)}
svg .a{fill:var(--blue)}svg .g{fill:var(--gate)}svg .l{fill:var(--limit)}svg .grid{stroke:var(--line);stroke-width:1}
svg .m{font-size:11px;font-weight:700}svg .landed{fill:var(--green)}svg .failed{fill:var(--red)}svg .asks{fill:var(--cyan)}svg .stopped{fill:var(--yellow)}
.key{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;color:var(--soft);font-size:.85rem;padding:0;margin:.4rem 0 0;list-style:none}
.key i{display:inline-block;width:.9em;height:.7em;margin-right:.35em;border-radius:2px}
.rows{border-top:1px solid var(--line)}
.row,.rows>details>summary{display:grid;grid-template-columns:10rem minmax(0,1fr) 4.8rem 4.5rem 4.5rem 7rem 5.5rem;gap:0 1rem;align-items:baseline;padding:.4rem .2rem}
.rows>*{border-bottom:1px solid var(--line)}
.rows>details>summary{cursor:pointer;list-style:none}
.rows>details>summary::-webkit-details-marker{display:none}
.rows>details>summary>.id::before{content:"▸ ";color:var(--soft)}
.rows>details[open]>summary>.id::before{content:"▾ "}
.head{color:var(--soft);font-size:.85rem}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.id{font-weight:600}
.in{padding:.2rem .2rem .8rem 1.2rem}
.runs{margin:.3rem 0;padding:0;list-style:none;display:grid;gap:.1rem}
.bar{display:inline-block;vertical-align:middle;width:5rem;height:.55rem;border:1px solid var(--line);border-radius:3px;overflow:hidden;margin:0 .5rem}
.bar>i{display:block;height:100%;background:var(--blue)}
.bar.done>i{background:var(--green)}
.why{display:grid;grid-template-columns:14rem minmax(0,1fr);gap:0 1rem;padding:.35rem .2rem}
blockquote{margin:.4rem 0;padding:.1rem .8rem;border-left:3px solid var(--line);color:var(--soft);max-height:24rem;overflow:auto}
.look{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.25rem 1.2rem;margin:0}
.look dt{color:var(--soft)}.look dd{margin:0}
footer{margin-top:2.5rem;color:var(--soft);font-size:.85rem;border-top:1px solid var(--line);padding-top:.6rem}
@media (max-width:46rem){
body{font-size:15px;padding:1rem .8rem 2rem}
.row,.rows>details>summary{display:flex;flex-wrap:wrap;gap:.05rem .9rem}
.row.head{display:none}
.row .id,summary>.id,.title{flex:0 0 100%}
.n{text-align:left;color:var(--soft);font-size:.85rem}
.n::before{content:attr(data-name) " "}
.why,.look{grid-template-columns:1fr;gap:0}
.look dd{margin-bottom:.5rem}
}
@media print{
:root{color-scheme:light;--back:#fff;--text:#000;--soft:#444;--line:#bbb;--card:#fff}
@page{margin:14mm}
body{font-size:10.5pt;max-width:none;padding:0}
svg{min-width:0}.scroll{overflow:visible}
blockquote{max-height:none}
.rows>*,.why{break-inside:avoid}
a{text-decoration:none}
}
`;
