import postgres from 'postgres';

/** Orders that can be refunded, the same ones in both databases. Each is used for one operation. */
export type Stock = {
  readonly organisationId: string;
  /** Puts this many more orders into both databases, and refreshes what their planners know. */
  readonly add: (count: number) => Promise<void>;
  /** The numbers of orders that nobody has used, in the product's database and in the bare one. */
  readonly nextForProduct: () => number;
  readonly nextForBare: () => number;
};

export const orderOf = (number: number): string => `order-${String(number)}`;
export const paymentOf = (number: number): string => `pi_bench_${String(number)}`;
export const returnOf = (number: number): string => `return-${String(number)}`;
export const customerOf = (number: number): string => `customer-${String(number)}`;
export const amountMinor = 4_999;

/** Rows as the shop's feed leaves them: a captured payment, its order with one line, a return that has arrived. */
const addOrders = async (
  sql: postgres.Sql,
  organisationId: string,
  from: number,
  to: number,
): Promise<void> => {
  await sql.begin(async (tx) => {
    await tx`
      insert into payments (org_id, provider, payment_reference, currency, captured)
      select ${organisationId}, 'stripe', 'pi_bench_' || n, 'EUR', 10000
      from generate_series(${from}::int, ${to}::int) n`;
    await tx`
      insert into orders (org_id, order_id, customer_id, customer_name, provider, payment_reference, lines, placed_at)
      select ${organisationId}, 'order-' || n, 'customer-' || n, 'Customer ' || n, 'stripe', 'pi_bench_' || n,
        jsonb_build_array(jsonb_build_object('sku', 'sku-' || n, 'title', 'Headphones', 'quantity', 1,
          'amount', jsonb_build_object('minor', 4999, 'currency', 'EUR'))), now() - interval '1 day'
      from generate_series(${from}::int, ${to}::int) n`;
    await tx`
      insert into returns (org_id, order_id, return_id, status, received_at)
      select ${organisationId}, 'order-' || n, 'return-' || n, 'received', now() - interval '1 hour'
      from generate_series(${from}::int, ${to}::int) n`;
  });
  await sql`vacuum (analyze) payments, orders, returns`;
};

const organisationOf = async (sql: postgres.Sql): Promise<string> => {
  const [row] = await sql<{ id: string | null }[]>`select default_org_id as id from installation`;
  if (row?.id === null || row?.id === undefined) throw new Error('the database has no organisation');
  return row.id;
};

export const openStock = async (product: postgres.Sql, bareUrl: string): Promise<Stock> => {
  const organisationId = await organisationOf(product);
  let added = 0;
  let usedByProduct = 0;
  let usedByBare = 0;
  const next = (used: number): number => {
    if (used > added) throw new Error('the stock of orders is used up');
    return used;
  };
  return {
    organisationId,
    add: async (count) => {
      const bare = postgres(bareUrl, { max: 1, onnotice: () => undefined });
      try {
        const [from, to] = [added + 1, added + count];
        await addOrders(product, organisationId, from, to);
        await bare`
          insert into organisations (org_id, name, generation, policy)
          values (${organisationId}, 'Bare', 'bare', '{}') on conflict do nothing`;
        await addOrders(bare, organisationId, from, to);
        added = to;
      } finally {
        await bare.end({ timeout: 5 });
      }
    },
    nextForProduct: () => next((usedByProduct += 1)),
    nextForBare: () => next((usedByBare += 1)),
  };
};
