import { sweepFindingKinds, type SweepFinding, type SweepResult } from '@holdfast/engine';
import { connect, createSweep } from '@holdfast/engine/postgres';
import { InvalidArgumentError, type Command } from 'commander';
import { workerSettings } from '../start/make-engine.ts';
import { accountOf } from './account-of.ts';
import { collect } from './collected.ts';
import { amountText, commandFailed, counted, foundSomething, outputFor } from './output.ts';
import { inWorkplace } from './workplace.ts';

type Common = { json?: boolean; org?: string };

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const longestMs = 366 * 86_400_000;

/** "90m", "24h" or "30d", as milliseconds. */
export const durationIn = (text: string): number => {
  const [, number = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const ms = Number(number) * (units[unit] ?? 0);
  if (ms <= 0 || ms > longestMs) {
    throw new InvalidArgumentError('It must be minutes, hours or days like 90m, 24h or 30d, at most 366d.');
  }
  return ms;
};

const findingLine = ({
  kind,
  reference,
  paymentReference,
  amount,
  ours,
  operationId,
}: SweepFinding): string =>
  [
    kind.padEnd(18),
    reference.padEnd(28),
    paymentReference.padEnd(28),
    (ours === null ? amountText(amount) : `${amountText(amount)}, here ${amountText(ours)}`).padEnd(16),
    operationId ?? '-',
  ].join('  ');

const heading = ['what', 'refund', 'payment', 'amount', 'operation'];
const headingLine = [
  heading[0]?.padEnd(18),
  heading[1]?.padEnd(28),
  heading[2]?.padEnd(28),
  heading[3]?.padEnd(16),
  heading[4],
].join('  ');

const lostSight = (result: Exclude<SweepResult, { kind: 'swept' }>, foundSoFar: number): Error => {
  if (result.kind === 'not-home') {
    return commandFailed(
      "The key is not of this organisation's account, so nothing was compared.",
      'Give it its account with `holdfast provider set`; `holdfast doctor` says which one it is.',
    );
  }
  const so =
    foundSoFar === 0 ? '' : ` What was read until then did not agree in ${counted(foundSoFar, 'place')}.`;
  return commandFailed(
    `The provider did not answer to the end (${result.because}), so nothing is known of the rest.${so}`,
    result.ourKeyRefused
      ? 'Give it a key that may read refunds.'
      : 'See that this machine reaches it, and sweep again.',
  );
};

const sweep = async ({ since, json, org }: Common & { since: number }): Promise<void> => {
  const output = outputFor(json === true);
  await inWorkplace(output, async (workplace) => {
    const { database, inOrganisation, settings, organisation } = workplace;
    const organisationId = await organisation(org);
    const account = await accountOf(workplace, organisationId);
    const connection = connect({ url: database.url, maximum: 2, applicationName: 'holdfast sweep' });
    const found = collect<SweepFinding>();
    try {
      const run = createSweep({ connection, inOrganisation, settings: workerSettings(settings) });
      const result = await run(account, since, found.tell);
      if (result.kind !== 'swept') throw lostSight(result, found.total());
      const { sinceMs, sweptAtMs, refundsRead, operationsRead } = result;
      const window = { since: new Date(sinceMs).toISOString(), until: new Date(sweptAtMs).toISOString() };
      const read = `Compared ${counted(refundsRead, 'refund')} of ${account.accountId} and ${counted(operationsRead, 'operation')} since ${window.since}`;
      const clean = found.total() === 0;
      output.result(
        {
          clean,
          organisationId,
          accountId: account.accountId,
          ...window,
          refundsRead,
          operationsRead,
          found: found.total(),
          findings: found.shown,
        },
        clean
          ? [`${read}: both sides say the same.`]
          : [headingLine, ...found.shown.map(findingLine), `${read}: ${counted(found.total(), 'finding')}.`],
      );
      if (clean) return;
      output.note(
        'Look at an operation with `holdfast op show ID`. A refund without one (-) was made outside Holdfast: ask who made it at the provider.',
      );
      foundSomething();
    } finally {
      await connection.close();
    }
  });
};

export const addCheckingCommands = (program: Command): void => {
  program
    .command('sweep')
    .description(
      `compare the provider's ledger with ours; exit code 3 when they differ (${sweepFindingKinds.join(', ')})`,
    )
    .requiredOption('--since <duration>', 'how far back, like 90m, 24h or 30d', durationIn)
    .option('--org <id>', 'organisation; without it the default one')
    .option('--json', 'print {clean, since, until, refundsRead, operationsRead, found, findings}')
    .action(sweep);
};
