/** Where the person is and how to go elsewhere. Screens know this, not the router. */
export type Address = {
  readonly path: string;
  readonly parameters: Readonly<Record<string, string | undefined>>;
  /** The search part of the address, as text: filters live here, so that a link shows the same list. */
  readonly search: URLSearchParams;
  go(path: string, options?: { readonly replace?: boolean; readonly keepScroll?: boolean }): void;
};

export const pathTo = {
  order: (orderId: string): string => `/orders/${encodeURIComponent(orderId)}`,
  refund: (orderId: string): string => `/orders/${encodeURIComponent(orderId)}/refund`,
  anotherRefund: (orderId: string, otherThan: string): string =>
    `/orders/${encodeURIComponent(orderId)}/refund?otherThan=${encodeURIComponent(otherThan)}`,
  revision: (orderId: string, operationId: string): string =>
    `/orders/${encodeURIComponent(orderId)}/refund?revise=${encodeURIComponent(operationId)}`,
  replacement: (orderId: string, operationId: string): string =>
    `/orders/${encodeURIComponent(orderId)}/refund?replaces=${encodeURIComponent(operationId)}`,
  ticket: (ticketId: string): string => `/tickets/${encodeURIComponent(ticketId)}`,
  operation: (operationId: string): string => `/operations/${encodeURIComponent(operationId)}`,
  /** The case, with what an item of this device says of its outcome filled in again. */
  settleAgain: (operationId: string, itemKey: string): string =>
    `/operations/${encodeURIComponent(operationId)}?again=${encodeURIComponent(itemKey)}`,
  deviceRecord: (operationId: string): string => `/device?operation=${encodeURIComponent(operationId)}`,
  approval: (operationId: string): string => `/approvals/${encodeURIComponent(operationId)}`,
  settings: (section: string): string => `/settings/${encodeURIComponent(section)}`,
} as const;
