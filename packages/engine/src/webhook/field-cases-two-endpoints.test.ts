import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { createStripeAdapter } from '@holdfast/providers/stripe';
import type { ProviderAccount } from '../engine-interface.ts';
import { receiveWebhook } from './receive-webhook.ts';

const adapter = createStripeAdapter({ secretKey: 'sk_test_x', nowMs: () => 0 });
const accountWith = (name: string): ProviderAccount => ({
  organisationId: `organisation-${name}`,
  accountId: `acct_${name}`,
  liveMode: false,
  fake: true,
  adapter,
  webhookSecrets: [`whsec_${name}`],
});
const atSeconds = 1_795_953_600;
const body = new TextEncoder().encode(
  '{"id":"evt_1","object":"event","type":"refund.updated" , "created":1795953600,"livemode":false,' +
    '"data":{"object":{"metadata":{"note":"Größe – 返金 🎁"}}}}',
);

/** Whose event it is taken for, or why it is refused. */
const taken = async (accounts: readonly ProviderAccount[], secret: string): Promise<string> => {
  const hmac = createHmac('sha256', secret)
    .update(`${String(atSeconds)}.`)
    .update(body);
  let storedFor = '';
  const answer = await receiveWebhook(
    {
      providers: {
        accounts: () => accounts,
        accountOf: (id) => accounts.find(({ organisationId }) => organisationId === id),
      },
      nowMs: () => Promise.resolve(atSeconds * 1000),
      store: (account, _event, raw) => {
        expect(raw).toBe(body);
        storedFor = account.organisationId;
        return Promise.resolve('stored');
      },
    },
    body,
    `t=${String(atSeconds)},v1=${hmac.digest('hex')}`,
  );
  return answer.kind === 'refused' ? answer.because : storedFor;
};

// Red when: the first account is asked alone, or an event is taken for an account whose secret did not sign it.
test('F051: of two endpoints each event is taken for the one whose secret signed it, and for no other', async () => {
  const [one, two] = [accountWith('one'), accountWith('two')];
  expect(await taken([one, two], 'whsec_one')).toBe('organisation-one');
  expect(await taken([one, two], 'whsec_two')).toBe('organisation-two');
  expect(await taken([one], 'whsec_two')).toBe('bad-signature');
  expect(await taken([two], 'whsec_one')).toBe('bad-signature');
});
