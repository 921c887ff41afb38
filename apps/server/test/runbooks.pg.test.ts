import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { repositoryFolder } from '../src/settings/repository-folder.ts';
import { mintId, openHouse, proposalOf, type House } from './house-rig.ts';
import { holdfast, type Ended } from './program.ts';

let house: House;
let runbooks: string;
beforeAll(async () => {
  house = await openHouse();
  runbooks = await readFile(path.join(repositoryFolder, 'docs', 'operations.md'), 'utf8');
});
afterAll(() => house.stop());

const run = (...words: string[]): Promise<Ended> =>
  holdfast(
    {
      DATABASE_URL: house.opened.settings.databaseUrl ?? '',
      HOLDFAST_DEMO: 'off',
      HOLDFAST_DATA_DIR: house.opened.settings.dataFolder,
      STRIPE_SECRET_KEY: house.fake.access.secretKey,
      STRIPE_API_BASE: house.fake.access.apiBase,
    },
    ...words,
  );

it('every runbook that somebody looks for at night is there', () => {
  const headings = runbooks.split('\n').filter((line) => line.startsWith('## '));
  expect(headings).toEqual(
    expect.arrayContaining([
      '## Back up, and restore',
      '## A new key at the provider',
      '## A new webhook secret',
      '## The provider cannot be reached',
      '## Something does not move',
      '## Another PostgreSQL',
      '## A newer version without downtime',
      '## Erasing a person',
    ]),
  );
});

// Red when: a command or an option in the runbooks is renamed, or was never there.
it(
  'every command in the runbooks is one that there is, with the options that stand there',
  { timeout: 600_000 },
  async () => {
    const written = [...runbooks.matchAll(/`holdfast ([^`]+)`/g)].map(([, words = '']) => words);
    const commands = new Map<string, Set<string>>();
    for (const text of written) {
      const name = /^[a-z-]+( [a-z-]+)?(?= |$)/.exec(text.replace(/ (--|[A-Z]).*$/, ''))?.[0] ?? text;
      const options = commands.get(name) ?? new Set<string>();
      for (const [option] of text.matchAll(/--[a-z]+/g)) options.add(option);
      commands.set(name, options);
    }
    expect(commands.size).toBeGreaterThan(9);
    for (const [name, options] of commands) {
      const { code, out } = await run(...name.split(' '), '--help');
      expect([name, code]).toEqual([name, 0]);
      expect(out.startsWith(`Usage: holdfast ${name}`), out).toBe(true);
      for (const option of options) expect([name, out.includes(option)]).toEqual([name, true]);
    }
  },
);

it('what the runbooks tell to run beside a house that works, runs', { timeout: 600_000 }, async () => {
  await house.order('runbook');
  const id = mintId();
  const key = await house.key('agent');
  await house.ask('PUT', `/v1/operations/${id}`, { key, body: proposalOf('runbook') });
  const { organisationId } = house;
  const other = await house.opened.made.engine.createOrganisation('Elsewhere');
  const file = path.join(house.opened.settings.dataFolder, 'runbook.backup');
  const tried: readonly (readonly string[])[] = [
    ['hold', 'on', '--reason', 'Nonsense comes back.'],
    ['hold', 'status', '--org', organisationId],
    ['hold', 'on', '--all'],
    ['op', 'show', id],
    ['unresolved'],
    ['sweep', '--since', '24h'],
    ['backup', file],
    ['audit', 'verify'],
  ];
  for (const words of tried) {
    const { code, error } = await run(...words);
    expect([words.join(' '), code, error]).toEqual([words.join(' '), 0, expect.any(String)]);
  }
  const { hold } = house.opened.made.engine;
  // The first reason stays, and the other organisation is held as well.
  expect(await hold.get(organisationId)).toMatchObject({ on: true, reason: 'Nonsense comes back.' });
  expect((await hold.get(other.id)).on).toBe(true);
  expect((await run('hold', 'off', '--all', '--org', other.id)).code).toBe(1);
  expect((await run('hold', 'off', '--all')).code).toBe(0);
  expect([(await hold.get(organisationId)).on, (await hold.get(other.id)).on]).toEqual([false, false]);
});
