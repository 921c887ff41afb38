import type { Mutant } from './mutant.ts';

/** Mistakes in what is asked of the database. */
export const sqlMutants: readonly Mutant[] = [
  {
    sql: true,
    name: 'a reservation is not added up',
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
    name: 'rows of the feed are told before older ones are there',
    file: 'packages/engine/src/postgres/feed-reader.ts',
    find: `const horizon = sql\`pg_snapshot_xmin(pg_current_snapshot())\`;`,
    put: `const horizon = sql\`pg_snapshot_xmax(pg_current_snapshot())\`;`,
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
    name: 'a turn’s end puts off what got evidence meanwhile',
    file: 'packages/engine/src/postgres/attempt-store.ts',
    find: `        and o.wake_at > $4::timestamptz and ($3::timestamptz is not null or \${overInSql('o')})
        and not exists (select from observations seen where seen.org_id = o.org_id
          and seen.operation_id = o.id and seen.observed_at >= $4::timestamptz)\`,`,
    put: `        and ($3::timestamptz is not null or \${overInSql('o')}) and $4::timestamptz is not null\`,`,
  },
  {
    sql: true,
    name: 'what waits for a hold to end is never taken again',
    file: 'packages/engine/src/postgres/claim-store-due.ts',
    find: `        and g.hold_on and o.expires_at`,
    put: `        and o.expires_at`,
  },
  {
    sql: true,
    name: 'unknown outcomes are never due',
    file: 'packages/engine/src/postgres/claim-store-due.ts',
    find: `    where o.org_id = $1 and o.wake_at <= $2::timestamptz
`,
    put: `    where o.org_id = $1 and o.wake_at <= $2::timestamptz and o.state <> 'outcome_unknown'
`,
  },
  {
    sql: true,
    name: 'lost claims are never found',
    file: 'packages/engine/src/postgres/claim-store-due.ts',
    find: `    where o.org_id = $1 and o.wake_at <= $2::timestamptz
`,
    put: `    where o.org_id = $1 and o.wake_at <= $2::timestamptz and o.state <> 'submitting'
`,
  },
  {
    sql: true,
    name: 'refunds of ours count as made elsewhere too',
    file: 'packages/engine/src/postgres/mirror-store.ts',
    find: `          and (\${mirrorRefunds.metadataOrganisationId} is distinct from \${organisationId}
            or `,
    put: `          and (true
            or `,
  },
  {
    sql: true,
    name: 'refunds made elsewhere are not counted',
    file: 'packages/engine/src/postgres/mirror-store.ts',
    find: `        where \${mirrorRefunds.status} <> 'failed' and`,
    put: `        where \${mirrorRefunds.status} = 'failed' and`,
  },
  {
    sql: true,
    name: 'an open dispute is not seen',
    file: 'packages/engine/src/postgres/mirror-store.ts',
    find: `        eq(mirrorDisputes.open, true),`,
    put: `        eq(mirrorDisputes.open, false),`,
  },
  {
    sql: true,
    name: 'older news of a refund takes its failure back',
    file: 'packages/engine/src/postgres/mirror-store.ts',
    find: `        sql\`\${mirrorRefunds.status} <> 'failed'\`,`,
    put: ``,
  },
  {
    sql: true,
    name: 'a known event is applied as if it were another',
    file: 'packages/engine/src/postgres/webhook-store.ts',
    find: `      appliedAt: tx.now,`,
    put: ``,
  },
  {
    sql: true,
    name: 'an event that came is not looked at',
    file: 'packages/engine/src/postgres/claim-store-due.ts',
    find: `    \`where t.org_id = $1 and t.wake_at <= $2::timestamptz order by t.wake_at limit $3 for update skip locked\`,`,
    put: `    \`where t.org_id = $1 and t.wake_at <= $2::timestamptz and t.type = 'none' order by t.wake_at limit $3 for update skip locked\`,`,
  },
  {
    sql: true,
    name: 'the fence and the hold are read as they were',
    file: 'packages/engine/src/postgres/attempt-store.ts',
    find: `o.lease_until, o.replay_deadline, g.hold_on`,
    put: `o.lease_until, o.replay_deadline, false as hold_on`,
  },
  {
    sql: true,
    name: 'the end of an attempt is not written',
    file: 'packages/engine/src/postgres/unsent-writes.ts',
    find: `const endAttemptsText = \`update attempts a set ended_at = r.ended_at,`,
    put: `const endAttemptsText = \`update attempts a set ended_at = null,`,
  },
  {
    sql: true,
    name: 'of a refund of ours nobody is asked whether it is explained',
    file: 'packages/engine/src/postgres/claim-store-provider-side.ts',
    find: `    unaccounted: ours.filter((refund) => !isAccounted(refund)).map(recordOf),`,
    put: `    unaccounted: [],`,
  },
];
