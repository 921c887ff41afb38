import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodingCases } from './conformance/encoding-cases.ts';
import { keyCases } from './conformance/key-cases.ts';
import { lookUpCases } from './conformance/look-up-cases.ts';
import {
  conformanceRig,
  type ConformanceCase,
  type ConformanceRig,
  type ProviderTraits,
  type ProviderUnderTest,
} from './conformance/provider-under-test.ts';
import { submissionCases } from './conformance/submission-cases.ts';
import { webhookCases } from './conformance/webhook-cases.ts';
import { wireCases } from './conformance/wire-cases.ts';

/** All that an adapter must keep with a provider of these traits. What a provider cannot do is a promise too: it says so. */
export const conformanceCases = (traits: ProviderTraits): readonly ConformanceCase[] => [
  ...encodingCases(traits),
  ...wireCases,
  ...submissionCases(traits),
  ...lookUpCases(traits),
  ...webhookCases(traits),
  // Last, since it moves the provider's clock.
  ...keyCases(traits),
];

/** What every adapter must keep, whoever the provider is. Parameterised by a provider to be tested against. */
export const describeAdapterContract = (
  name: string,
  traits: ProviderTraits,
  start: () => Promise<ProviderUnderTest>,
): void => {
  describe(`${name} keeps the adapter's contract`, () => {
    let rig: ConformanceRig;
    beforeAll(async () => {
      rig = conformanceRig(await start(), traits);
    });
    afterAll(async () => {
      await rig.provider.stop();
    });

    test('is the adapter that the contract is of', () => {
      expect(rig.provider.adapter.contract).toBe(traits.contract);
    });

    for (const { name: promise, run } of conformanceCases(traits)) {
      test(promise, () => run(rig));
    }
  });
};
