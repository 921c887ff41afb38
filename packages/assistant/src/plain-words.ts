const of = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== '');

/** Words that add nothing to what is asked for: articles, courtesies, and what stands around what was read. */
export const plainWords: ReadonlySet<string> = new Set([
  ...of(`a an the this that these those of on in at to for from with by and is are was were be been it its him her his
    she he they them their please kindly thanks thank you can could would will i we need want wants to have has had give
    gave get got the customer client buyer order item items product products refund money back as due because since
    also just now s t him me us our there here which who whose parcel package arrived came received receive did do
    does came return back in total one worth sum amount euro euros so hi hello dear only payment`),
  ...of(`der die das den dem des ein eine einen einer einem und fur von vom aus auf mit zu zum zur im in an am ist sind
    war wurde worden hat haben bitte danke kunde kunden kundin dem er sie es ihm ihr ihre ihren sein seine seinen geld
    da hier angekommen eingetroffen erhalten gekommen betrag artikel bestellung auftrag konnen kannst du wir ich die
    schon zuruck kam weil denn nur`),
  ...of(`de het een en van voor uit op met aan in is zijn was werd heeft hebben graag alsjeblieft aub bedankt klant zijn
    haar hij zij ze hem hun geld hier binnen aangekomen ontvangen bedrag artikel bestelling kun kan je jij u wij ik die
    dat al weer terug order gekregen kwam want alleen`),
  ...of(`le la les l un une des du de d et pour sur avec dans au aux est sont etait a ont ete merci svp s il vous plait
    te client cliente argent bien arrive arrivee arrives recu recue son sa ses lui il elle faut je nous veuillez
    pouvez tu peux commande article montant ce cette car y seulement`),
  ...of(`el la los las lo un una unos del de al y para por con en a es son fue ha han favor gracias cliente dinero su sus
    le se me ya llego llegado llegaron recibido quiero quisiera necesito puedes puede pedido articulo importe este esta
    que porque recibio solo`),
]);

/** Words that say "one" before the name of a thing. */
export const oneWords: ReadonlySet<string> = new Set(
  of('one a an single ein eine einen einer einem eines een un une uno una'),
);

export const bothWords: ReadonlySet<string> = new Set(of('both beide beiden allebei ambos ambas'));

/** What may stand between a number and the thing it counts. */
export const betweenWords: ReadonlySet<string> = new Set(
  of('of the der die das den von van de het los las des les du d l'),
);

/** Names of goods, a concept a line: what a shop calls by one of these words a person may call by another. */
const goods: readonly (readonly string[])[] = [
  'headphone headphones headset kopfhorer koptelefoon hoofdtelefoon casque ecouteurs auriculares cascos',
  'cable cord lead kabel kabels cable cables',
  'lamp light lampe leselampe leeslamp lampara',
  'mug mugs cup becher tasse tassen kaffeebecher mok mokken tasses taza tazas',
  'keyboard tastatur toetsenbord clavier teclado',
  'jacket coat jacke regenjacke jas regenjas veste manteau chaqueta impermeable',
  'shoe shoes trainers sneakers schuhe schuh laufschuhe schoenen schoen hardloopschoenen chaussure chaussures zapato zapatos zapatillas',
  'grinder muhle kaffeemuhle molen koffiemolen moulin molinillo',
  'blanket decke wolldecke deken couverture plaid manta',
  'backpack rucksack rugzak sac mochila',
  'tumbler reisebecher thermobecher reisbeker gobelet termo',
  'notebook notizbuch notizbucher notitieboek notitieboeken notitieboekje notitieboekjes carnet carnets cahier cuaderno cuadernos libreta',
  'speaker speakers lautsprecher luidspreker enceinte altavoz altavoces',
  'shirt hemd overhemd chemise camisa',
  'trousers hose broek pantalon pantalones',
  'book buch boek livre libro',
  'phone telefon telefoon telephone telefono handy',
  'watch uhr armbanduhr horloge montre reloj',
  'bag tasche tas bolsa bolso',
  'chair stuhl stoel chaise silla',
  'table tisch tafel mesa',
  'bottle flasche fles bouteille botella',
].map(of);

const byWord: ReadonlyMap<string, readonly string[]> = new Map(
  goods.flatMap((concept) => concept.map((word) => [word, concept] as const)),
);

export const namesOfThing = (word: string): readonly string[] => byWord.get(word) ?? [];
