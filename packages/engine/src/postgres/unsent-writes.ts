import type { Announcement } from '../announce/announcement.ts';
import { codecOf, type RowCodec } from './row-codec.ts';
import {
  approvals,
  approvalSignatures,
  attempts,
  audit,
  commands,
  counted,
  observations,
  operationConversations,
  operations,
  ticketNotes,
  type ApprovalRow,
  type ApprovalSignatureRow,
  type AttemptRow,
  type AuditRow,
  type CommandRow,
  type ConversationRow,
  type ObservationRow,
  type OperationRow,
  type TicketNoteRow,
} from './schema.ts';

/** An operation's row as it shall be, and what it must still be for that to be written. */
export type ChangedOperation = {
  readonly row: OperationRow;
  readonly version: number;
  readonly fence: number;
};

/** By how much a payment's figures change. `limited`: only while enough is left for what is taken. */
export type ChangedFigures = {
  readonly provider: string;
  readonly paymentReference: string;
  readonly reserved: number;
  readonly refunded: number;
  readonly limited: boolean;
};

export type FeedRowToWrite = {
  readonly subject: 'operation' | 'order' | 'ticket';
  readonly subjectId: string;
  readonly version: number;
};

/** What one transaction has decided to write and has not sent yet: written together, table by table. */
export type UnsentWrites = {
  readonly figures: Map<string, ChangedFigures>;
  /** Payments whose whole side was read at the provider, and when it was asked for. */
  readonly asked: Map<
    string,
    { readonly provider: string; readonly paymentReference: string; readonly askedAt: Date }
  >;
  readonly accepted: Map<string, OperationRow>;
  readonly changed: Map<string, ChangedOperation>;
  readonly approvals: ApprovalRow[];
  readonly signatures: ApprovalSignatureRow[];
  readonly commands: CommandRow[];
  readonly attempts: AttemptRow[];
  readonly endedAttempts: AttemptRow[];
  readonly observations: ObservationRow[];
  readonly conversations: ConversationRow[];
  readonly audit: AuditRow[];
  readonly counted: {
    readonly name: string;
    readonly label: string;
    readonly amount: number;
    readonly at: Date;
    readonly operationId: string | null;
  }[];
  /** Payments whose orders show something new. */
  readonly touchedPayments: Map<string, { readonly provider: string; readonly paymentReference: string }>;
  readonly touchedTickets: Set<string>;
  readonly ticketNotes: TicketNoteRow[];
  readonly feed: FeedRowToWrite[];
  /** What the world outside is told, where anybody there asked to be. */
  readonly announcements: Announcement[];
};

export const noWrites = (): UnsentWrites => ({
  figures: new Map(),
  asked: new Map(),
  accepted: new Map(),
  changed: new Map(),
  approvals: [],
  signatures: [],
  commands: [],
  attempts: [],
  endedAttempts: [],
  observations: [],
  conversations: [],
  audit: [],
  counted: [],
  touchedPayments: new Map(),
  touchedTickets: new Set(),
  ticketNotes: [],
  feed: [],
  announcements: [],
});

/** One statement: its text is always the same, so its plan is kept. `wanted`: how many rows it must come to. */
export type Statement = {
  readonly text: string;
  readonly parameters: readonly (string | null)[];
  readonly wanted: number | null;
  /** What it means when it comes to fewer. */
  readonly because: 'known' | 'stale';
};

const operationCodec = codecOf(operations);
const sorted = <Row>(rows: readonly Row[], keyOf: (row: Row) => string): Row[] =>
  rows.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));

const insertText = (
  codec: Pick<RowCodec<unknown>, 'table' | 'columns'>,
  without: readonly string[] = [],
  tail = '',
): string => {
  const names = codec
    .columns()
    .split(', ')
    .filter((name) => !without.includes(name))
    .join(', ');
  return `insert into ${codec.table} (${names})
    select ${names} from jsonb_populate_recordset(null::${codec.table}, $1::jsonb) ${tail}`;
};

const inserter = <Row>(codec: RowCodec<Row>, without: readonly string[] = [], tail = '') => {
  const text = insertText(codec, without, tail);
  return (rows: readonly Partial<Row>[], wanted: number | null = null): Statement[] =>
    rows.length === 0
      ? []
      : [{ text, parameters: [JSON.stringify(rows.map(codec.encode))], wanted, because: 'known' }];
};

