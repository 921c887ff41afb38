import { expect, test } from 'vitest';
import { shrink } from '../src/run/shrink.ts';
import { troubles, type Plan, type Trouble } from '../src/world/plan.ts';
import { Violation, type ViolationKind } from '../src/world/violation.ts';

const everything: Plan = {
  ...{ seed: 1, troubles, orders: 4, refunds: 12, workers: 2, devices: 4 },
  ...{ faultsForMs: 90_000, intensity: 1, keyWindowMs: 60_000, capturedMinor: null },
};

const broken = (promise: string, detail = '', kind: ViolationKind = 'safety'): Violation =>
  new Violation(kind, promise, detail);

const needs = (plan: Plan, ...wanted: readonly Trouble[]): boolean =>
  wanted.every((trouble) => plan.troubles.includes(trouble));

// Red when: troubles are only taken away one after the other and the runs are used up before the figures are looked at.
test('what is left of a plan is what the failure needs, and nothing else', async () => {
  let lived = 0;
  const { plan, runs } = await shrink(everything, broken('once'), (tried) => {
    lived += 1;
    const fails = needs(tried, 'crashes', 'listing-lag') && tried.refunds >= 3 && tried.faultsForMs >= 20_000;
    return Promise.resolve(fails ? broken('once') : null);
  });
  expect(plan).toMatchObject({ troubles: ['crashes', 'listing-lag'], refunds: 3, orders: 1, workers: 1 });
  expect(plan.devices).toBe(2);
  expect(plan.faultsForMs).toBeLessThan(30_000);
  expect(runs).toBe(lived);
  expect(runs).toBeLessThan(80);
});

// Red when: any failure counts, as where a smaller plan breaks something else.
test('a smaller plan that breaks another promise is not the same failure', async () => {
  const { plan } = await shrink(everything, broken('once'), (tried) =>
    Promise.resolve(needs(tried, 'network', 'tabs') ? broken('once') : broken('shown')),
  );
  expect(plan.troubles).toEqual(['network', 'tabs']);
});

// Red when: two crashes count as the same because both are crashes.
test('another crash is not the same failure, and the same one with other IDs in it is', async () => {
  const crash = (text: string): Violation => broken('nothing breaks that no verdict covers', text, 'crash');
  const { plan } = await shrink(everything, crash('Error: no row 17 of 019b8d62'), (tried) =>
    Promise.resolve(
      needs(tried, 'policy') ? crash('Error: no row 4 of 019b9999') : crash('TypeError: undefined'),
    ),
  );
  expect(plan.troubles).toEqual(['policy']);
});

// Red when: the last trouble of all is kept for want of a half to take away.
test('a failure that needs no trouble keeps none', async () => {
  const { plan } = await shrink(everything, broken('once'), () => Promise.resolve(broken('once')));
  expect(plan).toEqual({
    ...everything,
    ...{ troubles: [], orders: 1, refunds: 1, workers: 1, devices: 2, faultsForMs: 4_000 },
  });
});
