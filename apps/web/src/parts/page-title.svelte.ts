let waiting = $state(0);

/** How many proposals wait for this person: it stands before the title of every page, as a tab shows it. */
export const setWaitingCount = (count: number): void => {
  waiting = count;
};

export const pageTitle = (title: string, product: string): string =>
  `${waiting > 0 ? `(${waiting}) ` : ''}${title} · ${product}`;
