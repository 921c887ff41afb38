import type { DemoFault } from '../demo/demo-mode.svelte.ts';

const faultWords: Record<DemoFault, { name: string; what: string; bar: string }> = {
  offline: {
    name: 'No connection',
    what: 'Every request of this browser is cut before Holdfast reads it. Save something and watch it wait.',
    bar: 'this browser pretends to be offline',
  },
  flapping: {
    name: 'Comes and goes every 2 seconds',
    what: 'Two seconds with a connection, two without. What was on its way is cut.',
    bar: "this browser's connection comes and goes every 2 seconds",
  },
  'lost-answers': {
    name: 'Answers are lost',
    what: 'Holdfast carries out what you send, and the connection breaks before you hear of it. Propose a refund: it happens once, however often it is sent.',
    bar: 'Holdfast does what this browser asks, and every answer is lost',
  },
  portal: {
    name: 'Hotel Wi-Fi',
    what: 'A sign-in page of the network answers instead of Holdfast, as in a hotel or on a train.',
    bar: "a hotel's sign-in page answers instead of Holdfast",
  },
  expired: {
    name: 'The session ends',
    what: 'Holdfast answers that it does not know you any more. What you saved waits for your sign-in.',
    bar: 'Holdfast answers that the session has ended',
  },
  slow: {
    name: 'Slow: 3 seconds',
    what: 'Every request takes three seconds longer.',
    bar: 'every request takes 3 seconds longer',
  },
};

/** The demo's bad networks: what each does, and the bar that says that one is on. */
export const demo = {
  open: 'Try bad networks',
  title: 'Try bad networks',
  lead: 'These are real: the demo server cuts, delays or loses what this browser sends. Only this browser is concerned, and only in the demo.',
  networkLabel: 'Network',
  none: 'As it is',
  noneWhat: 'Nothing is changed.',
  faults: faultWords,
  clockLabel: "This device's clock",
  clocks: { '-1': 'One day behind', '0': 'Right', '1': 'One day ahead' } as Record<string, string>,
  clockWhat: 'What is saved here carries this time. What Holdfast says carries its own.',
  bar: (what: string) => `Demo: ${what}.`,
  clockBar: (shift: number) =>
    shift > 0 ? "this device's clock is one day ahead" : "this device's clock is one day behind",
  both: (one: string, other: string) => `${one}, and ${other}`,
  off: 'Switch off',
  change: 'Change',
};
