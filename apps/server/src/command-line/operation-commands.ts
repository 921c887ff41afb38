import { operationStates, parseOperationId, type Operation, type OperationState } from '@holdfast/operation';
import { InvalidArgumentError, type Command } from 'commander';
import { amountText, commandFailed, outputFor } from './output.ts';
import { commandLine, inWorkplace } from './workplace.ts';

type Common = { json?: boolean; org?: string };

const oneLine = (operation: Operation): string =>
  [
    operation.id,
    operation.state,
    operation.needsPerson ? operation.attention.map(({ reason }) => reason).join('+') : '-',
    operation.amount === null ? '-' : amountText(operation.amount),
    `order ${operation.orderId ?? '-'}`,
    operation.sentence,
  ].join('  ');

const statesIn = (text: string): OperationState[] =>
  text.split(',').map((name) => {
    const state = operationStates.find((one) => one === name.trim());
    if (state === undefined)
      throw new InvalidArgumentError(`It must be one of ${operationStates.join(', ')}.`);
    return state;
  });

const limitIn = (text: string): number => {
  if (!/^\d{1,3}$/.test(text) || Number(text) < 1 || Number(text) > 200) {
    throw new InvalidArgumentError('It must be a number from 1 to 200.');
  }
  return Number(text);
};

const show = async (given: string, { json, org }: Common): Promise<void> => {
  const output = outputFor(json === true);
  const id = parseOperationId(given);
  if (id === undefined) throw commandFailed(`"${given}" is not an operation's ID.`, 'It is a UUIDv7.');
  await inWorkplace(output, async ({ engine, organisation }) => {
    const found = await engine.getOperation(commandLine(await organisation(org)), id);
    if (found === null)
      throw commandFailed(`There is no operation ${id}.`, 'Look for it with `holdfast op list`.');
    output.result(found, [
      oneLine(found),
      ...(found.nextCheckAt === null ? [] : [`  next check  ${found.nextCheckAt}`]),
      ...found.timeline.map((entry) => `  ${entry.at}  ${entry.sentence}`),
      ...(found.attempts ?? []).map(
        (attempt) =>
          `  attempt ${String(attempt.number)}  ${attempt.startedAt}  ${attempt.result ?? 'no end recorded'}`,
      ),
      ...(found.observations ?? []).map((seen) => `  seen by ${seen.source}  ${seen.at}  ${seen.summary}`),
    ]);
  });
};

const eraseConversation = async (given: string, { json, org }: Common): Promise<void> => {
  const output = outputFor(json === true);
  await inWorkplace(output, async ({ engine, organisation }) => {
    if (!(await engine.eraseConversation(commandLine(await organisation(org)), given)))
      throw commandFailed(
        `Nothing that an assistant was asked is kept of "${given}".`,
        'See `holdfast op show`.',
      );
    output.result({ erased: given }, ['Erased. The audit keeps that it was there, and no word of it.']);
  });
};

type ListOptions = Common & { state?: OperationState[]; limit?: number };

const list = async ({ state, limit, json, org }: ListOptions): Promise<void> => {
  const output = outputFor(json === true);
  await inWorkplace(output, async ({ engine, organisation }) => {
    const page = await engine.listOperations(commandLine(await organisation(org)), {
      ...(state === undefined ? {} : { states: state }),
      limit: limit ?? 50,
    });
    output.result(page, page.items.map(oneLine));
    if (page.nextCursor !== null) output.note('There are more.');
  });
};

/** What is not established, and what stands before a person: each once, oldest first. */
const unresolved = async ({ json, org }: Common): Promise<void> => {
  const output = outputFor(json === true);
  await inWorkplace(output, async ({ engine, organisation }) => {
    const who = commandLine(await organisation(org));
    const found = new Map<string, Operation>();
    for (const filter of [{ states: ['outcome_unknown'] as const }, { needsPerson: true }]) {
      let cursor: string | null = null;
      do {
        const page = await engine.listOperations(who, {
          ...filter,
          limit: 200,
          ...(cursor === null ? {} : { cursor }),
        });
        for (const operation of page.items) found.set(operation.id, operation);
        cursor = page.nextCursor;
      } while (cursor !== null);
    }
    const items = [...found.values()].toSorted((one, other) => one.updatedAt.localeCompare(other.updatedAt));
    output.result({ items }, items.length === 0 ? ['Nothing is unresolved.'] : items.map(oneLine));
  });
};

export const addOperationCommands = (program: Command): void => {
  const group = program.command('op').description('operations');
  group
    .command('show')
    .description('one operation with its history and evidence')
    .argument('<id>', "the operation's ID")
    .option('--org <id>', 'organisation; without it the default one')
    .option('--json', 'print it as JSON')
    .action(show);
  group
    .command('erase-conversation')
    .description('delete what an assistant was asked before it was proposed; the audit stays whole')
    .argument('<id>', "the operation's ID")
    .option('--org <id>', 'organisation; without it the default one')
    .option('--json', 'print {erased}')
    .action(eraseConversation);
  group
    .command('list')
    .description('operations, newest first')
    .option('--state <states>', 'only these, separated by commas', statesIn)
    .option('--limit <number>', 'at most so many (50)', limitIn)
    .option('--org <id>', 'organisation; without it the default one')
    .option('--json', 'print {items, nextCursor}')
    .action(list);
  program
    .command('unresolved')
    .description('what is not established, and what stands before a person')
    .option('--org <id>', 'organisation; without it the default one')
    .option('--json', 'print {items}')
    .action(unresolved);
};
