import { proposalSchema, protocolVersion } from '@holdfast/operation';
import type { CommandType, Proposal } from '@holdfast/operation';
import { endedWithoutRefund } from '../live-query.ts';
import type { KeptReason, NotSaved, SentUnsaved } from '../outbox-interface.ts';
import { neverCancelled } from '../ports.ts';
import type { Clock, MintId } from '../ports.ts';
import { commandBody } from '../queue/queue-decision.ts';
import type { SentBefore } from '../queue/queue-decision.ts';
import { refundWire } from './refund-wire.ts';
import type { RefundWords } from '../queue/refund-rows.ts';
import type { ServerTold, Transport } from './transport.ts';
import { classify } from './batch-verdict.ts';
import type { Classified } from './verdict.ts';

export type UnsavedSendPorts = {
  readonly transport: Transport;
  readonly told: ServerTold<RefundWords>;
  readonly clock: Clock;
  readonly mintId: MintId;
  readonly requestTimeoutMs: number;
  /** Who is here, as far as this screen knows; storage may not be able to say. */
  readonly subject: () => string | null;
  readonly heard: (trouble: KeptReason | null) => void;
};

/** An earlier text that may be on its way: its cancellation has to be heard before another one leaves. */
type Earlier = { readonly operationId: string; readonly cancelId: string };

/** One form on one screen. It lives as long as the screen does and claims nothing beyond it. */
type UnsavedIntent = {
  operationId: string;
  subject: string | null;
  /** The text that was sent under `operationId`; `null` while none may have arrived. */
  sent: string | null;
  isReceived: boolean;
  earlier: Earlier[];
  /** The press before, so that presses go one after the other. */
  last: Promise<unknown>;
};

const cancelReason = 'Replaced by a changed proposal.';

/** Only Holdfast itself says these, of the whole request: it took nothing of it. */
const notTaken: readonly KeptReason[] = ['sign-in', 'wrong-subject', 'not-allowed', 'update-needed'];

const notSent = (because: NotSaved): SentUnsaved => ({ kind: 'not-sent', because });

/** Sending while nothing can be stored: the ID and the bytes are kept in memory, for one screen. */
export class UnsavedSends {
  readonly #ports: UnsavedSendPorts;
  readonly #intents = new Map<string, UnsavedIntent>();
  /** Proposals whose sending was begun and that may have arrived, by operation: until a queue can keep that. */
  readonly #begun = new Map<string, SentBefore>();

  constructor(ports: UnsavedSendPorts) {
    this.#ports = ports;
  }

