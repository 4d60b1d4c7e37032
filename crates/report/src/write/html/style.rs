/// The look of every page, the same as that of a run's own page (`web/src/style.css`): colours for light and dark, one accent,
/// the type of the system.
pub(super) const STYLE: &str = "
:root{--page:#ffffff;--ink:#1b1f24;--soft:#545d68;--line:#d5dae0;--accent:#0b5cad;
font:16px/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,\"Noto Sans\",sans-serif;
color:var(--ink);background:var(--page);font-variant-numeric:tabular-nums;-webkit-text-size-adjust:100%}
@media (prefers-color-scheme:dark){
:root{--page:#14171b;--ink:#e8ebee;--soft:#a5aeb8;--line:#343b44;--accent:#6fb3f5}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:66rem;padding:1.25rem 1rem 3rem;overflow-wrap:anywhere}
a{color:inherit;text-decoration-color:var(--soft);text-underline-offset:.2em}
a:hover{text-decoration-color:currentColor}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
nav{display:flex;flex-wrap:wrap;gap:.25rem 1rem;margin-bottom:1rem;border-bottom:1px solid var(--line)}
nav a{padding:.4rem 0;border-bottom:3px solid transparent;text-decoration:none}
nav a:hover,nav a[aria-current]{border-color:var(--accent)}
nav a[aria-current]{font-weight:600}
h1{font-size:clamp(1.5rem,1.1rem + 1.8vw,2.1rem);line-height:1.2;margin:.2rem 0 .6rem;text-wrap:balance}
h2{font-size:1.2rem;margin:0 0 .25rem;scroll-margin-top:.5rem}
h3,h4{font-size:1rem;margin:0 0 .1rem}
section{margin-top:2.75rem}
section section{margin-top:1.75rem}
header p{font-size:.8rem}
p{margin:0 0 .5rem;max-width:46rem}
.about,.soft,figcaption{color:var(--soft)}
.about{font-size:.9rem}
.answer{font-size:1.15rem}
h3+.answer,h3+.about+.answer{font-size:1rem}
.scroll{overflow-x:auto;margin:.75rem 0}
table{border-collapse:collapse;font-size:.9rem;overflow-wrap:normal}
th,td{text-align:left;vertical-align:top;padding:.35rem .9rem .35rem 0;border-bottom:1px solid var(--line)}
tbody th{font-weight:400;white-space:nowrap}
thead th{font-size:.8rem;color:var(--soft);vertical-align:bottom}
.line,.number{white-space:nowrap}
.number{text-align:right}
td{min-width:6rem}
td.line,td.number{min-width:0}
td.soft{min-width:12rem;max-width:24rem}
.multiples{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(15rem,100%),1fr));gap:1rem 1.5rem;margin:1rem 0}
figure{margin:0;min-width:0}
figcaption{display:flex;flex-wrap:wrap;gap:0 .75rem;justify-content:space-between;font-size:.9rem}
figcaption a{color:var(--ink)}
svg{display:block;width:100%;max-width:24rem;height:auto;margin-top:.25rem}
svg.large{max-width:34rem}
svg .line{fill:none;stroke:var(--accent);stroke-width:1.5}
svg .line.soft{stroke:var(--soft)}
svg .dashed{stroke-dasharray:4 3}
.legend span{margin-right:1rem}
.legend span::before{content:'';display:inline-block;width:1.5rem;margin-right:.4rem;vertical-align:middle;border-top:2px solid var(--accent)}
.legend .soft::before{border-color:var(--soft)}
.legend .dashed::before{border-top-style:dashed}
svg .middle{text-anchor:middle}
svg text{font-size:10px;fill:var(--soft)}
svg .end{text-anchor:end}
svg .rule{stroke:var(--line)}
svg .change{stroke:var(--soft);stroke-dasharray:2 2}
svg .interval{stroke:var(--accent);stroke-width:2}
svg .dot{fill:var(--accent);stroke:var(--accent);stroke-width:1.5}
svg .open{fill:var(--page)}
footer{margin-top:3rem;border-top:1px solid var(--line);padding-top:.5rem;font-size:.9rem;color:var(--soft)}
@media (max-width:40rem){nav{gap:.25rem .75rem}}
@media print{body{max-width:none}nav{display:none}figure,tr{break-inside:avoid}.scroll{overflow:visible}
svg .dot,svg .interval{print-color-adjust:exact}}
";
