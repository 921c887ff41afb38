import { createWriteStream, existsSync } from 'node:fs';
import { once } from 'node:events';
import type { KeptFinding, ProviderAccount, SweepProgress, SweepResult } from '@holdfast/engine';
import { sweepFindingKinds } from '@holdfast/engine';
import { connect, createSweeper, readSweep, type Sweeper } from '@holdfast/engine/postgres';
import { InvalidArgumentError, type Command } from 'commander';
import { csvMark, csvRows } from '../export/csv-rows.ts';
import { zonedTime } from '../export/zoned-time.ts';
import { workerSettings } from '../start/make-engine.ts';
import { allFindings, type FindingsOf } from '../sweep/all-findings.ts';
import { findingHeadings, findingRow } from '../sweep/finding-rows.ts';
import { accountOf } from './account-of.ts';
import { amountText, commandFailed, counted, foundSomething, outputFor, type Output } from './output.ts';
import { inWorkplace } from './workplace.ts';

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

const columns = ['what', 'refund', 'payment', 'amount', 'operation'];
const aligned = ([what = '', refund = '', payment = '', amount = '', operation = '']: readonly string[]) =>
  [what.padEnd(18), refund.padEnd(28), payment.padEnd(28), amount.padEnd(16), operation].join('  ');

const findingLine = (finding: KeptFinding): string =>
  aligned([
    finding.kind,
    finding.reference,
    finding.paymentReference,
    finding.ours === null
      ? amountText(finding.amount)
      : `${amountText(finding.amount)}, here ${amountText(finding.ours)}`,
    finding.operationId ?? '-',
  ]);

const progressLine = ({ phase, refundsRead, operationsRead, eventsRead, found }: SweepProgress): string => {
  const said = [
    counted(refundsRead, 'refund'),
    ...(phase === 'refunds' ? [] : [counted(operationsRead, 'operation')]),
    ...(phase === 'events' ? [counted(eventsRead, 'event')] : []),
  ];
  return `Compared ${said.join(', ')} so far; ${found === 0 ? 'nothing found' : counted(found, 'finding')}.`;
};

const betweenLinesMs = 1_000;

/** A line that is written over itself on a terminal; elsewhere one now and then. Never on standard output. */
const progressOn = (stream: NodeJS.WriteStream) => {
  let saidAtMs = performance.now();
  let shown = false;
  return {
    say: (progress: SweepProgress): void => {
      const nowMs = performance.now();
      if (nowMs - saidAtMs < (stream.isTTY ? betweenLinesMs / 5 : betweenLinesMs)) return;
      saidAtMs = nowMs;
      stream.write(stream.isTTY ? `\r\u001B[2K${progressLine(progress)}` : `${progressLine(progress)}\n`);
      shown = stream.isTTY;
    },
    end: (): void => {
      if (shown) stream.write('\r\u001B[2K');
    },
  };
};

const lostSight = (result: Exclude<SweepResult, { kind: 'swept' }>): Error => {
  switch (result.kind) {
    case 'not-home':
      return commandFailed(
        "The key is not of this organisation's account, so nothing was compared.",
        'Give it its account with `holdfast provider set`; `holdfast doctor` says which one it is.',
      );
    case 'taken-over':
    case 'stopped':
      return commandFailed(
        'Another process has taken this sweep up, since this one was not heard of for too long.',
        'See the sweep in the app, or sweep again.',
      );
    case 'no-answer': {
      const { found, because, ourKeyRefused } = result;
      const so = found === 0 ? '' : ` What was read until then did not agree in ${counted(found, 'place')}.`;
      return commandFailed(
        `The provider did not answer to the end (${because}), so nothing is known of the rest.${so}`,
        ourKeyRefused
          ? 'Give it a key that may read refunds.'
          : 'See that this machine reaches it, and sweep again.',
      );
    }
  }
};

const busyPauseMs = 500;

/** Waits while another process sweeps the account: two at once would only ask the provider everything twice. */
const inTurn = async (
  sweeper: Sweeper,
  account: ProviderAccount,
  output: Output,
  begin: () => ReturnType<Sweeper['run']>,
): Promise<Extract<Awaited<ReturnType<Sweeper['run']>>, { kind: 'ran' }>> => {
  let told = false;
  for (;;) {
    const begun = await begin();
    if (begun.kind === 'ran') return begun;
    if (begun.kind === 'nothing-to-resume') {
      throw commandFailed('No sweep was cut off, so there is none to go on with.', 'Leave --resume out.');
    }
    if (!told) output.note('Another process is sweeping this account; waiting for it to end.');
    told = true;
    while (await sweeper.isBusy(account)) await new Promise((resolve) => setTimeout(resolve, busyPauseMs));
  }
};

const mostShown = 1_000;
/** As many as fit on a screen and in memory; the rest is counted, and is in the CSV and the app. */
const someFindings = async (found: FindingsOf): Promise<readonly KeptFinding[]> => {
  const shown: KeptFinding[] = [];
  for await (const page of allFindings(found)) {
    shown.push(...page);
    if (shown.length >= mostShown) break;
  }
  return shown.slice(0, mostShown);
};

