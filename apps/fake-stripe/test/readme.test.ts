import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faultKinds } from '../src/faults/fault.ts';
import { StartedFake } from './started-fake.ts';

const fake = new StartedFake();
const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const examples = [...readme.matchAll(/curl localhost:4781\/fake\/faults -d '([^']+)'/g)].map(([, json]) =>
  String(json),
);

beforeAll(() => fake.start());
afterAll(() => fake.discard());

describe('the README', () => {
  it.each(examples.map((example) => [example]))('arms %s as it says', async (example) => {
    expect(await fake.arm(JSON.parse(example))).toMatchObject(JSON.parse(example));
  });

  it('has an example for every fault', () => {
    const shown = examples.map((example) => (JSON.parse(example) as { do: string }).do);
    expect(faultKinds.filter((kind) => !shown.includes(kind))).toEqual([]);
  });
});
