import type Stripe from 'stripe';
import type { DisputeRecord } from '../ledger/records.ts';

const secondsToAnswer = 14 * 24 * 60 * 60;

/** An inquiry (`warning_…`) and a dispute that was won leave the charge refundable; all else does not. */
export function blocksRefunds(dispute: DisputeRecord): boolean {
  return dispute.status !== 'won' && !dispute.status.startsWith('warning_');
}

export function isClosed(dispute: DisputeRecord): boolean {
  return ['won', 'lost', 'warning_closed'].includes(dispute.status);
}

export function toDispute(record: DisputeRecord): Stripe.Dispute {
  return {
    id: record.id,
    object: 'dispute',
    amount: record.amount,
    balance_transactions: [],
    charge: record.charge,
    created: record.created,
    currency: record.currency,
    enhanced_eligibility_types: [],
    evidence: noEvidence,
    evidence_details: {
      due_by: isClosed(record) ? null : record.created + secondsToAnswer,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: null,
    is_charge_refundable: !blocksRefunds(record),
    livemode: false,
    metadata: {},
    payment_intent: record.paymentIntent,
    reason: record.reason,
    status: record.status,
  };
}

const noEvidence: Stripe.Dispute.Evidence = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  enhanced_evidence: {},
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
};
