/** Style sheet of the HTML report. */
export const STYLE = `
:root { --bg: #fff; --fg: #1c2024; --dim: #5b6470; --line: #d8dde3; --panel: #f5f7f9; --link: #0b5cad;
  --good: #116b34; --fair: #7a5200; --bad: #a4161a; color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { --bg: #14171a; --fg: #e6e9ec; --dim: #9aa4af;
  --line: #333a41; --panel: #1c2126; --link: #7cb8ff; --good: #6fcf8f; --fair: #e3b341; --bad: #ff8a80; } }
* { box-sizing: border-box; } [hidden] { display: none !important; }
body { margin: 0 auto; max-width: 72rem; padding: 1rem; background: var(--bg); color: var(--fg);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; } h2 { font-size: 1.1rem; margin: 1.75rem 0 .5rem; }
p { margin: .25rem 0; } footer { margin-top: 2rem; color: var(--dim); }
code, pre { font: 13px/1.45 ui-monospace, monospace; } pre { margin: .25rem 0; white-space: pre-wrap;
  overflow-wrap: anywhere; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
td:first-child { min-width: 11rem; } td:last-child:not(.n) { min-width: 9rem; } li { overflow-wrap: anywhere; }
th button { all: unset; cursor: pointer; font-weight: 600; }
th button::after { content: " \\2195"; color: var(--dim); }
th[aria-sort=ascending] button::after { content: " \\2191"; }
th[aria-sort=descending] button::after { content: " \\2193"; }
td button { all: unset; cursor: pointer; color: var(--link); overflow-wrap: anywhere; }
button:focus-visible, input:focus-visible, select:focus-visible, summary:focus-visible, article:focus-visible
  { outline: 2px solid var(--link); outline-offset: 2px; }
form { display: flex; flex-wrap: wrap; gap: .5rem; padding: .75rem; background: var(--panel);
  border: 1px solid var(--line); border-radius: 6px; position: sticky; top: 0; }
label { display: flex; flex-direction: column; font-size: .8rem; color: var(--dim); max-width: 14rem; }
label.wide { flex: 1 1 14rem; } input, select, form button, #more { font: inherit; color: inherit;
  background: var(--bg); border: 1px solid var(--line); border-radius: 4px; padding: .3rem .5rem; max-width: 100%; }
form button { align-self: end; } input, select { color: var(--fg); }
#shown { color: var(--dim); margin: .5rem 0; }
article { border-bottom: 1px solid var(--line); padding: .5rem 0; }
article h3 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
article ul { margin: .25rem 0; padding-left: 1.2rem; } article.possible { opacity: .75; }
.meta, .title { color: var(--dim); font-size: .9rem; }
.native, .automatic { color: var(--good); } .emulated, .review { color: var(--fair); }
.unsupported, .manual { color: var(--bad); }
@media print { form, #more { display: none; } }
`;

/**
 * Script of the HTML report: fills the filters, lists findings in portions, sorts tables. All text
 * goes through textContent, so nothing from the scanned code is ever read as HTML.
 */
export const SCRIPT = `
'use strict';
const PORTION = 200;
const FILTERS = ['rule', 'confidence', 'fix', 'verdict', 'file', 'baseline'];
const rows = JSON.parse(document.getElementById('findings').textContent);
for (const row of rows) {
  row.haystack = [row.file, row.rule, row.title, row.what, row.message, row.snippet, row.becomes, row.id]
    .concat(row.notes).join('\\n').toLowerCase();
}

function el(tag, text, className) {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (className) node.className = className;
  return node;
}

function card(row) {
  const node = el('article', undefined, row.confidence);
  node.tabIndex = 0;
  node.id = 'f-' + row.id;
  const head = el('h3');
  head.append(el('code', row.file + ':' + row.line), ' ', row.rule, ' ', row.what);
  const meta = el('p', undefined, 'meta');
  meta.append(row.confidence, ', ', el('span', row.fix, row.fix), ', ', el('span', row.verdict, row.verdict));
  if (row.baseline) meta.append(', ', row.baseline);
  meta.append(', ', row.id);
  node.append(head, el('p', row.message || row.title, 'title'), el('pre', row.snippet));
  if (row.becomes) node.append(el('pre', '\\u2192 ' + row.becomes, 'automatic'));
  const notes = el('ul');
  for (const note of row.notes) notes.append(el('li', note));
  node.append(notes, meta);
  return node;
}

function sortable(table) {
  table.querySelectorAll('th').forEach((th, index) => {
    const button = el('button', th.textContent);
    button.type = 'button';
    th.replaceChildren(button);
    button.addEventListener('click', () => {
      const down = th.getAttribute('aria-sort') === 'ascending';
      for (const other of th.parentNode.children) other.removeAttribute('aria-sort');
      th.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const key = (tr) => {
        const cell = tr.children[index];
        const data = cell.querySelector('data');
        return data ? Number(data.value) : cell.textContent;
      };
      const body = table.tBodies[0];
      const sorted = [...body.rows].sort((a, b) => {
        const x = key(a), y = key(b);
        return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
      });
      body.append(...sorted);
    });
  });
}
document.querySelectorAll('table').forEach(sortable);

const form = document.getElementById('filters');
if (form) {
  const list = document.getElementById('list');
  const more = document.getElementById('more');
  const shown = document.getElementById('shown');
  const field = (name) => form.elements.namedItem(name);
  let matching = [];
  let listed = 0;

  for (const name of FILTERS) {
    const values = [...new Set(rows.map((row) => row[name]))].filter((value) => value !== '').sort();
    const select = field(name);
    if (values.length === 0) select.parentNode.hidden = true;
    for (const value of values) {
      const title = name === 'rule' ? value + ' ' + rows.find((row) => row.rule === value).title : value;
      const option = el('option', title);
      option.value = value;
      select.append(option);
    }
  }

  const showMore = () => {
    const next = matching.slice(listed, listed + PORTION);
    list.append(...next.map(card));
    listed += next.length;
    more.hidden = listed >= matching.length;
    shown.textContent = matching.length + ' of ' + rows.length + ' findings match'
      + (listed < matching.length ? ', ' + listed + ' shown' : '');
  };
  const apply = () => {
    const words = field('text').value.toLowerCase().split(/\\s+/).filter(Boolean);
    const wanted = FILTERS.map((name) => [name, field(name).value]).filter((pair) => pair[1] !== '');
    matching = rows.filter((row) => wanted.every((pair) => row[pair[0]] === pair[1])
      && words.every((word) => row.haystack.includes(word)));
    listed = 0;
    list.replaceChildren();
    showMore();
  };

  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('input', apply);
  form.addEventListener('reset', () => setTimeout(apply));
  more.addEventListener('click', showMore);
  document.querySelectorAll('button[data-file]').forEach((button) => {
    button.addEventListener('click', () => {
      field('file').value = button.dataset.file;
      apply();
      form.scrollIntoView();
    });
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target.closest('input, select, textarea')) return;
    event.preventDefault();
    field('text').focus();
  });
  apply();
}
`;
