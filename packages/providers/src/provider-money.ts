import { formatAmount, knownCurrencies, minorUnitDigits, type Amount } from '@holdfast/operation';

/** How a provider writes money, as data. Whatever is not in it is refused at intake, before anybody approves it. */
export type ProviderMoney = {
  /** Digits after the decimal mark in the provider's amounts, by ISO 4217 code. A code that is missing is not taken. */
  readonly digits: Readonly<Record<string, number>>;
  /** Where only every so manieth of the provider's units is taken: 10 means that the last digit must be 0. Else 1. */
  readonly steps: Readonly<Record<string, number>>;
  /** The largest amount that the provider's field holds, in the provider's units. */
  readonly largest: number;
};

/** A provider that writes each currency as ISO 4217 does, and any amount that is exact. */
export const isoMoney: ProviderMoney = {
  digits: Object.fromEntries(knownCurrencies.map((currency) => [currency, minorUnitDigits(currency) ?? 2])),
  steps: {},
  largest: Number.MAX_SAFE_INTEGER,
};

export type ProviderAmount =
  | { readonly ok: true; readonly amount: number; readonly currency: string }
  | { readonly ok: false; readonly field: 'minor' | 'currency'; readonly because: string };

/** Who writes money how. The name is what people read. */
type Writer = { readonly displayName: string; readonly money: ProviderMoney };

/** `undefined`: the provider takes the currency. Else why it does not, and what to do. */
export const currencyProblem = (provider: Writer, currency: string): string | undefined =>
  unitOf(provider, currency) === undefined
    ? `${provider.displayName} is not known to take ${currency}. Use the currency in which ${provider.displayName} took the payment.`
    : undefined;

/**
 * ISO minor units as the provider writes them, the currency in lower case. Never rounds: it refuses, names the field,
 * and `because` says what could be asked for instead.
 */
export const toProviderAmount = (provider: Writer, given: Partial<Amount> | undefined): ProviderAmount => {
  // An amount that is not there must never become "all that is left", whatever the types promised.
  const { minor = Number.NaN, currency = '' } = given ?? {};
  const unit = unitOf(provider, currency);
  if (unit === undefined) {
    return { ok: false, field: 'currency', because: currencyProblem(provider, currency) ?? '' };
  }
  const refuse = (because: string): ProviderAmount => ({ ok: false, field: 'minor', because });
  if (!Number.isSafeInteger(minor) || minor <= 0)
    return refuse('The amount must be a whole number above zero.');
  // The largest amount is compared in minor units, where nothing has been multiplied past what is exact.
  if (minor > unit.largestMinor) {
    const largest = formatAmount({ minor: unit.largestMinor, currency });
    return refuse(`${provider.displayName} takes at most ${largest} at once. Ask for no more than that.`);
  }
  if (minor % unit.stepMinor !== 0) return refuse(offStep(provider, { minor, currency }, unit.stepMinor));
  const amount = unit.shift >= 0 ? minor * 10 ** unit.shift : minor / 10 ** -unit.shift;
  return { ok: true, amount, currency: currency.toLowerCase() };
};

/** The provider's units to ISO minor units; `undefined` where that cannot be done exactly. Zero is a figure too. */
export const fromProviderAmount = (
  provider: Writer,
  amount: unknown,
  currency: unknown,
): Amount | undefined => {
  if (typeof amount !== 'number' || !Number.isSafeInteger(amount) || amount < 0) return undefined;
  if (typeof currency !== 'string') return undefined;
  const code = currency.toUpperCase();
  const unit = unitOf(provider, code);
  if (unit === undefined) return undefined;
  const minor = unit.shift >= 0 ? amount / 10 ** unit.shift : amount * 10 ** -unit.shift;
  return Number.isSafeInteger(minor) ? { minor, currency: code } : undefined;
};

type Unit = {
  /** Powers of ten from an ISO minor unit to the provider's. */
  readonly shift: number;
  readonly stepMinor: number;
  readonly largestMinor: number;
};

const unitOf = ({ money }: Writer, currency: string): Unit | undefined => {
  const isoDigits = minorUnitDigits(currency);
  const digits = money.digits[currency];
  if (isoDigits === undefined || digits === undefined) return undefined;
  const shift = digits - isoDigits;
  const step = money.steps[currency] ?? 1;
  const stepMinor = shift >= 0 ? Math.max(1, step / 10 ** shift) : step * 10 ** -shift;
  const largest = shift >= 0 ? Math.floor(money.largest / 10 ** shift) : money.largest * 10 ** -shift;
  return { shift, stepMinor, largestMinor: Math.min(largest, Number.MAX_SAFE_INTEGER) };
};

const offStep = (provider: Writer, { minor, currency }: Amount, stepMinor: number): string => {
  const below = minor - (minor % stepMinor);
  const near = [below, below + stepMinor].filter((one) => one > 0);
  const choices = near.map((one) => formatAmount({ minor: one, currency })).join(' or ');
  const step = formatAmount({ minor: stepMinor, currency });
  return `${provider.displayName} takes ${currency} only in steps of ${step}. Ask for ${choices}.`;
};
