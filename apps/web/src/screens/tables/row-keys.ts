/** Up, down, home and end move between the rows' links, so that a table is walked with one hand. */
export const rowKeys = (body: HTMLElement): (() => void) => {
  const listener = (event: KeyboardEvent): void => moveAmongRows(body, event);
  body.addEventListener('keydown', listener);
  return () => body.removeEventListener('keydown', listener);
};

const moveAmongRows = (body: HTMLElement, event: KeyboardEvent): void => {
  const links = [...body.querySelectorAll<HTMLElement>('[data-row]')];
  const at = links.indexOf(document.activeElement as HTMLElement);
  if (at < 0) return;
  const target = targetOf(event.key, at, links.length);
  if (target === null) return;
  event.preventDefault();
  links[target]?.focus();
};

const targetOf = (key: string, at: number, count: number): number | null => {
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return Math.min(count - 1, at + 1);
    case 'ArrowUp':
    case 'k':
      return Math.max(0, at - 1);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return null;
  }
};
