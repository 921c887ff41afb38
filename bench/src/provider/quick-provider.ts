import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { openLedger, type Ledger, type StripeRefund } from './ledger.ts';

/**
 * A provider that answers after a fixed time and keeps everything in memory, so that a measurement shows us and not
 * somebody's disk. It speaks the Stripe paths that the server calls, and prints the port it listens on.
 */

const answerMs = Number(process.env['QUICK_PROVIDER_MS'] ?? '2');
const ledger = openLedger();

type Answer = { readonly status: number; readonly body: unknown; readonly replayed?: boolean };

const listOf = (data: readonly unknown[], hasMore = false): Answer => ({
  status: 200,
  body: { object: 'list', data, has_more: hasMore, url: '/v1' },
});

const missing = (what: string): Answer => ({
  status: 404,
  body: { error: { type: 'invalid_request_error', code: 'resource_missing', message: `No such ${what}` } },
});

const pageOf = (refunds: readonly StripeRefund[], query: URLSearchParams): Answer => {
  const limit = Number(query.get('limit') ?? '10');
  const after = query.get('starting_after');
  const from = after === null ? 0 : refunds.findIndex(({ id }) => id === after) + 1;
  return listOf(refunds.slice(from, from + limit), refunds.length > from + limit);
};

const answerTo = (request: IncomingMessage, body: string): Answer => {
  const url = new URL(request.url ?? '/', 'http://provider');
  const { pathname: path, searchParams: query } = url;
  if (request.method === 'POST' && path === '/v1/refunds') {
    const made = ledger.create(String(request.headers['idempotency-key'] ?? ''), new URLSearchParams(body));
    return { status: 200, body: made.refund, replayed: made.replayed };
  }
  if (path === '/v1/refunds') {
    const payment = query.get('payment_intent');
    if (payment !== null) return pageOf(ledger.ofPayment(payment), query);
    return ledger.pageSince(Number(query.get('created[gte]') ?? '0'), query, listOf);
  }
  const [, kind, id] = /^\/v1\/(refunds|payment_intents)\/([\w-]+)$/.exec(path) ?? [];
  if (kind === 'refunds' && id !== undefined) {
    const refund = ledger.byId(id);
    return refund === undefined ? missing('refund') : { status: 200, body: refund };
  }
  if (kind === 'payment_intents' && id !== undefined) {
    const body = { id, object: 'payment_intent', amount: 10_000, amount_received: 10_000, currency: 'eur' };
    return { status: 200, body: { ...body, status: 'succeeded' } };
  }
  if (path === '/v1/disputes' || path === '/v1/events') return listOf([]);
  if (path === '/v1/account') return { status: 200, body: { id: 'acct_bench', object: 'account' } };
  if (path === '/v1/balance') return { status: 200, body: { object: 'balance', livemode: false } };
  return missing('path');
};

const send = (response: ServerResponse, { status, body, replayed }: Answer): void => {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': bytes.byteLength,
    'request-id': 'req_bench',
    ...(replayed === true ? { 'idempotent-replayed': 'true' } : {}),
  });
  response.end(bytes);
};

const summary = (of: Ledger): Answer => ({ status: 200, body: of.summary() });

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => (body += chunk));
  request.on('end', () => {
    if (request.url === '/bench/summary') {
      send(response, summary(ledger));
      return;
    }
    const answer = answerTo(request, body);
    setTimeout(() => {
      send(response, answer);
    }, answerMs);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address !== 'string') process.stdout.write(`port ${String(address.port)}\n`);
});
const leave = (): void => {
  process.exit(0);
};
process.on('SIGTERM', leave);
process.on('SIGINT', leave);
