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

export const createSendingWindow = (largest: number): SendingWindow => {
  let size = Math.min(smallest, largest);
  let underWay = 0;
  const waiting: (() => void)[] = [];
  const letIn = (): void => {
    while (underWay < Math.floor(size)) {
      const next = waiting.shift();
      if (next === undefined) return;
      underWay += 1;
      next();
    }
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
