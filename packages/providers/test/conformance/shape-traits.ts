import { adyenContract } from '../../src/adyen/adyen.ts';
import { mollieContract } from '../../src/mollie/mollie.ts';
import { paypalContract } from '../../src/paypal/paypal.ts';
import { squareContract } from '../../src/square/square.ts';
import { singleShotContract, statementContract } from '../../src/single-shot/single-shot.ts';
import type { ProviderTraits } from './provider-under-test.ts';

const silent: Omit<ProviderTraits, 'contract' | 'unknownPayment'> = {
  ...{ marksReplays: false, savesServerErrors: false, acceptsAs: 'succeeded', refusesTooMuch: 'at-once' },
  ...{ wholeRefundDecline: 'exceeds-unrefunded', disputes: 'none', asksAboutOneRefund: false },
  ...{ listsSince: false, saysAccount: false, webhooks: 'none', pageSize: null, hasUnpublishedKeys: false },
};

export const adyenTraits: ProviderTraits = {
  ...silent,
  ...{ contract: adyenContract, acceptsAs: 'pending', refusesTooMuch: 'by-webhook', webhooks: 'metadata' },
  unknownPayment: 'NEVERHEARDOF0001',
};

export const paypalTraits: ProviderTraits = {
  ...silent,
  ...{ contract: paypalContract, wholeRefundDecline: 'already-refunded', asksAboutOneRefund: true },
  unknownPayment: 'NEVERHEARDOF0001',
};

export const mollieTraits: ProviderTraits = {
  ...silent,
  ...{ contract: mollieContract, acceptsAs: 'pending', disputes: 'shown', asksAboutOneRefund: true },
  ...{ listsSince: true, saysAccount: true, pageSize: 250, unknownPayment: 'tr_never_heard_of' },
};

export const squareTraits: ProviderTraits = {
  ...silent,
  ...{ contract: squareContract, acceptsAs: 'pending', asksAboutOneRefund: true, listsSince: true },
  ...{ hasUnpublishedKeys: true, pageSize: 100, unknownPayment: 'never-heard-of' },
};

export const singleShotTraits: ProviderTraits = {
  ...silent,
  ...{ contract: singleShotContract, unknownPayment: 'never-heard-of' },
};

export const statementTraits: ProviderTraits = { ...singleShotTraits, contract: statementContract };
