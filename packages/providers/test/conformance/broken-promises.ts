import { conformanceCases } from '../adapter-contract-suite.ts';
import { conformanceRig, type ProviderTraits, type ProviderUnderTest } from './provider-under-test.ts';

/** The names of the promises that an adapter breaks. `atMost`: no further case is run once so many are. */
export const brokenPromises = async (
  provider: ProviderUnderTest,
  traits: ProviderTraits,
  atMost = Number.POSITIVE_INFINITY,
): Promise<readonly string[]> => {
  const rig = conformanceRig(provider, traits);
  const broken: string[] = [];
  for (const { name, run } of conformanceCases(traits)) {
    if (broken.length >= atMost) break;
    try {
      await run(rig);
    } catch {
      broken.push(name);
    }
  }
  return broken;
};
