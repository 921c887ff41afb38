/** So many are shown; the rest is counted. Memory does not grow with what is found. */
const mostShown = 1_000;

export const collect = <Found>() => {
  const shown: Found[] = [];
  let total = 0;
  return {
    shown,
    total: () => total,
    tell: (found: Found): void => {
      total += 1;
      if (shown.length < mostShown) shown.push(found);
    },
  };
};
