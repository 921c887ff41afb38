import type { Engine, Principal } from '@holdfast/engine';
import {
  fitConversation,
  type Conversation,
  type ConversationTurn,
  type Proposal,
} from '@holdfast/operation';

export type ToldByProgram = {
  readonly proposal: Proposal;
  /** What the program says that it was asked. */
  readonly asked: string | undefined;
  readonly nowMs: number;
};

type Read = Pick<ConversationTurn, 'read' | 'quoted'>;

/** The ticket as it was then, read here: a program's word for what stands in it would be its own. */
const readTicket = async (
  engine: Pick<Engine, 'getTicket'>,
  who: Principal,
  { ticketId }: Proposal,
): Promise<Read> => {
  const ticket = ticketId === undefined ? null : await engine.getTicket(who, ticketId);
  return {
    read: ticket === null ? [] : [{ what: 'ticket', id: ticket.id, title: ticket.subject }],
    quoted: (ticket?.messages ?? []).map(({ from, text }) => ({ from, text })),
  };
};

/** What is kept of how a program came to propose this: its own words, and beside them what others wrote, quoted. */
export const programConversation = async (
  engine: Pick<Engine, 'getTicket'>,
  who: Principal,
  { proposal, asked, nowMs }: ToldByProgram,
): Promise<Conversation | undefined> => {
  const { orderId, amount, lines = [], reason, returnId } = proposal;
  return fitConversation([
    {
      at: new Date(nowMs).toISOString(),
      asked: asked ?? '',
      answered: proposal.note ?? '',
      interpreter: 'program',
      ...(await readTicket(engine, who, proposal)),
      drafted: { orderId, amount, lines, reason, ...(returnId === undefined ? {} : { returnId }) },
    },
  ]);
};
