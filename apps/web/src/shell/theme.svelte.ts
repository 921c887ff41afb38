export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const storageKey = 'holdfast-theme';

const stored = (): Theme => {
  const attribute = document.documentElement.dataset['theme'];
  return attribute === 'light' || attribute === 'dark' ? attribute : 'system';
};

let current = $state<Theme>(stored());

export const theme = (): Theme => current;

export const chooseTheme = (next: Theme): void => {
  current = next;
  if (next === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = next;
  try {
    if (next === 'system') localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, next);
  } catch {
    // The choice lasts until the tab is closed; nothing else depends on it.
  }
};
