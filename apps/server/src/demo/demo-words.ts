type NonEmpty<Item> = readonly [Item, ...Item[]];

export const firstNames: NonEmpty<string> = [
  ...(['Amara', 'Noor', 'Elif', 'Mateo', 'Yuki', 'Hannah', 'Omar', 'Chloe', 'Tomasz', 'Ines'] as const),
  ...['Kwame', 'Freya', 'Luca', 'Priya', 'Jonas', 'Sofia', 'Dmitri', 'Aisha', 'Rhys', 'Mei'],
  ...['Carlos', 'Ingrid', 'Fatima', 'Declan', 'Hiro', 'Zsófia', 'Tariq', 'Anouk', 'Bilal', 'Greta'],
];

export const lastNames: NonEmpty<string> = [
  ...([
    'Okafor',
    'Lindqvist',
    'Yılmaz',
    'García',
    'Tanaka',
    'Meyer',
    'Haddad',
    'Dubois',
    'Kowalski',
    'Silva',
  ] as const),
  ...['Mensah', 'Nilsen', 'Rossi', 'Sharma', 'Weber', 'Petrova', 'Volkov', 'Rahman', 'Evans', 'Chen'],
  ...[
    'Ortega',
    'Bakker',
    'Al-Sabah',
    "O'Brien",
    'Nakamura',
    'Szabó',
    'Qureshi',
    'Laurent',
    'Farooq',
    'Engel',
  ],
];

/** Prices in minor units of a currency without decimals times a hundred would mislead, so each currency has a factor. */
export const products: NonEmpty<{
  readonly sku: string;
  readonly title: string;
  readonly euroCents: number;
}> = [
  { sku: 'HP-200', title: 'Over-ear headphones, midnight blue', euroCents: 12900 },
  { sku: 'HP-110', title: 'In-ear headphones with case', euroCents: 5990 },
  { sku: 'KB-075', title: 'Compact keyboard, silent switches', euroCents: 8450 },
  { sku: 'LP-030', title: 'Reading lamp, brass', euroCents: 4725 },
  { sku: 'BP-018', title: 'Day backpack, 18 litres', euroCents: 7200 },
  { sku: 'MG-350', title: 'Stoneware mug, set of two', euroCents: 2490 },
  { sku: 'JK-044', title: 'Rain jacket, moss green', euroCents: 13995 },
  { sku: 'SH-042', title: 'Running shoes, size 42', euroCents: 11450 },
  { sku: 'BL-001', title: 'Wool blanket', euroCents: 6900 },
  { sku: 'CM-500', title: 'Coffee grinder', euroCents: 9875 },
  { sku: 'NB-005', title: 'Notebook, dotted, pack of five', euroCents: 1850 },
  { sku: 'CB-100', title: 'USB-C cable, 2 m', euroCents: 1299 },
  { sku: 'TB-010', title: 'Travel tumbler', euroCents: 2795 },
  { sku: 'SP-020', title: 'Portable speaker', euroCents: 8990 },
];

export type DemoCurrency = {
  readonly code: string;
  /** Minor units of this currency for one euro cent, and the step prices are rounded to. */
  readonly perEuroCent: number;
  readonly step: number;
};

/** KWD in steps of ten thousandths of a dinar less one digit: card networks settle it to two decimals only. */
export const currencies: NonEmpty<DemoCurrency> = [
  { code: 'EUR', perEuroCent: 1, step: 1 },
  { code: 'EUR', perEuroCent: 1, step: 5 },
  { code: 'USD', perEuroCent: 1.1, step: 5 },
  { code: 'USD', perEuroCent: 1.1, step: 1 },
  { code: 'GBP', perEuroCent: 0.85, step: 5 },
  { code: 'JPY', perEuroCent: 1.6, step: 10 },
  { code: 'KWD', perEuroCent: 3.3, step: 50 },
];

export const complaints: NonEmpty<{ readonly subject: string; readonly text: string }> = [
  {
    subject: 'Returned, still waiting for my money',
    text: 'I sent the parcel back last week and the tracking says it arrived. When will I get my money?',
  },
  {
    subject: 'Arrived damaged',
    text: 'The box was crushed and the item inside does not work. I would like my money back.',
  },
  { subject: 'Wrong size', text: 'It does not fit, so I returned it. Please refund it.' },
  { subject: 'Charged twice?', text: 'My bank shows the amount two times. Can you check?' },
  { subject: 'One item of the order is missing', text: 'The parcel held only part of what I ordered.' },
  { subject: 'Changed my mind', text: 'I have not opened it. How do I send it back?' },
  {
    subject: 'Where is my refund?',
    text: 'You wrote that the refund was on its way. My bank has nothing yet.',
  },
  {
    subject: 'Not what was in the picture',
    text: 'The colour is quite different from the picture in the shop.',
  },
];
