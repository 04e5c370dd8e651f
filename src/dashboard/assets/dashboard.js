/* global document, window, DOMParser, setInterval, setTimeout, localStorage, HTMLInputElement, HTMLElement, Element */
// Everything works without this script. It saves reloads and mouse clicks.

const LIVE_EVERY_MS = 1000;

/** Updates a part of the page for as long as the part is marked as under way. */
async function keepLive(part) {
  while (part.querySelector('[data-under-way]') !== null) {
    const everyMs = Number(part.dataset.liveEvery ?? LIVE_EVERY_MS);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
    // A slow part is read at leisure: it does not change under the reader's hands.
    if (document.hidden || (everyMs > LIVE_EVERY_MS && isInUse(part))) continue;
    const fresh = await freshPart();
    if (fresh === 'signed out') {
      window.location.reload();
      return;
    }
    // During a restart the server does not respond; the next request will succeed.
    if (fresh !== null) {
      replaceContent(part, fresh);
      showMoments(part);
    }
  }
}

/** The part as the page has it now; null when the server does not respond. */
async function freshPart() {
  try {
    const answer = await fetch(window.location.href, {
      headers: { 'x-requested-with': 'fetch' },
      redirect: 'error',
    });
    if (answer.status === 401) return 'signed out';
    if (!answer.ok) return null;
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    return page.querySelector('[data-live]');
  } catch {
    return null; // no connection at the moment
  }
}

/** Unchanged texts stay in place, so that a screen reader announces only the changes. Elements that the reader uses stay, too. */
function replaceContent(part, fresh) {
  const [before, after] = [[...part.children], [...fresh.children]];
  if (before.length !== after.length) {
    part.replaceChildren(...fresh.childNodes);
    return;
  }
  after.forEach((child, index) => {
    const old = before[index];
    if (hasSameStatus(old, child)) morph(old, child);
    else if (!isInUse(old)) old.replaceWith(child);
  });
}

function hasSameStatus(old, fresh) {
  const [before, after] = [old, fresh].map((each) => each.querySelector(':scope > [role=status]'));
  return before !== null && after !== null && before.textContent === after.textContent;
}

/** A reader has opened something in it, or moves through it by keyboard. */
function isInUse(element) {
  return element.querySelector('details[open]') !== null || element.contains(document.activeElement);
}

/** Replaces the children of `old` except its status line. */
function morph(old, fresh) {
  const status = old.querySelector('[role=status]');
  for (const child of [...old.children]) if (child !== status) child.remove();
  for (const child of [...fresh.children]) if (child.getAttribute('role') !== 'status') old.append(child);
  old.toggleAttribute('data-under-way', fresh.hasAttribute('data-under-way'));
}

for (const part of document.querySelectorAll('[data-live]')) void keepLive(part);

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const EXACT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' });
const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });
const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });
const DAY_CLOCK = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];
const WEEK_SECONDS = 7 * 86_400;

/** Times become relative. The title has the exact time in the reader's zone. */
function showMoments(root) {
  for (const time of root.querySelectorAll('time[data-moment]')) {
    const at = new Date(time.dateTime);
    const seconds = (at.getTime() - Date.now()) / 1000;
    const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
    const text =
      Math.abs(seconds) > WEEK_SECONDS ? DAY.format(at) : RELATIVE.format(Math.round(seconds / size), unit);
    if (time.textContent !== text) time.textContent = text;
    time.title = EXACT.format(at);
  }
  for (const time of root.querySelectorAll('time[data-clock]')) {
    const at = new Date(time.dateTime);
    const isToday = at.toDateString() === new Date().toDateString();
    const text = (isToday ? CLOCK : DAY_CLOCK).format(at);
    if (time.textContent !== text) time.textContent = text;
    time.title = EXACT.format(at);
  }
}

const MOMENTS_EVERY_MS = 20_000;
showMoments(document);
setInterval(() => showMoments(document), MOMENTS_EVERY_MS);

