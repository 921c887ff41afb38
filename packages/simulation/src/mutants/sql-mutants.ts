import type { Mutant } from './mutant.ts';

/** Mistakes in what is asked of the database. */
export const sqlMutants: readonly Mutant[] = [
  {
    sql: true,
    name: 'a reservation is not added up',
    swarm: 'one payment, many refunds',
    file: 'packages/engine/src/postgres/unsent-writes.ts',
    find: `set reserved = p.reserved + r.reserved,`,
    put: `set reserved = r.reserved,`,
  },
  {
    sql: true,
    name: 'what was refunded is not booked',
    file: 'packages/engine/src/postgres/unsent-writes.ts',
    find: `    refunded = p.refunded + r.refunded, updated_at`,
    put: `    refunded = p.refunded, updated_at`,
  },
  {
    sql: true,
    name: 'what is left of a transaction after a page of the feed is skipped',
    file: 'packages/engine/src/postgres/feed-reader.ts',
    find: `  where org_id = $1 and (tx_id, id) > ($2::xid8, $3::bigint) and tx_id <`,
    put: `  where org_id = $1 and tx_id > $2::xid8 and $3::bigint is not null and tx_id <`,
  },
  {
    sql: true,
    name: 'a change is not told in the feed',
    file: 'packages/engine/src/postgres/unsent-writes.ts',
    find: `  from jsonb_to_recordset($2::jsonb) as r (subject text, "subjectId" text, version integer)\`;`,
    put: `  from jsonb_to_recordset($2::jsonb) as r (subject text, "subjectId" text, version integer) where r.version <> 4\`;`,
  },
  {
    sql: true,
    name: 'an update changes more than the operation it is for',
    file: 'packages/engine/src/postgres/unsent-writes.ts',
    find: `  where o.org_id = r.org_id and o.id = r.id and o.version = was.version`,
    put: `  where o.org_id = r.org_id and o.version = was.version`,
  },
  {
    sql: true,
    name: 'what waits for a hold to end is never taken again',
    swarm: 'rules that change on hold',
    file: 'packages/engine/src/postgres/claim-store-due.ts',
    find: `        and g.hold_on and o.expires_at`,
    put: `        and o.expires_at`,
    also: [
      {
        file: 'packages/engine/src/postgres/organisation-store.ts',
        find: `distinct from 'hold'\` : eq(operations.waitingFor, 'hold'),`,
        put: `distinct from 'hold'\` : sql\`false\`,`,
      },
    ],
  },
  {
    sql: true,
    name: 'unknown outcomes are never due',
    swarm: 'claims that vanish',
    file: 'packages/engine/src/postgres/claim-store-due.ts',
    find: `    where o.org_id = $1 and o.wake_at <= $2::timestamptz
`,
    put: `    where o.org_id = $1 and o.wake_at <= $2::timestamptz and o.state <> 'outcome_unknown'
`,
  },
  {
    sql: true,
    name: 'lost claims are never found',
    swarm: 'claims that vanish',
    file: 'packages/engine/src/postgres/claim-store-due.ts',
    find: `    where o.org_id = $1 and o.wake_at <= $2::timestamptz
`,
    put: `    where o.org_id = $1 and o.wake_at <= $2::timestamptz and o.state <> 'submitting'
`,
  },
  {
    sql: true,
    name: 'refunds of ours count as made elsewhere too',
    swarm: 'one rich payment, two workers',
    file: 'packages/engine/src/postgres/mirror-store.ts',
    find: `          and (\${mirrorRefunds.metadataOrganisationId} is distinct from \${organisationId}
            or `,
    put: `          and (true
            or `,
  },
  {
    sql: true,
    name: 'refunds made elsewhere are not counted',
    swarm: 'refunds that do not last',
    file: 'packages/engine/src/postgres/mirror-store.ts',
    find: `        where \${mirrorRefunds.status} <> 'failed' and`,
    put: `        where \${mirrorRefunds.status} = 'failed' and`,
  },
  {
    sql: true,
    name: 'an open dispute is not seen',
    swarm: 'lost, and looked at meanwhile',
    file: 'packages/engine/src/postgres/mirror-store.ts',
    find: `        eq(mirrorDisputes.open, true),`,
    put: `        eq(mirrorDisputes.open, false),`,
  },
  {
    sql: true,
    name: 'a refund made elsewhere that failed counts all the same',
    swarm: 'refunds that do not last',
    file: 'packages/engine/src/postgres/mirror-store.ts',
    find: `        where \${mirrorRefunds.status} <> 'failed' and`,
    put: `        where`,
  },
  {
    sql: true,
    name: 'what became of an event is not written',
    swarm: 'refunds that do not last',
    file: 'packages/engine/src/postgres/webhook-store.ts',
    find: `      appliedAt: tx.now,`,
    put: ``,
  },
  {
    sql: true,
    name: 'an event that came is not looked at',
    swarm: 'refunds that do not last',
    file: 'packages/engine/src/postgres/claim-store-due.ts',
    find: `    \`where t.org_id = $1 and t.wake_at <= $2::timestamptz order by t.wake_at limit $3 for update skip locked\`,`,
    put: `    \`where t.org_id = $1 and t.wake_at <= $2::timestamptz and t.type = 'none' order by t.wake_at limit $3 for update skip locked\`,`,
  },
  {
    sql: true,
    name: 'the hold is not read again before sending',
    swarm: 'on hold while a claim stands still',
    file: 'packages/engine/src/postgres/attempt-store.ts',
    find: `o.lease_until, o.replay_deadline, g.hold_on`,
    put: `o.lease_until, o.replay_deadline, false as hold_on`,
  },
  {
    sql: true,
    name: 'of a refund of ours nobody is asked whether it is explained',
    swarm: 'put back',
    file: 'packages/engine/src/postgres/claim-store-provider-side.ts',
    find: `    unaccounted: ours.filter((refund) => !isAccounted(refund)).map(recordOf),`,
    put: `    unaccounted: [],`,
    also: [
      {
        file: 'packages/engine/src/postgres/intake-propose.ts',
        find: `  const alreadyThere = await attachSeenRefunds(tx, accepted.id);`,
        put: `  const alreadyThere = 0;`,
      },
    ],
  },
];
