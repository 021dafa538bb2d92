const MAX_RESULTS = 20;
/** Characters of the text around the first word that was found. */
const EXCERPT_BEFORE = 30;
const EXCERPT_LENGTH = 160;

const search = document.querySelector('search');
const field = document.querySelector('#docs-search');
const results = document.querySelector('#docs-results');
const status = results.querySelector('p');
const list = results.querySelector('ul');
search.hidden = false;

let index;
const loadIndex = () =>
  (index ??= fetch('/docs/search.json')
    .then((response) => {
      if (!response.ok) throw new Error(`The search index has the status ${response.status}.`);
      return response.json();
    })
    .then((entries) => entries.map((entry) => ({ ...entry, words: `${entry.title}\n${entry.text}`.toLowerCase() })))
    .catch((error) => {
      index = undefined; // the next search tries again
      throw error;
    }));

/** Entries that have every word. Those whose title has them come first. */
const find = (entries, words) => {
  const ranked = entries
    .filter((entry) => words.every((word) => entry.words.includes(word)))
    .map((entry) => ({ entry, hits: words.filter((word) => entry.title.toLowerCase().includes(word)).length }));
  return ranked.toSorted((a, b) => b.hits - a.hits).map(({ entry }) => entry);
};

const excerpt = (text, [word]) => {
  const start = Math.max(0, text.toLowerCase().indexOf(word) - EXCERPT_BEFORE);
  return `${start > 0 ? '…' : ''}${text.slice(start, start + EXCERPT_LENGTH)}`;
};

const toItem = ({ page, title, href, text }, words) => {
  const item = document.createElement('li');
  const link = Object.assign(document.createElement('a'), { href });
  const name = document.createElement('strong');
  name.textContent = title === page ? title : `${title} – ${page}`;
  const line = document.createElement('span');
  line.textContent = excerpt(text, words);
  link.append(name, line);
  item.append(link);
  return item;
};

const close = () => {
  results.hidden = true;
};

const show = async () => {
  const typed = field.value;
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) {
    close();
    return;
  }
  try {
    const found = find(await loadIndex(), words);
    if (field.value !== typed) return; // a later input shows its own results
    list.replaceChildren(...found.slice(0, MAX_RESULTS).map((entry) => toItem(entry, words)));
    const count = found.length === 1 ? '1 result' : `${found.length} results`;
    status.textContent = found.length > MAX_RESULTS ? `${count}, the first ${MAX_RESULTS} are shown` : count;
  } catch {
    list.replaceChildren();
    status.textContent = 'The search index could not be loaded. Type again to retry.';
  }
  results.hidden = false;
};

field.addEventListener('focus', () => void loadIndex().catch(() => {}));
field.addEventListener('input', () => void show());

search.addEventListener('keydown', (event) => {
  const links = [...list.querySelectorAll('a')];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step !== undefined && !results.hidden) {
    event.preventDefault();
    const next = links.indexOf(document.activeElement) + step;
    (links[next] ?? (next < 0 ? field : document.activeElement)).focus();
  } else if (event.key === 'Enter' && document.activeElement === field) links[0]?.click();
  else if (event.key === 'Escape') {
    close();
    field.focus();
  }
});
search.addEventListener('focusout', ({ relatedTarget }) => {
  if (!search.contains(relatedTarget)) close();
});
search.addEventListener('click', ({ target }) => {
  if (target.closest('a') !== null) close(); // a link to the same page does not load it again
});

document.addEventListener('keydown', (event) => {
  const isTyping = event.target.closest('input, textarea, select, [contenteditable]') !== null;
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  field.focus();
});

// Browsers offer the clipboard only over https and on this machine.
if ('clipboard' in navigator) {
  for (const block of document.querySelectorAll('pre')) {
    const frame = Object.assign(document.createElement('div'), { className: 'code' });
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Copy' });
    button.addEventListener('click', () => {
      navigator.clipboard.writeText(block.textContent.trimEnd()).then(
        () => (button.textContent = 'Copied'),
        () => (button.textContent = 'Not copied'),
      );
      setTimeout(() => (button.textContent = 'Copy'), 2000);
    });
    block.replaceWith(frame);
    frame.append(block, button);
  }
}
