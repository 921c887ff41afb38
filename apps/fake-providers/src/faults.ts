import { z } from 'zod';

/** How a refund request is met. Without one it is carried out and answered. */
export const deeds = [
  'drop_before',
  'execute_then_drop',
  'execute_then_hang',
  'execute_then_500',
  'html_502',
  'truncated_body',
  'drip_body',
  'empty_200',
  'rate_limit',
  'stays_pending',
  'hide_from_list',
  'wrong_amount',
] as const;

export const faultInput = z.object({
  provider: z.enum(['adyen', 'paypal', 'mollie', 'square', 'gateway']),
  payment: z.string(),
  do: z.enum(deeds),
  times: z.number().int().positive().default(1),
  /** For so long the refund is in no list. */
  ms: z.number().int().nonnegative().default(0),
  amount: z.number().int().positive().default(100),
  /** `held`: what is to be delivered about it waits until webhooks are released. */
  webhook: z.enum(['sent', 'held']).default('sent'),
});
export type Fault = z.infer<typeof faultInput>;

/** Takes the first fault that is meant for this payment, once. */
export const takeFault = (faults: Fault[], provider: string, payment: string): Fault | undefined => {
  const at = faults.findIndex((fault) => fault.provider === provider && fault.payment === payment);
  const fault = faults[at];
  if (fault === undefined) return undefined;
  fault.times -= 1;
  if (fault.times === 0) faults.splice(at, 1);
  return fault;
};
