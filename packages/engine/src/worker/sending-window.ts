/**
 * How many submissions to one provider account this process has under way at once: few at first, one more with every
 * few that the provider answers well, few again once it says "too many". A provider that allows little is thus met with
 * little, and one that allows much is not made to wait.
 */
export type SendingWindow = {
  /** Resolves once there is room for one more. */
  readonly enter: () => Promise<void>;
  readonly leave: () => void;
  readonly answered: () => void;
  readonly refused: () => void;
};

const smallest = 8;
/** By how much each good answer makes it larger: a limit is to be met with little more than was within it before. */
const growth = 1 / 8;

/**
 * Of its places: once all were taken, the next ones are let in when so many are free, so that what has to be asked and
 * written for them is done together.
 */
const letInTogether = 1 / 4;

export const createSendingWindow = (largest: number): SendingWindow => {
  let size = Math.min(smallest, largest);
  let underWay = 0;
  let isFull = false;
  const waiting: (() => void)[] = [];
  const letIn = (): void => {
    const free = Math.floor(size) - underWay;
    if (isFull && free < Math.floor(size * letInTogether)) return;
    while (underWay < Math.floor(size)) {
      const next = waiting.shift();
      isFull = false;
      if (next === undefined) return;
      underWay += 1;
      next();
    }
    isFull = true;
  };
  return {
    enter: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        letIn();
      }),
    leave: () => {
      underWay -= 1;
      letIn();
    },
    answered: () => {
      size = Math.min(size + growth, largest);
      letIn();
    },
    refused: () => {
      size = Math.min(smallest, largest);
    },
  };
};