const insertOperations = inserter(operationCodec, [], 'on conflict do nothing');
const insertApprovals = inserter(codecOf(approvals));
const insertSignatures = inserter(codecOf(approvalSignatures));
const insertCommands = inserter(codecOf(commands), [], 'on conflict do nothing');
const insertAttempts = inserter(codecOf(attempts));
const insertObservations = inserter(codecOf(observations));
const insertConversations = inserter(codecOf(operationConversations));
const insertAudit = inserter(codecOf(audit));
const insertTicketNotes = inserter(codecOf(ticketNotes));
const insertCounted = inserter(codecOf(counted), ['"id"']);

/** Written at acceptance and never again. */
const fixed = ['"org_id"', '"id"', '"kind"', '"created_at"'];
const updateOperationsText = `update operations o set ${operationCodec
  .columns()
  .split(', ')
  .filter((name) => !fixed.includes(name))
  .map((name) => `${name} = r.${name}`)
  .join(', ')}
  from jsonb_populate_recordset(null::operations, $1::jsonb) r
    join jsonb_to_recordset($2::jsonb) as was (id uuid, version integer, fence bigint) on was.id = r.id
  where o.org_id = r.org_id and o.id = r.id and o.version = was.version and o.fence = was.fence`;

const updateOperations = (changed: readonly ChangedOperation[]): Statement[] => {
  if (changed.length === 0) return [];
  const was = changed.map(({ row, version, fence }) => ({ id: row.id, version, fence }));
  const rows = JSON.stringify(changed.map(({ row }) => operationCodec.encode(row)));
  return [
    {
      text: updateOperationsText,
      parameters: [rows, JSON.stringify(was)],
      wanted: changed.length,
      because: 'stale',
    },
  ];
};

// What limits is here and nowhere else: a payment gives only what is left of it.
const updateFiguresText = `update payments p set reserved = p.reserved + r.reserved,
    refunded = p.refunded + r.refunded, updated_at = $3::timestamptz
  from jsonb_to_recordset($2::jsonb)
    as r (provider text, "paymentReference" text, reserved bigint, refunded bigint, limited boolean)
  where p.org_id = $1 and p.provider = r.provider and p.payment_reference = r."paymentReference"
    and (not r.limited
      or p.captured - p.refunded - p.refunded_elsewhere - p.reserved >= r.reserved + r.refunded)`;

const askedText = `update payments p set asked_at = greatest(p.asked_at, least(r."askedAt", $3::timestamptz))
  from jsonb_to_recordset($2::jsonb) as r (provider text, "paymentReference" text, "askedAt" timestamptz)
  where p.org_id = $1 and p.provider = r.provider and p.payment_reference = r."paymentReference"`;

const endAttemptsText = `update attempts a set ended_at = r.ended_at, result = r.result, finding = r.finding,
    status = r.status, request_id = r.request_id, replayed = r.replayed, provider_date = r.provider_date
  from jsonb_populate_recordset(null::attempts, $1::jsonb) r
  where a.org_id = r.org_id and a.operation_id = r.operation_id and a.number = r.number and a.ended_at is null`;
const attemptCodec = codecOf(attempts);

const generation = '(select generation from organisations where org_id = $1)';
const feedInsert = 'insert into feed (org_id, tx_id, generation, subject, subject_id, version, at)';
// The transaction's stamp is overwritten by the trigger: a value from here would be another node's counter.
const touchOrdersText = `with touched as (
    update orders o set version = o.version + 1, updated_at = $3::timestamptz
    from jsonb_to_recordset($2::jsonb) as r (provider text, "paymentReference" text)
    where o.org_id = $1 and o.provider = r.provider and o.payment_reference = r."paymentReference"
    returning o.order_id, o.version)
  ${feedInsert} select $1, '0', ${generation}, 'order', order_id, version, $3::timestamptz from touched`;
const lockTicketsText = `select from tickets
  where org_id = $1 and ticket_id in (select jsonb_array_elements_text($2::jsonb)) order by ticket_id for no key update`;
