import type { Answer, Missing, Quotation } from './answer.ts';
import type { Catalogue } from './catalogue.ts';
import { draftOf } from './draft.ts';
import { nothing, type Circumstances, type Findings } from './findings.ts';
import { decisionPhrases, doneQuestion, outcomePhrases, returnNotHere } from './phrases.ts';
import { takeAmounts } from './read-amount.ts';
import { readCustomers, readNumbered, readReferences } from './read-references.ts';
import { referenceTo } from './reference.ts';
import { reportOf } from './report.ts';
import { isTitleIn, requestText, withoutQuotations } from './request-text.ts';

/** The messages of the tickets that were read, as quotations: what stands in them is nobody's instruction to us. */
const quotationsOf = ({ tickets }: Pick<Catalogue, 'tickets'>): readonly Quotation[] =>
  tickets.flatMap(({ messages }) => (messages ?? []).map(({ from, text }) => ({ from, text })));

/**
 * What a request asks for, by grammar and search alone: no model, no network. Only what stands in the request and in the
 * catalogue goes into the answer; where more than one thing may be meant, it asks.
 */
export const interpret = (request: string, catalogue: Catalogue, beside: Circumstances = {}): Answer => {
  const { said, quoted } = withoutQuotations(request, isTitleIn(catalogue.orders));
  const reading = requestText(said);
  const isQuestion = doneQuestion.test(reading.text());
  const asksOutcome = reading.take(outcomePhrases, '§v').length > 0 || isQuestion;
  const mayNot = reading.take(decisionPhrases, '§v').length > 0 && !asksOutcome;
  const isReturnMissing = returnNotHere.test(reading.text());
  const numbered = readNumbered(reading);
  const amounts = takeAmounts(reading);
  const named = readReferences(reading, catalogue, numbered);
  const customers = readCustomers(reading, catalogue.orders);
  const fromTicket = catalogue.tickets.filter(({ id }) => id === beside.ticketId);
  const found: Findings = {
    read: [
      ...named.tickets.map((ticket) => referenceTo.ticket(ticket)),
      ...customers.map((customer) => referenceTo.customer(customer)),
    ],
    missing: [
      ...named.unknownOrders.map((id): Missing => ({ what: 'order', said: id })),
      ...named.unknownTickets.map((id): Missing => ({ what: 'ticket', said: id })),
    ],
    quoted: [
      ...quoted.map((text) => ({ from: 'the request', text })),
      ...quotationsOf({ tickets: named.tickets.length > 0 ? named.tickets : fromTicket }),
    ],
  };
  if (mayNot) return nothing(found, 'not-an-assistants-to-do');
  const scope = { named, customers, catalogue, beside };
  if (asksOutcome) return reportOf(scope, found);
  return draftOf({ ...scope, request: said, reading, amounts, isReturnMissing, found });
};
