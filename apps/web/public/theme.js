// Runs before the first paint, so that a chosen theme never flashes the other one. A file of its own because
// the server's content security policy allows no inline script.
try {
  const theme = localStorage.getItem('holdfast-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage is switched off: the system's choice of light or dark applies.
}