  /** A form was opened. @param supersedes the operation that it changes: its cancellation goes first */
  opened(operationId: string, supersedes: string | null): void {
    if (supersedes === null || this.#intents.has(operationId)) return;
    const intent = this.#intentOf(operationId);
    intent.earlier.push({ operationId: supersedes, cancelId: this.#ports.mintId() });
  }

  /** What of this operation may have been sent by this screen; `null` when nothing. */
  sentBefore(operationId: string): SentBefore | null {
    return this.#begun.get(operationId) ?? null;
  }

  send(operationId: string, proposal: Proposal): Promise<SentUnsaved> {
    const intent = this.#intentOf(operationId);
    const press = intent.last.then(() => this.#press(intent, proposal));
    intent.last = press.catch(() => undefined);
    return press;
  }

  #intentOf(operationId: string): UnsavedIntent {
    const known = this.#intents.get(operationId);
    if (known) return known;
    const fresh: UnsavedIntent = {
      operationId,
      subject: null,
      sent: null,
      isReceived: false,
      earlier: [],
      last: Promise.resolve(),
    };
    this.#intents.set(operationId, fresh);
    return fresh;
  }

  async #press(intent: UnsavedIntent, proposal: Proposal): Promise<SentUnsaved> {
    const read = proposalSchema.safeParse(proposal);
    if (!read.success) {
      const issues = read.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
      return notSent({ reason: 'invalid', issues });
    }
    const subject = this.#ports.subject();
    // What one person began to send is never gone on with as another.
    if (subject === null || (intent.subject !== null && intent.subject !== subject)) {
      return notSent({ reason: 'signed-out' });
    }
    const textUnder = (operationId: string): string =>
      commandBody(subject, { type: 'propose', operationId, commandId: operationId, content: read.data });
    if (intent.sent !== null && intent.sent !== textUnder(intent.operationId)) {
      if (intent.isReceived) {
        return { kind: 'earlier-stands', operationId: intent.operationId, problem: null };
      }
      intent.earlier.push({ operationId: intent.operationId, cancelId: this.#ports.mintId() });
      intent.operationId = this.#ports.mintId();
      intent.sent = null;
    }
    intent.subject = subject;
    return (
      (await this.#cancelEarlier(intent, subject)) ?? this.#propose(intent, textUnder(intent.operationId))
    );
  }

  /** @returns why the changed text may not leave, or `null` */
  async #cancelEarlier(intent: UnsavedIntent, subject: string): Promise<SentUnsaved | null> {
    for (const { operationId, cancelId } of [...intent.earlier]) {
      const content = { reason: cancelReason };
      const body = commandBody(subject, { type: 'cancel', operationId, commandId: cancelId, content });
      const outcome = await this.#request({ type: 'cancel', operationId, commandId: cancelId }, body);
      if (outcome.kind === 'kept') {
        const { reason } = outcome;
        return { kind: 'not-heard', operationId: intent.operationId, reason, mayHaveBeenSent: false };
      }
      const { status, operation, problem } = outcome.result;
      const isEnded = operation !== undefined && endedWithoutRefund.includes(operation.state);
      if (status === 'rejected' && !isEnded) {
        return { kind: 'earlier-stands', operationId, problem: problem ?? null };
      }
      intent.earlier = intent.earlier.filter((one) => one.operationId !== operationId);
    }
    return null;
  }

  async #propose(intent: UnsavedIntent, body: string): Promise<SentUnsaved> {
    const { operationId } = intent;
    const wasSent = intent.sent !== null;
    // Before the first byte leaves: from here on this text may arrive.
    intent.sent = body;
    const begun = { attemptId: this.#ports.mintId(), startedAtMs: this.#ports.clock.nowMs(), end: null };
    this.#begun.set(operationId, begun);
    const asked = { type: 'propose', operationId, commandId: operationId } as const;
    const outcome = await this.#request(asked, body);
    if (outcome.kind === 'kept') {
      const isNotTaken = !wasSent && notTaken.includes(outcome.reason);
      if (isNotTaken) {
        intent.sent = null;
        this.#begun.delete(operationId);
      } else {
        const { reason: result, status } = outcome;
        this.#begun.set(operationId, { ...begun, end: { atMs: this.#ports.clock.nowMs(), result, status } });
      }
      return { kind: 'not-heard', operationId, reason: outcome.reason, mayHaveBeenSent: !isNotTaken };
    }
    const { status, problem, operation } = outcome.result;
    if (status === 'rejected' && problem !== undefined) return { kind: 'refused', operationId, problem };
    intent.isReceived = true;
    return { kind: 'received', operationId, operation: operation ?? null };
  }

  async #request(
    asked: { readonly type: CommandType; readonly operationId: string; readonly commandId: string },
    body: string,
  ): Promise<Classified<RefundWords>> {
    const { transport, told, clock, requestTimeoutMs, heard } = this.#ports;
    const epoch = await told.epoch().catch(() => null);
    const request = {
      path: refundWire.path,
      body: `{"commands":[${body}]}`,
      protocol: protocolVersion,
      timeoutMs: requestTimeoutMs,
    } as const;
    const outcome = classify(refundWire, await transport.send(request, neverCancelled), asked, clock.nowMs());
    heard(outcome.kind === 'kept' ? outcome.reason : null);
    const operation = outcome.kind === 'verdict' ? outcome.result.operation : undefined;
    // The cache is a convenience; it may be as broken as the queue.
    if (operation && epoch !== null) await told.applyOperations([operation], epoch).catch(() => undefined);
    return outcome;
  }
}
