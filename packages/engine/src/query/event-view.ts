/** Parts of a provider's object that no operator needs to settle anything: what names the customer, or their card. */
const kept = new Set([
  ...['id', 'object', 'type', 'api_version', 'created', 'livemode', 'account', 'data', 'previous_attributes'],
  ...['request', 'idempotency_key', 'pending_webhooks', 'amount', 'currency', 'status', 'reason'],
  ...['failure_reason', 'failure_code', 'payment_intent', 'charge', 'metadata', 'holdfast_operation'],
  ...['holdfast_organisation', 'amount_refunded', 'captured', 'refunded', 'balance_transaction'],
  ...['failure_balance_transaction', 'destination_details', 'amount_captured', 'refunds', 'has_more'],
]);

const hidden = '(hidden)';

/** What a webhook said, with everything hidden that is not on the list above: names stay, values go. */
const redact = (value: unknown, depth = 0): unknown => {
  if (depth > 8) return hidden;
  if (Array.isArray(value)) return value.slice(0, 50).map((one) => redact(one, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inside]) => {
      // What the event is about stands under "object" as a whole thing, and elsewhere as a word.
      const open = kept.has(name);
      return [name, open || inside === null ? redact(inside, depth + 1) : hidden];
    }),
  );
};

/** A received event for the eyes of operators. What cannot be read is not shown at all. */
export const redactedEvent = (raw: string): string => {
  try {
    return JSON.stringify(redact(JSON.parse(raw)), null, 2);
  } catch {
    return hidden;
  }
};
