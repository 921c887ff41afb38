import type { Plan } from '../world/plan.ts';
import type { Violation } from '../world/violation.ts';

/** Lives one history and says what was broken in it. */
export type LiveOne = (plan: Plan) => Promise<Violation | null>;

/** The least of each that a history can do with. */
const least = { orders: 1, refunds: 1, workers: 1, devices: 2, faultsForMs: 4_000 } as const;
type Figure = keyof typeof least;
const figures: readonly Figure[] = ['refunds', 'orders', 'workers', 'devices', 'faultsForMs'];

/** Troubles in so many parts of nearly the same size. */
const partsOf = <Item>(items: readonly Item[], parts: number): readonly (readonly Item[])[] => {
  const size = Math.ceil(items.length / parts);
  return Array.from({ length: parts }, (_, index) => items.slice(index * size, (index + 1) * size)).filter(
    (part) => part.length > 0,
  );
};

/** Plans without a part of the troubles: halves first, single ones last. */
function* withoutTroubles(plan: Plan): Generator<Plan> {
  for (let parts = 2; parts < plan.troubles.length * 2; parts *= 2) {
    for (const gone of partsOf(plan.troubles, Math.min(parts, plan.troubles.length))) {
      yield { ...plan, troubles: plan.troubles.filter((trouble) => !gone.includes(trouble)) };
    }
  }
  if (plan.troubles.length === 1) yield { ...plan, troubles: [] };
}

/** Plans with less of one thing: the least first, then halfway there, then a little less. */
function* withLess(plan: Plan, figure: Figure): Generator<Plan> {
  const [now, end] = [plan[figure], least[figure]];
  const step = figure === 'faultsForMs' ? 1_000 : 1;
  const tried = new Set<number>();
  for (const share of [1, 1 / 2, 1 / 4]) {
    const less = now - Math.max(step, Math.floor(((now - end) * share) / step) * step);
    if (less < end || tried.has(less)) continue;
    tried.add(less);
    yield { ...plan, [figure]: less };
  }
}

function* smaller(plan: Plan): Generator<Plan> {
  yield* withoutTroubles(plan);
  for (const figure of figures) yield* withLess(plan, figure);
}

const mostRuns = 150;

/** The same promise, broken in the same way. Of what nothing covers only the first words say whether it is the same. */
const isSame = (one: Violation | null, other: Violation): boolean =>
  one?.kind === other.kind &&
  one.promise === other.promise &&
  (other.kind !== 'crash' || firstWords(one) === firstWords(other));

const firstWords = ({ message }: Violation): string =>
  (message.split('\n')[0] ?? '').replaceAll(/[0-9a-f-]{8,}|\d+/g, '#');

/** Makes a history smaller for as long as the same promise is broken in it in the same way. */
export const shrink = async (
  plan: Plan,
  broken: Violation,
  live: LiveOne,
): Promise<{ readonly plan: Plan; readonly runs: number }> => {
  const tried = new Set([JSON.stringify(plan)]);
  let best = plan;
  let runs = 0;
  for (let found = true; found;) {
    found = false;
    for (const candidate of smaller(best)) {
      const key = JSON.stringify(candidate);
      if (tried.has(key)) continue;
      if (runs >= mostRuns) return { plan: best, runs };
      tried.add(key);
      runs += 1;
      if (!isSame(await live(candidate), broken)) continue;
      best = candidate;
      found = true;
      break;
    }
  }
  return { plan: best, runs };
};
