import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSingleShotAdapter } from '../src/single-shot/single-shot.ts';
import { createTemplateAdapter } from '../src/template/template-adapter.ts';
import { templateContract } from '../src/template/template-contract.ts';
import { conformanceCases } from './adapter-contract-suite.ts';
import { brokenPromises } from './conformance/broken-promises.ts';
import type { ProviderTraits, ProviderUnderTest } from './conformance/provider-under-test.ts';
import { singleShotTraits } from './conformance/shape-traits.ts';
import { startFakeShape } from './fake-providers-under-test.ts';

let gateway: ProviderUnderTest;
beforeAll(async () => {
  gateway = await startFakeShape('gateway', singleShotTraits, ({ credential: password, apiBase }) =>
    createSingleShotAdapter({ password, apiBase, books: 'none', nowMs: Date.now }),
  );
});
afterAll(() => gateway.stop());

describe('the template for an adapter', () => {
  const create = (apiKey: string, apiBase: string) =>
    createTemplateAdapter({ apiKey, apiBase, nowMs: Date.now });

  // Red when: the suite lets an adapter pass that does nothing, so that a new one could be called finished unwritten.
  test('fails its suite until it is right: every promise but those that it keeps by doing nothing', async () => {
    const traits: ProviderTraits = { ...singleShotTraits, contract: templateContract };
    const adapter = create('key', 'http://127.0.0.1:9');
    const over: ProviderUnderTest = {
      ...gateway,
      adapter,
      adapterWithBadKey: adapter,
      adapterAt: (base) => create('key', base),
    };
    const broken = await brokenPromises(over, traits);
    const kept = conformanceCases(traits)
      .map(({ name }) => name)
      .filter((name) => !broken.includes(name));
    // Whatever makes no bytes keeps these; nothing that a refund needs is among them.
    for (const name of kept)
      expect(name).toMatch(
        /makes no bytes|no silence|cannot be|listed since|rubbish|KWD|ISK|MGA|JPY|EUR:|USD:/,
      );
    expect(broken.length).toBeGreaterThanOrEqual(20);
    expect(broken).toContain('rate limited: nothing done, later, and when');
    expect(broken).toContain('nobody listens there: proved not sent');
    expect(broken.filter((name) => name.startsWith('F004'))).toHaveLength(8);
  });

  test('a finished adapter over the same provider breaks none', async () => {
    expect(await brokenPromises(gateway, singleShotTraits)).toEqual([]);
  });
});
