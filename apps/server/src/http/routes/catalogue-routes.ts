import {
  operationSchema,
  orderInputSchema,
  orderSchema,
  plainText,
  ticketInputSchema,
  ticketSchema,
} from '@holdfast/operation';
import type { PutAnswer } from '@holdfast/engine';
import { isPageCursor } from '@holdfast/engine/postgres';
import { z } from 'zod';
import { badCursor, problemResponse, refuse } from '../problem.ts';
import { guarded, json, type GuardedRoute, type Schema } from '../route.ts';

const pageQuery = z.object({
  q: z._default(plainText(200), ''),
  cursor: z.string().max(500).optional(),
  limit: z.coerce.number().int().min(1).max(200).optional(),
});

const page = <Item extends Schema>(item: Item) =>
  z.object({ items: z.array(item), nextCursor: z.string().nullable() });

const orderWithOperations = z.object({ ...orderSchema.shape, operations: z.array(operationSchema) });

const cursorIn = ({ cursor }: { readonly cursor?: string | undefined }): string | undefined => {
  if (cursor !== undefined && !isPageCursor(cursor, 'catalogue')) throw badCursor();
  return cursor;
};

const putResponse = <Item>(answer: PutAnswer<Item>): Response =>
  answer.ok ? json(answer.created ? 201 : 200, answer.item) : problemResponse(answer.problem);

const catalogueBytes = 2 * 1024 * 1024;

const orderRoutes: GuardedRoute[] = [
  guarded({
    method: 'get',
    path: '/v1/orders/{id}',
    summary: "An order with its payment's figures and its operations.",
    needs: 'any',
    pathId: 'outside',
    answers: {
      200: { description: 'The order', schema: orderWithOperations },
    },
    handle: async ({ engine, who, id }) => {
      const order = await engine.getOrder(who, id);
      if (order === null) throw refuse('not-found', 'There is no order of this ID.');
      return json(200, order);
    },
  }),
  guarded({
    method: 'get',
    path: '/v1/orders',
    summary: 'Search orders.',
    needs: 'any',
    query: pageQuery,
    answers: { 200: { description: 'A page of orders', schema: page(orderSchema) } },
    handle: async ({ engine, who, query }) =>
      json(200, await engine.searchOrders(who, query.q, cursorIn(query), query.limit)),
  }),
  guarded({
    method: 'put',
    path: '/v1/orders/{id}',
    summary: "Put the shop's own record of an order.",
    needs: ['integrator'],
    pathId: 'outside',
    body: orderInputSchema,
    maximumBytes: catalogueBytes,
    answers: {
      200: { description: 'The order', schema: orderSchema },
      201: { description: 'The order, new here', schema: orderSchema },
    },
    handle: async ({ engine, who, id, body }) => putResponse(await engine.putOrder(who, id, body)),
  }),
];

const ticketRoutes: GuardedRoute[] = [
  guarded({
    method: 'get',
    path: '/v1/tickets/{id}',
    summary: 'One ticket.',
    needs: 'any',
    pathId: 'outside',
    answers: { 200: { description: 'The ticket', schema: ticketSchema } },
    handle: async ({ engine, who, id }) => {
      const ticket = await engine.getTicket(who, id);
      if (ticket === null) throw refuse('not-found', 'There is no ticket of this ID.');
      return json(200, ticket);
    },
  }),
  guarded({
    method: 'get',
    path: '/v1/tickets',
    summary: 'Search tickets.',
    needs: 'any',
    query: pageQuery,
    answers: { 200: { description: 'A page of tickets', schema: page(ticketSchema) } },
    handle: async ({ engine, who, query }) =>
      json(200, await engine.searchTickets(who, query.q, cursorIn(query), query.limit)),
  }),
  guarded({
    method: 'put',
    path: '/v1/tickets/{id}',
    summary: "Put the help desk's own record of a ticket.",
    needs: ['integrator'],
    pathId: 'outside',
    body: ticketInputSchema,
    maximumBytes: catalogueBytes,
    answers: {
      200: { description: 'The ticket', schema: ticketSchema },
      201: { description: 'The ticket, new here', schema: ticketSchema },
    },
    handle: async ({ engine, who, id, body }) => putResponse(await engine.putTicket(who, id, body)),
  }),
];

export const catalogueRoutes: readonly GuardedRoute[] = [...orderRoutes, ...ticketRoutes];