const touchTicketsText = `with touched as (
    update tickets t set version = t.version + 1, updated_at = $3::timestamptz
    where t.org_id = $1 and t.ticket_id in (select jsonb_array_elements_text($2::jsonb))
    returning t.ticket_id, t.version)
  ${feedInsert} select $1, '0', ${generation}, 'ticket', ticket_id, version, $3::timestamptz from touched`;
const insertFeedText = `${feedInsert}
  select $1, '0', ${generation}, r.subject, r."subjectId", r.version, $3::timestamptz
  from jsonb_to_recordset($2::jsonb) as r (subject text, "subjectId" text, version integer)`;
const announceText = `insert into announcements (org_id, endpoint_id, event_id, type, operation_id, version,
    generation, made_at, payload, due_at)
  select $1, e.id, r.key || '_' || left(o.generation, 8), r.type, r."operationId", r.version,
    left(o.generation, 8), $3::timestamptz, r.payload, $3::timestamptz
  from announcement_endpoints e
    join organisations o on o.org_id = e.org_id
    cross join jsonb_to_recordset($2::jsonb)
      as r (key text, type text, "operationId" uuid, version integer, payload text)
  where e.org_id = $1 and e.removed_at is null
    and (e.event_types = '[]' or e.event_types @> to_jsonb(r.type))`;

const about = (
  text: string,
  items: readonly unknown[],
  organisationId: string,
  now: Date | null,
  wanted: number | null = null,
): Statement[] =>
  items.length === 0
    ? []
    : [
        {
          text,
          parameters: [organisationId, JSON.stringify(items), ...(now === null ? [] : [now.toISOString()])],
          wanted,
          because: 'stale',
        },
      ];

const isEmpty = (unsent: UnsentWrites): boolean => {
  for (const name in unsent) {
    const part = unsent[name as keyof UnsentWrites];
    if (('size' in part ? part.size : part.length) > 0) return false;
  }
  return true;
};

const nothing: readonly Statement[] = [];

/** The statements that write it all, in an order in which each finds what it refers to; empties what was unsent. */
export const takeStatements = (
  unsent: UnsentWrites,
  organisationId: string,
  now: Date,
): readonly Statement[] => {
  // Asked for before every question of a transaction: most find nothing.
  if (isEmpty(unsent)) return nothing;
  const figures = [...unsent.figures.values()];
  const touched = [...unsent.touchedPayments.values()];
  const tickets = [...unsent.touchedTickets].toSorted();
  const accepted = sorted([...unsent.accepted.values()], ({ id }) => id);
  const bound = sorted(unsent.commands, ({ commandId }) => commandId);
  const statements = [
    // Before its operation goes back to approved: an attempt without a deadline must be proved unsent by then.
    ...(unsent.endedAttempts.length === 0
      ? []
      : [
          {
            text: endAttemptsText,
            parameters: [JSON.stringify(unsent.endedAttempts.map(attemptCodec.encode))],
            wanted: unsent.endedAttempts.length,
            because: 'stale' as const,
          },
        ]),
    ...about(updateFiguresText, figures, organisationId, now, figures.length),
    ...about(askedText, [...unsent.asked.values()], organisationId, now, unsent.asked.size),
    ...insertOperations(accepted, accepted.length),
    ...updateOperations([...unsent.changed.values()]),
    ...insertApprovals(unsent.approvals),
    ...insertSignatures(unsent.signatures),
    ...insertCommands(bound, bound.length),
    ...insertAttempts(unsent.attempts),
    ...insertObservations(unsent.observations),
    ...insertConversations(unsent.conversations),
    ...insertAudit(unsent.audit),
    ...insertCounted(unsent.counted.map((one) => ({ organisationId, times: 1, ...one }))),
    ...insertTicketNotes(unsent.ticketNotes),
    ...about(touchOrdersText, touched, organisationId, now),
    ...about(lockTicketsText, tickets, organisationId, null),
    ...about(touchTicketsText, tickets, organisationId, now),
    ...about(insertFeedText, unsent.feed, organisationId, now),
    ...about(announceText, unsent.announcements, organisationId, now),
  ];
  for (const part of Object.values(unsent)) {
    if (part instanceof Map || part instanceof Set) part.clear();
    else part.length = 0;
  }
  return statements;
};
