import { OpenAPIHono } from '@hono/zod-openapi';
import {
  operationSchema,
  orderSchema,
  problemSchema,
  protocolVersion,
  ticketSchema,
} from '@holdfast/operation';
import { z, type ZodType } from 'zod';
import type { Answer, Route } from './route.ts';

const problemAnswer = (registered: ZodType) => ({
  description: 'A problem (RFC 9457)',
  content: { 'application/problem+json': { schema: registered } },
});

const answerOf = (answer: Answer) =>
  answer.schema === undefined
    ? { description: answer.description }
    : {
        description: answer.description,
        content: { [answer.mediaType ?? 'application/json']: { schema: answer.schema } },
      };

const requestOf = (route: Route) => {
  const pathParameters = route.path.includes('{id}') ? { params: z.object({ id: z.string() }) } : {};
  const query =
    route.needs !== 'nobody' && route.query !== undefined ? { query: route.query as z.ZodObject } : {};
  const body =
    route.body === undefined
      ? {}
      : { body: { required: true, content: { 'application/json': { schema: route.body } } } };
  return { ...pathParameters, ...query, ...body };
};

const needsText = (route: Route): string => {
  if (route.needs === 'nobody') return 'No sign-in needed.';
  if (route.needs === 'any') return 'Any signed-in person or key.';
  return `Roles: ${route.needs.join(', ')}.`;
};

/** The contract as OpenAPI 3.1, from the very schemas that judge the requests. */
export const openApiDocument = (routes: readonly Route[], publicOrigin: string): Record<string, unknown> => {
  const hono = new OpenAPIHono();
  const registry = hono.openAPIRegistry;
  const problem = registry.register('Problem', problemSchema);
  registry.register('Operation', operationSchema);
  registry.register('Order', orderSchema);
  registry.register('Ticket', ticketSchema);
  registry.registerComponent('securitySchemes', 'apiKey', { type: 'http', scheme: 'bearer' });
  registry.registerComponent('securitySchemes', 'session', {
    type: 'apiKey',
    in: 'cookie',
    name: 'holdfast.session_token',
  });
  for (const route of routes) {
    registry.registerPath({
      method: route.method,
      path: route.path,
      summary: route.summary,
      description: needsText(route),
      ...(route.needs === 'nobody' ? { security: [] } : { security: [{ apiKey: [] }, { session: [] }] }),
      request: requestOf(route),
      responses: {
        ...Object.fromEntries(
          Object.entries(route.answers).map(([status, answer]) => [status, answerOf(answer)]),
        ),
        default: problemAnswer(problem),
      },
    });
  }
  return hono.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Holdfast',
      version: String(protocolVersion),
      description: 'One business action, one outcome, honestly reported.',
    },
    servers: [{ url: publicOrigin }],
  }) as unknown as Record<string, unknown>;
};
