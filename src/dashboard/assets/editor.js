/* global document, DOMParser, Event */
// The editor of a text before its approval. Without this script the text is edited as it is stored.
// The browser edits by itself, because a library rewrites what nobody touched: Squire 2.4, the only small one without dependencies,
// makes <b> of <strong> and wraps lines anew. The larger ones weigh more than all other scripts and styles together.

const TOOLS = [
  ['Bold', 'bold'],
  ['Italic', 'italic'],
  ['Heading', 'formatBlock', 'h3'],
  ['Paragraph', 'formatBlock', 'p'],
  ['List', 'insertUnorderedList'],
  ['Numbers', 'insertOrderedList'],
  ['Undo', 'undo'],
];

function newButton(text, onClick) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'plain';
  button.textContent = text;
  button.addEventListener('click', onClick);
  return button;
}

/** What a browser shows without loading or running anything. Every other element stands as its name, and comes back as it was. */
const SHOWN = new Set(
  'A B BLOCKQUOTE BR CAPTION CODE DD DIV DL DT EM H1 H2 H3 H4 H5 H6 HR I LI OL P PRE S SMALL SPAN STRONG SUB SUP TABLE TBODY TD TFOOT TH THEAD TR U UL'.split(
    ' ',
  ),
);
const SHOWN_ATTRIBUTES = new Set(['href', 'class', 'lang', 'dir', 'title', 'colspan', 'rowspan']);

/** Parses in a document of its own, in which nothing is loaded. Styles are set aside first: the page's policy complains of each. */
const parsed = (markup) =>
  new DOMParser().parseFromString(
    markup.replaceAll(/<[a-z][^<>]*>/gi, (tag) => tag.replaceAll(/\sstyle\s*=/gi, ' data-aside-style=')),
    'text/html',
  );

/** The markup for the field: what would be loaded is set aside in `kept` and in attributes that do nothing. */
function setAside(markup, kept) {
  const text = parsed(markup);
  for (const element of text.body.querySelectorAll('*')) {
    if (!text.body.contains(element)) continue;
    if (!SHOWN.has(element.tagName)) {
      const address = element.getAttribute('src') ?? '';
      const name = element.tagName === 'IMG' ? 'Image' : element.tagName.toLowerCase();
      const place = text.createElement('span');
      place.className = 'kept';
      place.contentEditable = 'false';
      place.dataset.kept = String(kept.push(putBack(element.outerHTML, [])) - 1);
      place.textContent = address === '' ? name : `${name}: ${address}`;
      element.replaceWith(place);
      continue;
    }
    for (const { name, value } of [...element.attributes]) {
      if (SHOWN_ATTRIBUTES.has(name) || name.startsWith('data-aside-')) continue;
      element.removeAttribute(name);
      element.setAttribute(`data-aside-${name}`, value);
    }
  }
  return text.body.childNodes;
}

/** The markup of the field with everything that was set aside. As text, because elements would apply their styles. */
function putBack(markup, kept) {
  return markup
    .replaceAll(
      /<span[^<>]* data-kept="(\d+)"[^<>]*>[^<]*<\/span>/g,
      (_place, index) => kept[Number(index)] ?? '',
    )
    .replaceAll(/<[a-z][^<>]*>/gi, (tag) => tag.replaceAll(' data-aside-', ' '));
}

/** A rich-text field in place of the markup, which stays behind a tab. The server cleans whatever is sent. */
function makeRich(editor) {
  const source = editor.querySelector('textarea');
  const field = document.createElement('div');
  field.className = 'rich text-field';
  field.contentEditable = 'true';
  field.setAttribute('role', 'textbox');
  field.setAttribute('aria-multiline', 'true');
  field.setAttribute('aria-label', source.getAttribute('aria-label'));
  field.dir = 'auto';
  let kept = [];
  const show = () => {
    kept = [];
    field.replaceChildren(...setAside(source.value, kept));
  };
  const tools = document.createElement('div');
  tools.className = 'tools';
  tools.setAttribute('role', 'toolbar');
  tools.setAttribute('aria-label', 'Format');
  for (const [name, command, value] of TOOLS)
    tools.append(
      newButton(name, () => {
        field.focus();
        document.execCommand('defaultParagraphSeparator', false, 'p');
        document.execCommand(command, false, value);
      }),
    );
  const tab = newButton('HTML', () => {
    const isMarkup = source.hidden;
    source.hidden = !isMarkup;
    field.hidden = isMarkup;
    for (const button of tools.children) button.disabled = isMarkup && button !== tab;
    tab.setAttribute('aria-pressed', String(isMarkup));
    if (!isMarkup) show();
  });
  tab.setAttribute('aria-pressed', 'false');
  tools.append(tab);
  field.addEventListener('input', () => {
    source.value = putBack(field.innerHTML, kept);
    source.dispatchEvent(new Event('input', { bubbles: true }));
  });
  show();
  source.hidden = true;
  source.before(tools, field);
}

const editors = [...document.querySelectorAll('.editor')];
for (const editor of editors) {
  if ('rich' in editor.dataset) makeRich(editor);
  editor.addEventListener('toggle', () => {
    if (editor.open) editor.querySelector('.rich:not([hidden]), textarea:not([hidden])').focus();
  });
}

/** The button says what it does, and texts that nobody touched are not sent. */
const approve = document.querySelector('[data-approve]');
if (approve !== null) {
  const texts = editors.map((editor) => editor.querySelector('textarea'));
  const isChanged = (text) => text.value !== text.defaultValue;
  document.addEventListener('input', () => {
    if (texts.some(isChanged)) approve.textContent = 'Save and approve';
  });
  approve.form.addEventListener('submit', () => {
    for (const text of texts) text.disabled = !isChanged(text);
  });
}
