import { brokenIn } from './small-promises.ts';
import { movesOf } from './small-moves.ts';
import { beginning, type Budgets, type SmallWorld } from './small-world.ts';

export type Exploration = {
  readonly states: number;
  readonly moves: number;
  /** The shortest way to a broken promise; `null`: none is broken anywhere. */
  readonly broken: {
    readonly promise: string;
    readonly way: readonly string[];
    readonly world: SmallWorld;
  } | null;
};

type Reached = { readonly world: SmallWorld; readonly from: string | null; readonly by: string };

/** Breadth first, so that the first way to a broken promise is a shortest one. */
export const explore = (begin: SmallWorld): Exploration => {
  const reached = new Map<string, { readonly from: string | null; readonly by: string }>();
  let edge: Reached[] = [{ world: begin, from: null, by: 'approved' }];
  let moves = 0;
  reached.set(JSON.stringify(begin), { from: null, by: 'approved' });
  const wayTo = (key: string): readonly string[] => {
    const way: string[] = [];
    for (let at: string | null = key; at !== null;) {
      const step: { readonly from: string | null; readonly by: string } | undefined = reached.get(at);
      way.unshift(step?.by ?? '');
      at = step?.from ?? null;
    }
    return way;
  };
  while (edge.length > 0) {
    const beyond: Reached[] = [];
    for (const { world } of edge) {
      const key = JSON.stringify(world);
      const promise = brokenIn(world);
      if (promise !== null) {
        return { states: reached.size, moves, broken: { promise, way: wayTo(key), world } };
      }
      for (const { name, to } of movesOf(world)) {
        moves += 1;
        const toKey = JSON.stringify(to);
        if (reached.has(toKey)) continue;
        reached.set(toKey, { from: key, by: name });
        beyond.push({ world: to, from: key, by: name });
      }
    }
    edge = beyond;
  }
  return { states: reached.size, moves, broken: null };
};

const none: Budgets = { crashes: 0, events: 0, looks: 0, byHand: 0, lateFailures: 0, people: 0, attempts: 2 };

/** Worlds that together have two workers, a crash, events, look-ups, a refund by hand, a late failure and people. */
export const smallWorlds: readonly { readonly name: string; readonly left: Budgets }[] = [
  {
    name: 'two workers, a crash, an event, a look-up, a refund by hand',
    left: { ...none, crashes: 1, events: 1, looks: 1, byHand: 1 },
  },
  {
    name: 'a crash, an event, a look-up and a late failure',
    left: { ...none, crashes: 1, events: 1, looks: 1, lateFailures: 1 },
  },
  { name: 'two events, a late failure', left: { ...none, events: 2, lateFailures: 1 } },
  { name: 'two look-ups, a crash, a refund by hand', left: { ...none, crashes: 1, looks: 2, byHand: 1 } },
  {
    name: 'people, an event, a look-up and a refund by hand',
    left: { ...none, events: 1, looks: 1, byHand: 1, people: 1 },
  },
];

export const exploreAll = (say: (line: string) => void): boolean => {
  let total = 0;
  for (const { name, left } of smallWorlds) {
    const { states, moves, broken } = explore(beginning(left));
    total += states;
    say(
      `${name}: ${String(states)} states, ${String(moves)} moves${broken === null ? '' : `, and “${broken.promise}” is broken:`}`,
    );
    if (broken === null) continue;
    for (const step of broken.way) say(`  ${step}`);
    say(JSON.stringify(broken.world));
    return false;
  }
  say(`${String(total)} states, every one visited; nothing was broken`);
  return true;
};
