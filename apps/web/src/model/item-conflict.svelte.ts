import type { DeviceItem } from '@holdfast/outbox';
import { conflictOf, type Conflict } from './conflict-of.ts';
import { useHoldfast } from './holdfast-context.ts';
import { live, valueOr } from './live.svelte.ts';

/** Follows what is known of an item's operation and order, and says whether its decision meets something else there. */
export const itemConflict = (
  item: () => DeviceItem | null,
): { readonly isKnown: boolean; readonly conflict: Conflict | null } => {
  const { session } = useHoldfast();
  const here = live(() => {
    const of = item();
    return of === null ? null : { of: 'operation' as const, operationId: of.operationId };
  });
  const operation = $derived(valueOr(here.read, null)?.synced ?? null);
  const orderRead = live(() =>
    operation?.orderId == null ? null : { of: 'order' as const, orderId: operation.orderId },
  );
  const order = $derived(valueOr(orderRead.read, null));
  const isKnown = $derived(here.read.state !== 'loading');
  const conflict = $derived.by(() => {
    const of = item();
    if (of === null || !isKnown) return null;
    return conflictOf({ item: of, operation, order, me: session.person?.id ?? null });
  });
  return {
    get isKnown() {
      return isKnown;
    },
    get conflict() {
      return conflict;
    },
  };
};
