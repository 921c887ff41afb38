import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A provider whose ledger is as long as it is told, without holding it: each refund is made as its page is asked for. It
 * speaks as much of Stripe's interface as a sweep asks. A process of its own, so that none of it is in the sweep's memory.
 *
 * Refund number i belongs to operation number i. Three operations have a second refund, two refunds were made by hand, and
 * one operation's refund is missing.
 */
const [records = 0, organisationId = ''] = [Number(process.argv[2]), process.argv[3]];
const nowSeconds = Math.floor(Date.now() / 1000);

const at = (share: number): number => Math.floor(records * share);
const second = new Set([at(0.1), at(0.5), at(0.9)]);
const byHand = new Set([at(0.3), at(0.7)]);
const missing = at(0.6);

const operationId = (number: number): string =>
  `01890000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;

const refundOf = (number: number, more: Record<string, unknown> = {}) => ({
  id: `re_big${String(number)}`,
  object: 'refund',
  amount: 100,
  balance_transaction: null,
  charge: `ch_big${String(number)}`,
  // All within a day.
  created: nowSeconds - 600 - Math.floor((number / records) * 80_000),
  currency: 'eur',
  description: null,
  destination_details: {
    card: { reference: '6543201', reference_status: 'available', type: 'refund' },
    type: 'card',
  },
  failure_reason: null,
  metadata: { holdfast_organisation: organisationId, holdfast_operation: operationId(number) },
  next_action: null,
  payment_intent: `pi_big${String(number)}`,
  reason: 'requested_by_customer',
  receipt_number: null,
  source_transfer_reversal: null,
  status: 'succeeded',
  transfer_reversal: null,
  ...more,
});

/** What stands right behind refund number i. */
const behind = (number: number) =>
  second.has(number)
    ? refundOf(number, { id: `re_big${String(number)}twice`, created: nowSeconds })
    : byHand.has(number)
      ? refundOf(number, { id: `re_big${String(number)}hand`, metadata: {}, amount: 50 })
      : null;

const pageAfter = (cursor: string | null, limit: number) => {
  const [, number = '-1', kind = ''] = /^re_big(\d+)(twice|hand)?$/.exec(cursor ?? 're_big') ?? [];
  const data: unknown[] = [];
  let next = Number(number);
  const add = (refund: unknown): void => {
    if (refund !== null && data.length <= limit) data.push(refund);
  };
  if (next >= 0 && kind === '') add(behind(next));
  while (data.length <= limit && next < records - 1) {
    next += 1;
    if (next !== missing) add(refundOf(next));
    add(behind(next));
  }
  return { object: 'list', url: '/v1/refunds', has_more: data.length > limit, data: data.slice(0, limit) };
};

const answer = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};
const none = { object: 'list', has_more: false, data: [] };

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://double');
  const [, single] = /^\/v1\/refunds\/(.+)$/.exec(pathname) ?? [];
  if (pathname === '/v1/refunds') {
    return answer(
      response,
      200,
      pageAfter(searchParams.get('starting_after'), Number(searchParams.get('limit') ?? 10)),
    );
  }
  if (single !== undefined) {
    const error = {
      type: 'invalid_request_error',
      code: 'resource_missing',
      message: `No such refund: '${single}'`,
    };
    return single === `re_big${String(missing)}`
      ? answer(response, 404, { error })
      : answer(response, 500, {
          error: { type: 'api_error', message: 'Only the missing one is asked for.' },
        });
  }
  if (pathname === '/v1/account') return answer(response, 200, { id: 'acct_big', object: 'account' });
  if (pathname === '/v1/balance') return answer(response, 200, { object: 'balance', livemode: false });
  return answer(response, 200, none);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${String((server.address() as AddressInfo).port)}\n`);
});
process.stdin.on('end', () => process.exit(0)).resume();
