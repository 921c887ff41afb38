import type { ModelCost } from './wire/conversation-message.ts';

/** "USD 0.0042": as many digits as it takes to say it whole, two at least. */
export const modelCostText = ({ micros, currency }: ModelCost): string => {
  const whole = Math.floor(micros / 1_000_000);
  const rest = String(micros % 1_000_000)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  return `${currency} ${String(whole)}.${rest}`;
};
