/* global document, DOMParser, Event */
// The editor of a text before its approval. Without this script the text is edited as it is stored.

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
  const show = () =>
    field.replaceChildren(...new DOMParser().parseFromString(source.value, 'text/html').body.childNodes);
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
    source.value = field.innerHTML;
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