/** Every finding as a row, page by page, to a file or (`-`) to standard output. */
const writeCsv = async (found: FindingsOf, file: string, timeZone: string): Promise<void> => {
  const at = zonedTime(timeZone);
  const stream = file === '-' ? process.stdout : createWriteStream(file, { mode: 0o600, flags: 'wx' });
  const failed =
    file === '-' ? undefined : once(stream, 'error').then(([error]) => Promise.reject(error as Error));
  failed?.catch(() => undefined);
  const write = async (text: string): Promise<void> => {
    if (!stream.write(text)) await Promise.race([once(stream, 'drain'), ...(failed ? [failed] : [])]);
  };
  try {
    await write(csvMark + csvRows([findingHeadings(timeZone)]));
    for await (const page of allFindings(found)) await write(csvRows(page.map((one) => findingRow(one, at))));
    if (file !== '-') {
      stream.end();
      await Promise.race([once(stream, 'close'), ...(failed ? [failed] : [])]);
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw commandFailed(
      `${file} cannot be written (${code}).`,
      'Name a file that can be written; the findings are in the app too.',
    );
  }
};

type Options = {
  readonly since?: number;
  readonly json?: boolean;
  readonly org?: string;
  readonly csv?: string | true;
  readonly resume?: boolean;
};

const report = async (
  output: Output,
  options: Options,
  found: FindingsOf,
  result: Extract<SweepResult, { kind: 'swept' }>,
  account: ProviderAccount,
): Promise<void> => {
  const { sinceMs, sweptAtMs, refundsRead, operationsRead, eventsRead, eventsFetched } = result;
  const sweep = await found.inOrganisation(found.organisationId, (tx) => readSweep(tx, found.sweepId));
  const total = sweep?.found ?? result.found;
  const clean = total === 0;
  const window = { since: new Date(sinceMs).toISOString(), until: new Date(sweptAtMs).toISOString() };
  const read = `Compared ${counted(refundsRead, 'refund')} of ${account.accountId} and ${counted(operationsRead, 'operation')} since ${window.since}, and read ${counted(eventsRead, 'event')}, ${String(eventsFetched)} of them never told`;
  const csv = options.csv === true ? '-' : options.csv;
  const findings = csv === '-' ? [] : await someFindings(found);
  if (csv !== undefined) await writeCsv(found, csv, 'UTC');
  if (csv !== undefined && csv !== '-') output.note(`The findings are in ${csv}.`);
  const summary = clean ? `${read}: both sides say the same.` : `${read}: ${counted(total, 'finding')}.`;
  if (csv === '-') output.note(summary);
  else {
    output.result(
      {
        clean,
        sweepId: found.sweepId,
        organisationId: found.organisationId,
        accountId: account.accountId,
        ...window,
        refundsRead,
        operationsRead,
        eventsRead,
        eventsFetched,
        found: total,
        findings,
      },
      clean ? [summary] : [aligned(columns), ...findings.map(findingLine), summary],
    );
  }
  if (clean) return;
  output.note(
    'Look at an operation with `holdfast op show ID`. A refund without one (-) was made outside Holdfast: ask who made it at the provider.',
  );
  foundSomething();
};

const sweep = async (options: Options): Promise<void> => {
  const output = outputFor(options.json === true);
  if (options.since === undefined && options.resume !== true) {
    throw commandFailed(
      'Nothing says how far back to compare.',
      'Add --since, like --since 24h, or --resume.',
    );
  }
  if (options.json === true && (options.csv === true || options.csv === '-')) {
    throw commandFailed(
      '--json and --csv both write to standard output.',
      'Give --csv a file, or leave one out.',
    );
  }
  if (typeof options.csv === 'string' && options.csv !== '-' && existsSync(options.csv)) {
    throw commandFailed(`${options.csv} is there already.`, 'Name a file that is not there yet.');
  }
  await inWorkplace(output, async (workplace) => {
    const { database, inOrganisation, settings, organisation } = workplace;
    const organisationId = await organisation(options.org);
    const account = await accountOf(workplace, organisationId);
    const connection = connect({ url: database.url, maximum: 2, applicationName: 'holdfast sweep' });
    const progress = progressOn(process.stderr);
    try {
      const sweeper = createSweeper({
        connection,
        inOrganisation,
        settings: workerSettings(settings),
        name: `command line ${String(process.pid)}`,
      });
      const asked = {
        askedBy: 'command-line',
        sinceAgoMs: options.since ?? 0,
        resume: options.resume === true,
      };
      const { id, result } = await inTurn(sweeper, account, output, () =>
        sweeper.run(account, asked, progress.say),
      );
      progress.end();
      if (result.kind !== 'swept') throw lostSight(result);
      await report(output, options, { inOrganisation, organisationId, sweepId: id }, result, account);
    } finally {
      await connection.close();
    }
  });
};

export const addSweepCommand = (program: Command): void => {
  program
    .command('sweep')
    .description(
      `compare the provider's ledger with ours; exit code 3 when they differ (${sweepFindingKinds.join(', ')})`,
    )
    .option('--since <duration>', 'how far back, like 90m, 24h or 30d', durationIn)
    .option('--resume', 'go on with the sweep that was cut off, where it was')
    .option('--org <id>', 'organisation; without it the default one')
    .option('--json', 'print {clean, since, until, refundsRead, operationsRead, found, findings}')
    .option('--csv [file]', 'write every finding as CSV, to the file or to standard output')
    .action(sweep);
};
