type Names = { readonly ones: readonly string[]; readonly tens: readonly string[] };

const english: Names = {
  ones: 'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  ),
  tens: '- - twenty thirty forty fifty sixty seventy eighty ninety'.split(' '),
};
const german: Names = {
  ones: 'null ein zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn'.split(
    ' ',
  ),
  tens: '- - zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig'.split(' '),
};
const dutch: Names = {
  ones: 'nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien'.split(
    ' ',
  ),
  tens: '- - twintig dertig veertig vijftig zestig zeventig tachtig negentig'.split(' '),
};
const french: Names = {
  ones: 'zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix_sept dix_huit dix_neuf'
    .split(' ')
    .map((word) => word.replace('_', ' ')),
  tens: '- - vingt trente quarante cinquante soixante soixante quatre_vingt quatre_vingt'
    .split(' ')
    .map((word) => word.replace('_', ' ')),
};
const spanish: Names = {
  ones: 'cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete dieciocho diecinueve'.split(
    ' ',
  ),
  tens: '- - veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa'.split(' '),
};

const name = (names: readonly string[], at: number): string => names[at] ?? '';

type UnderHundred = (number: number) => readonly string[];

const split = (number: number): readonly [tens: number, ones: number] => [
  Math.floor(number / 10),
  number % 10,
];

const plain =
  (names: Names, join: (tens: string, ones: string) => readonly string[]): UnderHundred =>
  (number) => {
    if (number < 20) return [name(names.ones, number)];
    const [tens, ones] = split(number);
    const word = name(names.tens, tens);
    return ones === 0 ? [word] : join(word, name(names.ones, ones));
  };

const frenchUnderHundred: UnderHundred = (number) => {
  if (number < 20) return [name(french.ones, number)];
  const [tens] = split(number);
  const word = name(french.tens, tens);
  // 70 to 79 go on from sixty, 90 to 99 from eighty.
  const over = tens === 7 || tens === 9 ? (number % 10) + 10 : number % 10;
  if (over === 0) return tens === 8 ? [word, `${word}s`] : [word];
  return [`${word} ${name(french.ones, over)}`, `${word} et ${name(french.ones, over)}`];
};

const spanishUnderHundred: UnderHundred = (number) => {
  if (number > 20 && number < 30) return [`veinti${name(spanish.ones, number - 20)}`];
  return plain(spanish, (tens, ones) => [`${tens} y ${ones}`])(number);
};

type Hundreds = (hundreds: number, rest: string) => readonly string[];

const spaced =
  (names: Names, hundred: string, joiners: readonly string[]): Hundreds =>
  (hundreds, rest) => {
    const counted = hundreds === 1 ? [hundred, `a ${hundred}`, `${name(names.ones, 1)} ${hundred}`] : [];
    const all = [...counted, `${name(names.ones, hundreds)} ${hundred}`];
    return all.flatMap((word) =>
      rest === '' ? [word, `${word}s`] : joiners.map((joiner) => `${word}${joiner}${rest}`),
    );
  };

const compound =
  (names: Names, hundred: string): Hundreds =>
  (hundreds, rest) =>
    [hundreds === 1 ? hundred : '', `${name(names.ones, hundreds)}${hundred}`]
      .filter((word) => word !== '')
      .flatMap((word) => [`${word}${rest}`, ...(rest === '' ? [] : [`${word} ${rest}`])]);

const spanishHundreds: Hundreds = (hundreds, rest) => {
  const names =
    '- cien doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos';
  const word = hundreds === 1 && rest !== '' ? 'ciento' : name(names.split(' '), hundreds);
  return [rest === '' ? word : `${word} ${rest}`];
};

const languages: readonly (readonly [UnderHundred, Hundreds])[] = [
  [plain(english, (tens, ones) => [`${tens} ${ones}`]), spaced(english, 'hundred', [' ', ' and '])],
  [plain(german, (tens, ones) => [`${ones}und${tens}`]), compound(german, 'hundert')],
  [plain(dutch, (tens, ones) => [`${ones}en${tens}`]), compound(dutch, 'honderd')],
  [frenchUnderHundred, spaced(french, 'cent', [' '])],
  [spanishUnderHundred, spanishHundreds],
];

/** One is an article in most of these languages, and no number until a quantity is looked for. */
const smallest = 2;

/** Words that are something else in another of the languages: taken for a number, they would say what nobody said. */
const alsoOtherWords: readonly string[] = ['cent', 'cents', 'once', 'onze'];

const numbers: ReadonlyMap<string, number> = new Map(
  languages.flatMap(([underHundred, hundreds]) =>
    Array.from({ length: 999 }, (_, index) => index + 1)
      .filter((number) => number >= smallest)
      .flatMap((number) => {
        if (number < 100) return underHundred(number).map((words) => [words, number] as const);
        const rest = number % 100 === 0 ? [''] : underHundred(number % 100);
        return rest.flatMap((words) =>
          hundreds(Math.floor(number / 100), words).map((all) => [all, number] as const),
        );
      })
      .filter(([words]) => !alsoOtherWords.includes(words)),
  ),
);

const longestInWords = 7;

/** Words with every number that is written out replaced by digits and a `w`. */
export const withDigits = (words: readonly string[]): readonly string[] => {
  const replaced: string[] = [];
  for (let at = 0; at < words.length;) {
    let taken = Math.min(longestInWords, words.length - at);
    while (taken > 0 && !numbers.has(words.slice(at, at + taken).join(' '))) taken -= 1;
    const number = numbers.get(words.slice(at, at + taken).join(' '));
    replaced.push(number === undefined ? (words[at] ?? '') : `${String(number)}w`);
    at += Math.max(1, taken);
  }
  return replaced;
};
