import type { Command } from '@holdfast/operation';

/** What a decision wants of its operation; commands without one are never opposite to anything. */
const direction = (command: Command): string | undefined => {
  switch (command.type) {
    case 'approve':
      return 'carry out';
    case 'deny':
    case 'cancel':
      return 'end';
    case 'resolve':
      return `settle as ${command.outcome}`;
    // Approving and taking it back, in that order, is one story and not two.
    case 'withdraw':
    case 'propose':
      return undefined;
  }
};

/**
 * Command IDs of decisions in one batch that ask opposite things of one operation: which one its giver meant cannot
 * be known, so neither applies. `settled` are command IDs that already have a verdict, so they ask nothing new.
 */
export const oppositeDecisions = (
  batch: readonly Command[],
  settled: ReadonlySet<string>,
): ReadonlySet<string> => {
  const byOperation = new Map<string, { commandId: string; wants: string }[]>();
  for (const command of batch) {
    const wants = direction(command);
    if (wants === undefined || settled.has(command.commandId)) continue;
    const known = byOperation.get(command.operationId) ?? [];
    known.push({ commandId: command.commandId, wants });
    byOperation.set(command.operationId, known);
  }
  const opposite = new Set<string>();
  for (const decisions of byOperation.values()) {
    if (new Set(decisions.map(({ wants }) => wants)).size < 2) continue;
    for (const { commandId } of decisions) opposite.add(commandId);
  }
  return opposite;
};
