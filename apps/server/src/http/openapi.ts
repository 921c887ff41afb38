import {
  commandBatchSchema,
  commandSchema,
  operationSchema,
  orderSchema,
  problemSchema,
  protocolHeader,
  protocolVersion,
  servedProtocolVersions,
  ticketSchema,
} from '@holdfast/operation';
import { z } from 'zod';
import type { Answer, Route, Schema } from './route.ts';

type Json = Record<string, unknown>;

/** Shapes with a name of their own: everything else refers to them. */
const named = z.registry<{ id: string }>();
named.add(problemSchema, { id: 'Problem' });
named.add(operationSchema, { id: 'Operation' });
named.add(orderSchema, { id: 'Order' });
named.add(ticketSchema, { id: 'Ticket' });

/**
 * The contract changes by adding, so what is answered may have more fields than are shown; a client that was made from
 * this document must not refuse them.
 */
const mayGrow = (key: string, value: unknown): unknown =>
  key === 'additionalProperties' && value === false ? undefined : value;

const withoutMeta = ({ $schema, id, ...shape }: Json): Json => {
  void $schema;
  void id;
  return JSON.parse(JSON.stringify(shape, mayGrow).replaceAll('#/$defs/', '#/components/schemas/')) as Json;
};

const jsonSchemaOf = (schema: Schema, io: 'input' | 'output'): Json =>
  z.toJSONSchema(schema, {
    io,
    metadata: named,
    unrepresentable: 'any',
    // A batch is read loosely, each command being judged by itself; what each has to look like is shown all the same.
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === commandBatchSchema.shape.commands.def.element) {
        jsonSchema.$ref = '#/components/schemas/Command';
      }
    },
  });

/** A schema as JSON Schema 2020-12, which is what OpenAPI 3.1 speaks, with references to the named shapes. */
const shapeOf = (schema: Schema, io: 'input' | 'output'): Json => {
  const { $defs, ...shape } = jsonSchemaOf(schema, io);
  void $defs;
  return withoutMeta(shape);
};

const shapesByName = z.record(z.string(), z.record(z.string(), z.unknown()));

/** The named shapes themselves: asked for one, the library answers with a reference and puts the shape beside it. */
const components = (): Json => {
  const { $defs } = jsonSchemaOf(
    z.object({ problemSchema, operationSchema, orderSchema, ticketSchema }),
    'output',
  );
  return {
    ...Object.fromEntries(
      Object.entries(shapesByName.parse($defs)).map(([name, shape]) => [name, withoutMeta(shape)]),
    ),
    Command: shapeOf(commandSchema, 'input'),
  };
};

const answerOf = (answer: Answer): Json =>
  answer.schema === undefined
    ? { description: answer.description }
    : {
        description: answer.description,
        content: { [answer.mediaType ?? 'application/json']: { schema: shapeOf(answer.schema, 'output') } },
      };

const queryParameters = (query: Schema | undefined): Json[] => {
  if (query === undefined) return [];
  const { properties } = z
    .object({ properties: z.record(z.string(), z.unknown()) })
    .parse(shapeOf(query, 'input'));
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema }));
};

const headerParameter = (name: string, description: string): Json => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
});

/** Headers that mean something to this route. */
const headerParameters = (route: Route): Json[] => [
  ...(route.needs === 'nobody'
    ? []
    : [headerParameter(protocolHeader, `The version that is spoken: ${servedProtocolVersions.join(', ')}.`)]),
  ...(route.path === '/v1/feed'
    ? [headerParameter('Last-Event-ID', 'Where the stream goes on; it goes before `cursor`.')]
    : []),
];

const parametersOf = (route: Route): Json[] => [
  ...(route.path.includes('{id}')
    ? [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }]
    : []),
  ...queryParameters(route.needs === 'nobody' ? undefined : route.query),
  ...headerParameters(route),
];

const needsText = (route: Route): string => {
  if (route.needs === 'nobody') return 'No sign-in needed.';
  if (route.needs === 'any') return 'Any signed-in person or key.';
  return `Roles: ${route.needs.join(', ')}; an admin may what agent, approver and operator may.`;
};

const operationOf = (route: Route): Json => ({
  summary: route.summary,
  description: needsText(route),
  security: route.needs === 'nobody' ? [] : [{ apiKey: [] }, { session: [] }],
  parameters: parametersOf(route),
  ...(route.body === undefined
    ? {}
    : {
        requestBody: {
          required: true,
          content: { 'application/json': { schema: shapeOf(route.body, 'input') } },
        },
      }),
  responses: {
    ...Object.fromEntries(
      Object.entries(route.answers).map(([status, answer]) => [status, answerOf(answer)]),
    ),
    default: {
      description: 'A problem (RFC 9457)',
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    },
  },
});

const openPath = (summary: string, mediaType: string): Json => ({
  get: {
    summary,
    description: 'No sign-in needed.',
    security: [],
    parameters: [],
    responses: { 200: { description: summary, content: { [mediaType]: {} } } },
  },
});

/** The contract itself, as programs and as people read it. */
const contractPaths: Readonly<Record<string, Json>> = {
  '/openapi.json': openPath('This contract, as OpenAPI.', 'application/json'),
  '/docs': openPath('This contract, for people.', 'text/html'),
};

/** The contract as OpenAPI 3.1, from the very schemas that judge the requests. */
export const openApiDocument = (routes: readonly Route[], publicOrigin: string): Json => {
  const paths: Record<string, Json> = { ...contractPaths };
  for (const route of routes)
    paths[route.path] = { ...paths[route.path], [route.method]: operationOf(route) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Holdfast',
      version: String(protocolVersion),
      description: 'One business action, one outcome, honestly reported.',
    },
    servers: [{ url: publicOrigin }],
    paths,
    components: {
      schemas: components(),
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: 'holdfast.session_token' },
      },
    },
  };
};