/** An approval can be undone for some seconds. Then the undo becomes a revert. */
for (const box of document.querySelectorAll('[data-until]')) {
  const undo = box.querySelector('form');
  const button = undo?.querySelector('button');
  const afterwards = box.querySelector('[data-afterwards]');
  const word = button?.textContent.trim() ?? '';
  const count = () => {
    const seconds = Math.ceil((Number(box.dataset.until) - Date.now()) / 1000);
    if (seconds > 0) {
      button.textContent = `${word} (${seconds})`;
      setTimeout(count, 250);
      return;
    }
    undo.hidden = true;
    if (afterwards !== null) afterwards.hidden = false;
  };
  if (button !== null && button !== undefined) count();
}

/** One checkbox selects all rows of the page. */
for (const all of document.querySelectorAll('[data-choose-all]')) {
  const boxes = () => [...all.form.querySelectorAll('input[type=checkbox][name=id]')];
  all.addEventListener('change', () => {
    for (const box of boxes()) box.checked = all.checked;
  });
  all.form.addEventListener('change', () => {
    all.checked = boxes().every((box) => box.checked);
    all.indeterminate = !all.checked && boxes().some((box) => box.checked);
  });
}

const KEYS_OFF = 'store-sync.keys-off';

function keysAreOn() {
  return localStorage.getItem(KEYS_OFF) === null;
}

for (const legend of document.querySelectorAll('[data-keys]')) {
  legend.hidden = false;
  const button = legend.querySelector('[data-keys-switch]');
  const show = () => {
    button.setAttribute('aria-pressed', String(keysAreOn()));
    button.textContent = keysAreOn() ? 'Keys are on' : 'Keys are off';
  };
  legend.querySelector('[data-keys-open]').addEventListener('click', () => showKeys());
  button.addEventListener('click', () => {
    if (keysAreOn()) localStorage.setItem(KEYS_OFF, '1');
    else localStorage.removeItem(KEYS_OFF);
    show();
  });
  show();
}

function showKeys() {
  document.querySelector('[data-keys] dialog')?.showModal();
}

function rows() {
  return [...document.querySelectorAll('[data-row]')];
}

function currentRow() {
  return document.activeElement instanceof Element ? document.activeElement.closest('[data-row]') : null;
}

function moveBy(step) {
  const all = rows();
  const at = all.indexOf(currentRow());
  const next = all[at === -1 ? (step > 0 ? 0 : all.length - 1) : at + step];
  if (next === undefined) return;
  (next.querySelector('a') ?? next.querySelector('input') ?? next).focus();
  next.scrollIntoView({ block: 'nearest' });
}

function chooseCurrent() {
  const box = currentRow()?.querySelector('input[type=checkbox]');
  if (box instanceof HTMLInputElement) box.click();
}

/** Follows a link, presses a button or focuses a field. */
function use(element) {
  if (element instanceof HTMLInputElement) element.focus();
  else if (element instanceof HTMLElement) element.click();
}

function isTyping(target) {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return target.type !== 'checkbox';
  return target.isContentEditable || ['TEXTAREA', 'SELECT'].includes(target.tagName);
}

/** Ctrl K or Command K goes to the search from anywhere, also while the reader types. */
document.addEventListener('keydown', (event) => {
  if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
  const field = document.querySelector('[data-search]');
  if (!(field instanceof HTMLInputElement)) return;
  event.preventDefault();
  field.focus();
  field.select();
});

document.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (isTyping(event.target) || document.querySelector('dialog[open]') !== null || !keysAreOn()) return;
  const done = onKey(event.key);
  if (done) event.preventDefault();
});

function onKey(key) {
  if (key === '?') {
    showKeys();
    return true;
  }
  if (key === 'j' || key === 'k') {
    moveBy(key === 'j' ? 1 : -1);
    return true;
  }
  if (key === 'x') {
    chooseCurrent();
    return true;
  }
  // Handles only keys that the page names. All others belong to the browser.
  const wanted = /^[\w/[\]]$/.test(key) ? `[data-key="${key}"]` : null;
  if (wanted === null) return false;
  // A key that many rows have is about the current one.
  const element = currentRow()?.querySelector(wanted) ?? document.querySelector(wanted);
  if (element === null) return false;
  use(element);
  return true;
}
