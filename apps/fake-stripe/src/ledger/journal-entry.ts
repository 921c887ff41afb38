import type {
  ArmedFault,
  DeliveryAttempt,
  DeliveryRecord,
  DeliveryState,
  DisputeRecord,
  DisputeStatus,
  EventRecord,
  KeyRecord,
  PaymentRecord,
  RefundRecord,
  RefundStatus,
  RequestRecord,
  WebhookEndpoint,
} from './records.ts';

/**
 * What the journal holds. Entries that belong together (a refund, its events, the answer saved under its
 * key) are written as one line, so that a kill between them is impossible.
 */
export type JournalEntry =
  | { kind: 'payment.registered'; payment: PaymentRecord }
  | { kind: 'refund.created'; refund: RefundRecord }
  | { kind: 'refund.changed'; id: string; status: RefundStatus; failureReason: string | null }
  | { kind: 'dispute.created'; dispute: DisputeRecord }
  | { kind: 'dispute.changed'; id: string; status: DisputeStatus }
  | { kind: 'event.recorded'; event: EventRecord; delivery: DeliveryRecord }
  | { kind: 'delivery.attempted'; event: string; attempt: DeliveryAttempt; next: DeliveryStep }
  | { kind: 'delivery.moved'; event: string; state: DeliveryState; dueMs: number }
  | { kind: 'key.recorded'; record: KeyRecord }
  | { kind: 'request.received'; request: RequestRecord }
  | { kind: 'request.answered'; number: number; outcome: RequestOutcome }
  | { kind: 'fault.armed'; armed: ArmedFault }
  | { kind: 'fault.counted'; id: string; hit: boolean }
  | { kind: 'fault.removed'; id: string }
  | { kind: 'clock.moved'; byMs: number }
  | { kind: 'endpoint.set'; endpoint: WebhookEndpoint | null };

export interface DeliveryStep {
  state: DeliveryState;
  dueMs: number;
  copiesLeft: number;
}

export type RequestOutcome = Pick<RequestRecord, 'status' | 'replayed' | 'executed' | 'fault'>;
