import type { DeviceItem, RecordItem, RecordLine } from '@holdfast/outbox';
import { words } from '../../messages/messages.ts';
import { record as text } from '../../messages/en-record.ts';
import { moneyText } from '../../parts/money.ts';

const iso = (milliseconds: number): string => new Date(milliseconds).toISOString();

export const nameOfItem = (item: Pick<DeviceItem, 'command'>): string =>
  item.command.type === 'propose'
    ? `${words.device.command.propose}, ${moneyText(item.command.amount)}`
    : item.command.type === 'approve' && item.command.assertion !== undefined
      ? text.signed(words.device.command.approve)
      : words.device.command[item.command.type];

const stateWord = (state: string): string =>
  (words.states as Record<string, string | undefined>)[state] ?? state;

/** How sure we are of it: never a stronger word than its evidence. */
export const standsOf = (item: RecordItem): string => {
  const { ending, receipt } = item;
  if (ending?.how === 'dropped') return text.dropped[ending.because] ?? words.device.recordWords.dropped;
  if (receipt === null) return words.device.safety[item.safety];
  if (receipt.status === 'rejected') return text.refused;
  return receipt.operationState === null
    ? words.device.safety.received
    : `${text.accepted(stateWord(receipt.operationState), receipt.operationVersion)}.`;
};

/** What happens next, or what the server said. */
export const nextOf = (item: RecordItem, signInNeeded: boolean): string | null => {
  if (item.receipt?.problem) return item.receipt.problem.detail;
  if (item.ending !== null) return null;
  if (item.sending) return words.device.sending;
  if (signInNeeded) return words.device.notSent['sign-in'];
  return item.notSentBecause === null ? null : words.device.notSent[item.notSentBecause];
};

/** One line of the history: what, with what result, and by which request. */
export const lineText = (line: RecordLine): string => {
  const said =
    line.event === 'verdict'
      ? `${words.device.recordWords.verdict}: ${words.device.verdictWords[line.detail ?? ''] ?? line.detail ?? ''}`
      : line.event === 'dropped'
        ? `${words.device.recordWords.dropped}: ${text.dropped[line.detail ?? ''] ?? line.detail ?? ''}`
        : line.result === null
          ? words.device.recordWords[line.event]
          : `${words.device.recordWords[line.event]}: ${words.device.attemptWords[line.result]}`;
  const more = [
    ...(line.status === null ? [] : [text.httpStatus(line.status)]),
    ...(line.commandCount !== null && line.commandCount > 1 ? [text.together(line.commandCount)] : []),
    ...(line.appVersion === null ? [] : [text.version(line.appVersion)]),
  ];
  return more.length === 0 ? said : `${said} (${more.join(', ')})`;
};

/** What support needs of one item: reference, times, results. */
export const itemAsText = (item: RecordItem, orderId: string | null, lines: readonly RecordLine[]): string =>
  [
    `${nameOfItem(item)}: ${standsOf(item)}`,
    `${text.reference}: ${item.operationId}`,
    ...(item.commandId === item.operationId ? [] : [`Command: ${item.commandId}`]),
    ...(orderId === null ? [] : [text.order(orderId)]),
    text.clock,
    ...lines
      .toReversed()
      .map(
        (line) =>
          `${iso(line.atMs)}  ${lineText(line)}${line.detail !== null && line.event === 'attempt-ended' ? `: ${line.detail}` : ''}`,
      ),
  ].join('\n');

export const recordFileName = (nowMs: number): string => `holdfast-record-${iso(nowMs).slice(0, 10)}.json`;
