/**
 * One accent, warm greys, both themes; contrast of text at least 4.5:1 in each. A table wider than its card scrolls,
 * with a shadow on the side where more of it is.
 */
export const style = `
:root { color-scheme: light dark; --paper: #faf9f7; --card: #fff; --ink: #1f2524; --quiet: #5c6462;
  --line: #dad7d1; --accent: #0b6470; --on-accent: #fff; --good: #1d6b3c; --wait: #7d5200; --bad: #9c2f26; }
@media (prefers-color-scheme: dark) { :root { --paper: #141918; --card: #1c2221; --ink: #e8ebe9; --quiet: #a3adaa;
  --line: #36403e; --accent: #6cc5d0; --on-accent: #0c1514; --good: #7fd0a0; --wait: #e6bd6a; --bad: #f0988f; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; font-variant-numeric: tabular-nums; }
body > header, main { max-width: 76rem; margin: 0 auto; padding: 16px; }
h1 { font-size: 1.5rem; margin: 8px 0 0; } h2 { font-size: 1.2rem; margin: 0; } h3 { font-size: 1rem; margin: 16px 0 8px; }
p { margin: 4px 0; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 16px; margin-bottom: 16px; }
.bar, .row { display: flex; flex-wrap: wrap; gap: 8px; align-items: end; }
.bar { justify-content: space-between; align-items: center; }
.quiet, small, caption, .empty { color: var(--quiet); }
.figure { font-size: 1.4rem; }
#said:not(:empty) { border-left: 4px solid var(--accent); padding-left: 8px; }
.scroll { overflow-x: auto; margin: 8px 0; background:
    linear-gradient(90deg, var(--card) 30%, transparent) 0 0 / 40px 100% no-repeat local,
    linear-gradient(270deg, var(--card) 30%, transparent) 100% 0 / 40px 100% no-repeat local,
    linear-gradient(90deg, var(--quiet), transparent) 0 0 / 10px 100% no-repeat scroll,
    linear-gradient(270deg, var(--quiet), transparent) 100% 0 / 10px 100% no-repeat scroll; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
caption { text-align: left; padding: 4px 0; }
th, td { text-align: left; vertical-align: top; padding: 8px 12px 8px 0; border-top: 1px solid var(--line); }
th { font-weight: 600; white-space: nowrap; }
.amount { text-align: right; white-space: nowrap; font-weight: 600; }
code { font-size: .85em; overflow-wrap: anywhere; }
.status { font-weight: 600; }
.succeeded, .delivered { color: var(--good); } .pending, .due, .held, .waiting { color: var(--wait); }
.failed, .canceled, .given_up { color: var(--bad); }
.faults { list-style: none; margin: 0; padding: 0; }
.faults form { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; padding: 12px 0; border-top: 1px solid var(--line); }
.words { flex: 1 1 20rem; } .knobs { display: flex; flex-wrap: wrap; gap: 8px; }
.live { color: var(--wait); font-weight: 600; }
label { display: grid; font-size: .8rem; color: var(--quiet); }
input, select, button { font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--quiet);
  border-radius: 6px; min-height: 44px; padding: 4px 12px; max-width: 100%; }
input[type=number] { width: 9rem; }
button { cursor: pointer; }
button[role=switch] { min-width: 64px; border-radius: 22px; }
button[aria-checked=true] { background: var(--accent); color: var(--on-accent); border-color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
@media (max-width: 640px) { .words { flex-basis: 100%; } .knobs { flex: 1; align-items: end; } .knobs label { flex: 1 1 9rem; } .knobs select { width: 100%; min-width: 11rem; }
  .knobs input[type=number] { width: 7rem; } .faults form { align-items: end; } table { min-width: 46rem; } section { padding: 12px; }
  .scroll { margin-inline: -12px; padding-inline: 12px; } body > header, main { padding: 12px; } }
.story { margin: 12px 0; } .story button { background: var(--accent); color: var(--on-accent); border-color: var(--accent); font-weight: 600; }
summary { cursor: pointer; min-height: 24px; }
`;
