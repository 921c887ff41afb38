import postgres from 'postgres';

/** The server's own rows, read behind its back. */
export type ServerRows = {
  /** The IDs of the operations of these orders, in the order of their making. */
  readonly operationsOf: (orderIds: readonly string[]) => Promise<readonly StoredProposal[]>;
  /** The state of every operation that it has. */
  readonly states: () => Promise<ReadonlyMap<string, string>>;
  /** Ends this person's sessions, as an admin's reset or their running out does. */
  readonly endSessions: (email: string) => Promise<void>;
  /** How often that was done to this person: a browser that was signed in before is not any more. */
  readonly timesEnded: (email: string) => number;
  /** Gives this person another role, as an admin does. */
  readonly setRole: (email: string, role: string) => Promise<void>;
  readonly close: () => Promise<void>;
};

export type StoredProposal = {
  readonly id: string;
  readonly order_id: string;
  readonly state: string;
  readonly amount_minor: number;
  readonly proposed_by: string;
};

export const readServerRows = (databaseUrl: string): ServerRows => {
  const sql = postgres(databaseUrl, {
    max: 1,
    onnotice: () => undefined,
    types: { bigint: postgres.BigInt },
  });
  const ended = new Map<string, number>();
  const timesEnded = (email: string): number => ended.get(email) ?? 0;
  return {
    timesEnded,
    operationsOf: async (orderIds) => {
      const rows = await sql`
        select id, order_id, state, amount_minor, proposed_by from operations
        where order_id in ${sql([...orderIds])} order by created_at, id`;
      return rows.map((row) => ({ ...row, amount_minor: Number(row['amount_minor']) })) as StoredProposal[];
    },
    states: async () => {
      const rows = await sql<{ id: string; state: string }[]>`select id, state from operations`;
      return new Map(rows.map(({ id, state }) => [id, state]));
    },
    endSessions: async (email) => {
      ended.set(email, timesEnded(email) + 1);
      await sql`
        delete from sign_in.session using sign_in."user"
        where sign_in.session."userId" = sign_in."user".id and sign_in."user".email = ${email}`;
    },
    setRole: async (email, role) => {
      const rows = await sql`update members set role = ${role} where email = ${email} returning user_id`;
      if (rows.length !== 1) throw new Error(`${rows.length} members have this address`);
    },
    close: () => sql.end({ timeout: 2 }),
  };
};
