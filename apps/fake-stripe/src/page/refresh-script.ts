/**
 * Runs in the browser. Every two seconds it fetches the page again and replaces only the parts marked
 * `data-live`, keeping focus and what is unfolded; fields that a person may be filling in are never touched.
 * Without it the page still works: each form posts and comes back.
 */
export const refreshScript = `
const said = document.getElementById('said');
function say(text) { if (said.textContent !== text) said.textContent = text; }

function replace(fresh) {
  for (const part of document.querySelectorAll('[data-live]')) {
    const next = fresh.querySelector('[data-live="' + part.dataset.live + '"]');
    if (!next) continue;
    for (const unfolded of part.querySelectorAll('details[open]')) {
      const same = next.querySelector('#' + CSS.escape(unfolded.id));
      if (same) same.open = true;
    }
    if (next.innerHTML === part.innerHTML) continue;
    const focused = part.contains(document.activeElement) ? document.activeElement.id : '';
    part.innerHTML = next.innerHTML;
    if (focused) document.getElementById(focused)?.focus();
  }
}

const lost = 'The fake Stripe does not answer. Showing what was last known.';
async function refresh() {
  try {
    const response = await fetch('/fake/', { cache: 'no-store' });
    replace(new DOMParser().parseFromString(await response.text(), 'text/html'));
    if (said.textContent === lost) say('');
  } catch { say(lost); }
}

document.addEventListener('submit', async (event) => {
  event.preventDefault();
  const form = event.target;
  const button = event.submitter;
  const body = new URLSearchParams(new FormData(form, button));
  const action = button?.getAttribute('formaction') ?? form.getAttribute('action');
  try {
    const response = await fetch(action, { method: 'POST', body, redirect: 'manual' });
    say(response.status >= 400 ? await response.text() : '');
  } catch { say(lost); }
  await refresh();
});

setInterval(() => { if (!document.hidden) void refresh(); }, 2000);
`;
