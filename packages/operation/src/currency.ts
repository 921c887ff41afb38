/**
 * Decimal digits of the minor unit of each ISO 4217 currency in circulation (source: ISO 4217 list one), and of those
 * withdrawn so lately that a payment in them may still be refunded. A code that is in none of the lists is refused.
 */
const withoutDecimals = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF';
const withThreeDecimals = 'BHD IQD JOD KWD LYD OMR TND';
const withTwoDecimals =
  'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY ' +
  'COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ' +
  'ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK ' +
  'MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP ' +
  'SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ' +
  'ZMW ZWG';

const digits = new Map<string, number>([
  ...withoutDecimals.split(' ').map((code) => [code, 0] as const),
  ...withTwoDecimals.split(' ').map((code) => [code, 2] as const),
  ...withThreeDecimals.split(' ').map((code) => [code, 3] as const),
]);

/** Digits after the decimal mark for people (ISO 4217); `undefined` for a code we do not know. */
export const minorUnitDigits = (currency: string): number | undefined => digits.get(currency);

export const knownCurrencies: readonly string[] = [...digits.keys()].sort();
