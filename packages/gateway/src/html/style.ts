/** Steps of the bars that show a ratio. Widths are classes: a policy without inline styles allows no attribute. */
export const BAR_STEPS = 20

const BARS = Array.from({ length: BAR_STEPS + 1 }, (_, i) => `.b${i}::after{width:${i * 100 / BAR_STEPS}%}`).join('')

/**
 * The style of every page. `STYLE_HASH` in csp.ts is its digest: a test says what it must be after a
 * change.
 */
export const STYLE = `
:root{
color-scheme:light dark;
--bg:#fff;--fg:#1c2024;--dim:#60676e;--line:#e3e6e9;--hover:#f5f7f8;--link:#0b62a8;--bar:#0f8a7e;--track:#e3e6e9;
--chip:#e2f3f0;--chip-fg:#0b5d54}
@media (prefers-color-scheme:dark){:root{
--bg:#14171a;--fg:#e6e8ea;--dim:#9aa2aa;--line:#2b3137;--hover:#1b2024;--link:#7cbcf5;--bar:#2fb5a6;--track:#2b3137;
--chip:#123b37;--chip-fg:#7fdccf}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:68rem;padding:2rem 1.25rem 3rem;background:var(--bg);color:var(--fg);
font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
a{color:var(--link);text-decoration:none}
a:hover,a:focus-visible{text-decoration:underline}
a:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:2px}
h1{margin:0;font-size:1.375rem;line-height:1.3;font-weight:650}
.path{margin:.375rem 0 0;overflow-wrap:anywhere;unicode-bidi:isolate;font-size:.9375rem;color:var(--dim)}
.facts{display:flex;flex-wrap:wrap;gap:.25rem 2rem;margin:1.25rem 0 0;padding:0}
.facts div{display:flex;gap:.5rem;min-width:0}
.facts .id{flex-basis:100%}
dt,.dim{color:var(--dim)}
dd{margin:0;min-width:0;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
table{width:100%;margin-top:1.25rem;border-collapse:collapse}
th,td{padding:.5rem .75rem;border-top:1px solid var(--line);text-align:left;vertical-align:top;font-weight:400}
thead th{border-top:0;font-size:.8125rem;color:var(--dim);white-space:nowrap}
tbody tr:hover{background:var(--hover)}
th:first-child,td:first-child{padding-left:.5rem}
.name{width:100%;min-width:9rem}
.name>div{display:flex;gap:.625rem}
.name a{overflow-wrap:anywhere;white-space:pre-wrap;unicode-bidi:isolate}
svg{flex:none;width:1.125rem;height:1.125rem;margin-top:.1875rem;fill:none;stroke:var(--dim);stroke-width:1.25;
stroke-linejoin:round}
.dir svg{stroke:var(--bar)}
.num{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.how{white-space:nowrap;font-variant-numeric:tabular-nums}
.how>div{display:flex;align-items:center;gap:.625rem}
.codec{min-width:4.25rem;padding:0 .5rem;border-radius:1rem;background:var(--chip);color:var(--chip-fg);
font-size:.8125rem;line-height:1.375rem;text-align:center}
.bar{width:4rem;height:.375rem;border-radius:1rem;background:var(--track);overflow:hidden}
.bar::after{content:"";display:block;height:100%;border-radius:1rem;background:var(--bar)}
${BARS}
.id dd,.cid{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.8125rem;line-height:1.5rem}
thead .cid{font:inherit;font-size:.8125rem}
.ipfs-hash{color:var(--dim);white-space:nowrap}
form{display:flex;flex-wrap:wrap;gap:.5rem;margin:1.25rem 0 0}
label{flex:1 0 100%;color:var(--dim)}
input{flex:1 1 16rem;min-width:0}
input,button{padding:.5rem .75rem;font:inherit}
.note{margin:1.25rem 0 0;color:var(--dim);font-size:.875rem}
.status{margin:0 0 .25rem;color:var(--dim);font-variant-numeric:tabular-nums}
.message{margin:1rem 0 0;padding:.75rem 1rem;border-left:3px solid var(--bar);background:var(--hover);
overflow-wrap:anywhere;white-space:pre-wrap;unicode-bidi:isolate}
pre{overflow:auto;margin:1.25rem 0 0;padding:1rem;border:1px solid var(--line);border-radius:.375rem;
background:var(--hover);font:.8125rem/1.5rem ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.vh{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (max-width:56rem){.cid{display:none}}
@media (max-width:40rem){
body{padding:1.25rem 1rem 2rem}
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
table,tbody{display:block}
tr{display:flex;flex-wrap:wrap;align-items:center;gap:.125rem 1rem;padding:.5rem 0 .5rem 1.75rem;
border-top:1px solid var(--line)}
th,td,th:first-child{padding:0;border:0}
td{font-size:.875rem;color:var(--dim)}
td:empty{display:none}
.name{flex:1 0 100%;margin-left:-1.75rem}
.num+.num::before{content:"stored "}
.how{margin-left:auto}
.how>div{gap:.5rem}
.codec{min-width:0}
.bar{display:none}}
`
