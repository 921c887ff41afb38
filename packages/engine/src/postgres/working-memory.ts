import type { Policy } from '@holdfast/operation';
import type {
  actors,
  ApprovalRow,
  AttemptRow,
  CommandRow,
  MirrorPositionRow,
  MirrorRefundRow,
  ObservationRow,
  OperationRow,
  OrderRow,
  PaymentRow,
  ReturnRow,
} from './schema.ts';

/** What of an organisation's row decisions hang on. */
export type OrganisationFacts = {
  readonly policy: Policy;
  readonly generation: string;
  readonly holdOn: boolean;
};

/** A refund in the mirror, and the operation of its payment that carries its reference, if one does. */
export type SeenRefund = { readonly refund: MirrorRefundRow; readonly holder: string | null };

export type AuditHead = { readonly sequence: number; readonly hash: string };

/**
 * What one transaction has read under its locks and written since, so that it asks for nothing twice. `null` and an
 * empty list: asked for and not there. No entry: not asked for. Whoever goes to the database past this (`tx.db`)
 * empties it.
 */
export type WorkingMemory = {
  organisation: OrganisationFacts | null;
  /** The policy that the days were locked under. It is not forgotten: the whole transaction judges by it. */
  policy: Policy | null;
  readonly operations: Map<string, OperationRow | null>;
  /** Operations whose rows, and their payments' rows before them, are locked. */
  readonly locked: Set<string>;
  /** Locked payments. */
  readonly payments: Map<string, PaymentRow | null>;
  readonly orders: Map<string, OrderRow | null>;
  readonly returnsOf: Map<string, readonly ReturnRow[]>;
  /** IDs of all operations of a payment. */
  readonly operationsOf: Map<string, Set<string>>;
  /** Approvals in force, oldest first. */
  readonly approvalsOf: Map<string, readonly ApprovalRow[]>;
  /** Whether those who gave approvals may still give them. */
  readonly authority: Map<string, boolean>;
  readonly refundsOf: Map<string, readonly SeenRefund[]>;
  /** Whether a dispute about a payment is open, as the mirror knows it. */
  readonly disputesOf: Map<string, boolean>;
  /** Operations that no refund in the mirror names. */
  readonly unnamed: Set<string>;
  readonly names: Map<string, typeof actors.$inferSelect | null>;
  readonly bound: Map<string, CommandRow | null>;
  readonly auditHeads: Map<string, AuditHead | null>;
  readonly attemptsOf: Map<string, readonly AttemptRow[]>;
  readonly observationsOf: Map<string, readonly ObservationRow[]>;
  /** What the mirror knows of accounts. */
  readonly positions: Map<string, MirrorPositionRow>;
};

export const emptyMemory = (): WorkingMemory => ({
  organisation: null,
  policy: null,
  operations: new Map(),
  locked: new Set(),
  payments: new Map(),
  orders: new Map(),
  returnsOf: new Map(),
  operationsOf: new Map(),
  approvalsOf: new Map(),
  authority: new Map(),
  refundsOf: new Map(),
  disputesOf: new Map(),
  unnamed: new Set(),
  names: new Map(),
  bound: new Map(),
  auditHeads: new Map(),
  attemptsOf: new Map(),
  observationsOf: new Map(),
  positions: new Map(),
});

export const forget = (memory: WorkingMemory): void => {
  memory.organisation = null;
  for (const part of Object.values(memory)) {
    if (part instanceof Map || part instanceof Set) part.clear();
  }
};

/** The key of a payment in the memory. */
export const paymentKey = (provider: string, paymentReference: string): string =>
  `${provider} ${paymentReference}`;
