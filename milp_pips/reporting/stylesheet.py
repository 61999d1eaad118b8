"""How the page looks."""

CSS = """
:root { color-scheme: light; --ink: #222; --soft: #666; --line: #ddd; --wash: #f6f6f4; --alarm: #a40000; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 62rem; color: var(--ink); background: #fff;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .3rem; letter-spacing: -.01em; }
h2 { font-size: 1.35rem; margin: 3rem 0 .4rem; padding-top: 1rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 2.2rem 0 .2rem; }
p { margin: .4rem 0 .8rem; max-width: 44rem; }
.soft, figcaption, .note { color: var(--soft); font-size: .9rem; }
.lead { background: var(--wash); border-left: 4px solid #0072B2; padding: .8rem 1.1rem; margin: 1rem 0;
  font-size: 1.06rem; max-width: none; }
.lead p { max-width: none; margin: .2rem 0; }
.alarm { background: #fff0ee; border: 2px solid var(--alarm); padding: .7rem 1.1rem; margin: 1rem 0; }
.alarm strong { color: var(--alarm); }
.caution { background: #fff9e8; border-left: 4px solid #E69F00; padding: .5rem 1.1rem; margin: 1rem 0; }
.alarm ul, .caution ul { margin: .3rem 0; padding-left: 1.2rem; }
nav { margin: .8rem 0 0; font-size: .92rem; display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; }
a { color: #0b5c93; }
.wide { overflow-x: auto; margin: .6rem 0 1rem; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; min-width: 50%; }
th, td { padding: .3rem .7rem .3rem 0; text-align: right; white-space: nowrap;
  border-bottom: 1px solid #ececec; }
thead th { color: var(--soft); font-weight: 600;
  border-bottom: 2px solid var(--line); vertical-align: bottom; }
th:first-child, .left td { text-align: left; }
th:first-child { position: sticky; left: 0; background: #fff; }
tbody th { font-weight: 500; padding-right: 1.2rem; }
tbody tr:hover, tbody tr:hover th { background: var(--wash); }
.swatch { display: inline-block; width: .8em; height: .8em; border-radius: 2px; margin-right: .5em; }
.bad { color: var(--alarm); font-weight: 600; }
.late { color: #9a5b00; }
figure { margin: .4rem 0 1.2rem; }
figure > div { overflow-x: auto; }
figure svg { display: block; width: 100%; min-width: 30rem; height: auto; max-width: 50rem; }
figure.square svg { max-width: 33rem; min-width: 22rem; }
.pairs { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 23rem), 1fr)); gap: 1rem; }
details { margin: .8rem 0; }
summary { cursor: pointer; color: #0b5c93; }
code { font: .88em/1.4 ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem;
  font-size: .92rem; margin: .5rem 0 1.2rem; }
dt { color: var(--soft); }
dd { margin: 0; min-width: 0; }
@media (max-width: 34rem) { body { padding: 1.2rem .9rem 3rem; font-size: 15px; } h1 { font-size: 1.5rem; }
  dl { grid-template-columns: 1fr; } dd { margin-bottom: .3rem; } }
@media print { details > * { display: block; } h2, h3 { break-after: avoid; }
  figure { break-inside: avoid; } }
"""
