import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import * as operation from '../src/operation.ts';
import { canonicalJson, protocolVersion, servedProtocolVersions, type JsonValue } from '../src/operation.ts';
import recordedHashes from './wire-hashes.json' with { type: 'json' };

const schemas: Readonly<Record<string, z.core.$ZodType>> = {
  ...Object.fromEntries(
    Object.entries<unknown>(operation).filter(
      (entry): entry is [string, z.core.$ZodType] => entry[1] instanceof z.core.$ZodType,
    ),
  ),
  ...Object.fromEntries(
    Object.entries(operation.feedEventSchemas).map(([name, schema]) => [`feed ${name}`, schema]),
  ),
};

const hashOf = (value: JsonValue): string => bytesToHex(sha256(utf8ToBytes(canonicalJson(value))));

/** A message's shape: its JSON Schema in both directions. */
const shapeHash = (schema: z.core.$ZodType): string =>
  hashOf(
    (['input', 'output'] as const).map(
      (io) => z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonValue,
    ),
  );

/** One hash over every message's shape, and over the closed lists that ride in strings. */
const wireHash = (shapes: Readonly<Record<string, string>>): string => {
  const lists = {
    slugs: operation.problemStatus,
    header: operation.protocolHeader,
    roles: [...operation.roles],
  };
  return hashOf({ shapes, lists });
};

const shapes: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(schemas).map(([name, schema]) => [name, shapeHash(schema)]),
);

const hashes: Readonly<Record<string, string>> = recordedHashes;

describe('the wire', () => {
  // Red when: a message gains, loses or changes a field and `protocolVersion` stays.
  test('does not change without a new version: raise protocolVersion and record its hash in wire-hashes.json', () => {
    expect(hashes[String(protocolVersion)]).toBe(wireHash(shapes));
  });

  // Red when: the hash leaves a schema out, or looks only at names.
  test('has a hash that moves when any schema moves', () => {
    const before = wireHash(shapes);
    expect(Object.keys(schemas).length).toBeGreaterThan(20);
    for (const [name, schema] of Object.entries(schemas)) {
      const moved =
        schema instanceof z.ZodMiniObject ? z.extend(schema, { surprise: z.string() }) : z.array(schema);
      expect(wireHash({ ...shapes, [name]: shapeHash(moved) }), name).not.toBe(before);
    }
    expect(wireHash({ ...shapes })).toBe(before);
  });

  test('serves the current version and at most the two before, each with its recorded hash', () => {
    expect(servedProtocolVersions).toContain(protocolVersion);
    expect(servedProtocolVersions.length).toBeLessThanOrEqual(3);
    for (const version of servedProtocolVersions) expect(hashes[String(version)]).toMatch(/^[0-9a-f]{64}$/);
  });

  // Red when: `now` demands what only approvals have: a device would keep a settled word for ever, unable to read its answer.
  test('reads what is now in every refusal that says it', () => {
    const stale = {
      type: 'https://holdfast.invalid/problems/stale',
      title: 't',
      status: 409,
      detail: 'd',
      final: true,
    };
    for (const now of [
      { version: 4 },
      { fingerprint: null, refundable: { minor: 1, currency: 'EUR' }, orderVersion: 2 },
    ]) {
      expect(operation.problemSchema.safeParse({ ...stale, now }).success).toBe(true);
    }
  });

  // Red when: `proposalSchema` passes unknown fields on, so that a client could set a state.
  test('lets no client set what only the server decides', () => {
    const proposal = {
      kind: 'refund',
      orderId: 'o-1',
      amount: { minor: 1, currency: 'EUR' },
      reason: 'returned',
      state: 'confirmed',
      fingerprint: 'x',
    };
    expect(operation.proposalSchema.parse(proposal)).not.toHaveProperty('state');
  });

  test.each([
    { minor: 0, currency: 'EUR' },
    { minor: -1, currency: 'EUR' },
    { minor: 1.5, currency: 'EUR' },
    { minor: '1', currency: 'EUR' },
    { minor: null, currency: 'EUR' },
    { minor: 1, currency: 'eur' },
    { minor: 1, currency: 'XXX' },
    { minor: 2 ** 53, currency: 'EUR' },
    { minor: 1 },
  ])('refuses the amount %o', (amount) => {
    expect(operation.amountSchema.safeParse(amount).success).toBe(false);
  });
});
