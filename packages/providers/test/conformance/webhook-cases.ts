import { expect } from 'vitest';
import type { VerifiedEvent } from '@holdfast/providers';
import {
  eur,
  organisationId,
  patientMs,
  type ConformanceCase,
  type ConformanceRig,
  type ProviderTraits,
} from './provider-under-test.ts';

const eventsAbout = async (
  { verified }: ConformanceRig,
  request: ReturnType<ConformanceRig['refundOf']>,
  isWanted: (event: VerifiedEvent) => boolean,
): Promise<readonly VerifiedEvent[]> => {
  await expect.poll(() => verified(request).filter(isWanted), { timeout: patientMs }).not.toEqual([]);
  return verified(request).filter(isWanted);
};

const joined = (traits: ProviderTraits): readonly ConformanceCase[] => [
  {
    name: 'a webhook about our refund says whose it is, of which payment, and how the refund stands',
    run: async (rig) => {
      const { provider, refundOf, submit } = rig;
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      const { finding } = await submit(request);
      if (finding.kind !== 'accepted') throw new Error(JSON.stringify(finding));
      const { reference } = finding.record;
      const events = await eventsAbout(rig, request, ({ record }) => record?.status === 'succeeded');
      expect(events).toContainEqual(
        expect.objectContaining({
          ...{ metadataOrganisationId: organisationId, metadataOperationId: request.operationId },
          ...{ paymentReference: request.paymentReference, liveMode: false },
          idempotencyKey: traits.webhooks === 'key-and-metadata' ? request.idempotencyKey : null,
          record: expect.objectContaining({ reference, amount: eur(2_500) }) as unknown,
        }),
      );
    },
  },
  {
    name: 'the answer was lost: the webhook alone tells that it was done, and for which operation',
    run: async (rig) => {
      const { provider, refundOf, submit } = rig;
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      await provider.trouble(request.paymentReference, 'answer-lost');
      expect((await submit(request)).finding.kind).toBe('unknown');
      const [reference] = await provider.books(request.paymentReference);
      const events = await eventsAbout(rig, request, ({ record }) => record?.status === 'succeeded');
      expect(events[0]).toMatchObject({
        ...{ metadataOperationId: request.operationId, record: { reference, amount: eur(2_500) } },
      });
    },
  },
  {
    name: 'a success and the failure after it are two events of one refund',
    run: async (rig) => {
      const { provider, refundOf, submit } = rig;
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      const { finding } = await submit(request);
      if (finding.kind !== 'accepted') throw new Error(JSON.stringify(finding));
      await eventsAbout(rig, request, ({ record }) => record?.status === 'succeeded');
      await provider.failRefund(finding.record.reference);
      await eventsAbout(rig, request, ({ record }) => record?.status === 'failed');
      const ids = rig.verified(request).map(({ eventId }) => eventId);
      expect(new Set(ids).size).toBe(ids.length);
    },
  },
  {
    // Red when: any byte of a delivery can be changed without its signature breaking.
    name: 'a delivery that was changed, signed by another, or not at all, is refused',
    run: async (rig) => {
      const { provider, refundOf, submit } = rig;
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      await submit(request);
      await eventsAbout(rig, request, ({ record }) => record !== null);
      const [delivery] = provider.webhooks(request.paymentReference);
      if (delivery === undefined) throw new Error('nothing was delivered');
      const { verifyWebhook } = provider.adapter;
      const text = new TextDecoder().decode(delivery.rawBody);
      for (const changed of [
        text.replaceAll('2500', '9900'),
        text.replaceAll(request.operationId, organisationId),
      ]) {
        expect(changed).not.toBe(text);
        const bytes = new TextEncoder().encode(changed);
        const verdict = verifyWebhook(bytes, delivery.signature, [provider.webhookSecret], Date.now());
        expect(verdict.ok).toBe(false);
      }
      expect(verifyWebhook(delivery.rawBody, delivery.signature, [], Date.now()).ok).toBe(false);
      const other = [`a1${provider.webhookSecret}`, '', 'not a secret at all'];
      expect(verifyWebhook(delivery.rawBody, delivery.signature, other, Date.now()).ok).toBe(false);
    },
  },
];

const nothingVerifies: ConformanceCase = {
  name: 'rubbish is refused as a delivery, whatever its signature, and breaks nothing',
  run: async ({ provider }) => {
    for (const text of [
      '',
      '{}',
      '[]',
      'null',
      '{"notificationItems":[{}]}',
      '<html>',
      '{"id":"evt_1"}',
      '\u0000',
    ]) {
      for (const signature of [undefined, '', 't=1,v1=00', 'x'.repeat(5_000)]) {
        const bytes = new TextEncoder().encode(text);
        const secrets = [provider.webhookSecret, '', 'zz'];
        expect(provider.adapter.verifyWebhook(bytes, signature, secrets, Date.now()).ok).toBe(false);
      }
    }
  },
};

export const webhookCases = (traits: ProviderTraits): readonly ConformanceCase[] => [
  nothingVerifies,
  ...(traits.webhooks === 'none' ? [] : joined(traits)),
];
