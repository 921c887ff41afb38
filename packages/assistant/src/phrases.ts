import type { RefundReason } from '@holdfast/operation';

/** Phrases of one meaning in all the languages that are read, as they look once folded. */
const any = (...phrases: readonly string[]): RegExp => new RegExp(`(?<= )(?:${phrases.join('|')})(?= )`, 'g');

/** Asks what became of something. Read before the verbs: "was it refunded?" asks for no refund. */
export const outcomePhrases = any(
  'what(?:ever)? (?:s |is |has |have )?(?:became|become|happened|happening|going on)(?: of| to| with| about)?',
  '(?:what is the |what s the )?status(?: of)?',
  'where (?:is|s|are)',
  'how (?:is|did|are) [^·]*?(?:going|go|doing)',
  'any news(?: on| of| about)?',
  'was (?:ist|wurde|wird)(?: [^·]*)? (?:aus|mit)',
  'wo (?:ist|bleibt|sind)',
  '(?:wie ist der |der )?stand',
  'wat is er(?: [^·]*)? (?:van|met)',
  'wat gebeurde er(?: met)?',
  'hoe staat het(?: met)?',
  'waar (?:is|blijft)',
  'qu (?:est|il est) (?:devenue?|advenu|arrive)(?: a| de)?',
  'que devient',
  'ou en (?:est|sont)',
  'ou est',
  'statut',
  'que (?:paso|ha pasado|sucedio|fue)(?: con| de)?',
  'donde esta',
  'estado',
  'como va',
);

/** A question about what is done already: it begins with the verb that asks. */
export const doneQuestion = new RegExp(
  '(?:^|·) (?:did|has|have|had|was|were|is|are|wurden?|ist|sind|hat|haben|werd|werden|heeft|zijn|se ha|se han|fue|ha sido|est ce que) ' +
    '[^·]*(?:refund|money|paid|reimburs|gone|went|erstatt|geld|terug|rembours|reembols|devuelt|dinero)' +
    '| (?:a|ont) t (?:elle|il|ils|elles|on) (?:deja )?(?:ete )?rembours',
);

/** What people decide, and no assistant. */
export const decisionPhrases = any(
  'approve',
  'deny',
  'cancel',
  'resolve',
  'settle',
  'withdraw',
  'reject',
  'genehmige\\w*',
  'storniere\\w*',
  'lehne',
  'ablehnen',
  'goedkeuren',
  'keur',
  'annule\\w*',
  'weiger',
  'approuve[rz]?',
  'refuse[rz]?',
  'aprueba',
  'aprobar',
  'cancela[r]?',
  'rechaza[r]?',
);

export const refundPhrases = any(
  '(?:refund|reimburs|repay)\\w*',
  '(?:pay|paying|paid|give|giving|gives|send) back',
  '(?:her|his|their|the) money back',
  'money back',
  '(?:pay|give|credit|compensate)',
  '(?:ruck|zuruck)?(?:erstatt|uberweis|zahl)\\w*',
  'gutschreib\\w*',
  'gutschrift',
  'geld zuruck',
  'zuruck',
  'terug(?:beta|stort)\\w*',
  'vergoed\\w*',
  'geld terug',
  '(?:betaal|betalen|stort|storten)',
  'terug',
  'rembours\\w*',
  '(?:rends|rendre|rendez)',
  'reembols\\w*',
  'reintegr\\w*',
  '(?:devuelve|devuelva|devolver|devuelvele|abona|abonar)',
  'bekommt',
);

/** Weak beside another reason: a broken thing that was sent back is refunded as broken only if nobody says "returned". */
export const returnPhrases = any(
  '(?:the |her |his |their )?returns?',
  'returned',
  '(?:came|come|is|are|got) back',
  '(?:sent|send|sending) (?:it |them |her |his )?back',
  '(?:the )?(?:parcel|package|goods) (?:is|are|has|have) (?:here|arrived|in)',
  '(?:die |der |das )?(?:rucksendung|retoure|rucklauf)',
  '(?:zuruckgeschickt|zuruckgesendet|zuruckgegeben|zuruckgekommen|retourniert)',
  '(?:de |het )?(?:retour|retourzending|pakket)',
  '(?:geretourneerd|teruggestuurd|teruggekomen|teruggezonden)',
  '(?:le |la )?(?:retour|colis)',
  '(?:renvoye|retourne)\\w*',
  '(?:la )?devolucion\\w*',
  '(?:lo |la |los |las )?(?:devolvio|devuelt[oa]s?|retorno)',
);

export const reasonPhrases: readonly (readonly [RefundReason, RegExp])[] = [
  [
    'not_received',
    any(
      '(?:never|not|didn t|did not|wasn t|hasn t|has not|was not)(?: been)? (?:came|come|arrived?|received?|delivered|got|gotten|shown? up|showed up)',
      '(?:is |are |went )?missing',
      '(?:nie|nicht)(?: bei ihm| bei ihr)? (?:angekommen|erhalten|bekommen|geliefert|eingetroffen|an)',
      '(?:nooit|niet) (?:gekregen|ontvangen|aangekomen|geleverd|bezorgd)',
      '(?:n a |n est |n ont )?(?:jamais|pas) (?:ete )?(?:recue?s?|arrivee?s?|livree?s?)',
      '(?:nunca|no) (?:le )?(?:ha |han )?(?:recibi\\w*|llego|llegaron|llegado)',
    ),
  ],
  [
    'damaged',
    any(
      '(?:arrived |came |was |were |got |is )?(?:a )?(?:damaged|broken|defective|faulty|cracked|scratched|smashed)',
      '(?:does not|doesn t|did not|didn t) work',
      '(?:kam |kamen )?(?:beschadigt\\w*|kaputt\\w*|defekt\\w*|zerbrochen\\w*)(?: an)?',
      'kratzer',
      '(?:kwam |kwamen )?(?:beschadigd|kapot|defect|stuk|gebroken)(?: aan)?',
      '(?:est |sont )?(?:arrivee?s? )?(?:endommage|abime|casse|defectueu)\\w*',
      '(?:llego |llegaron )?(?:danad[oa]s?|rot[oa]s?|defectuos[oa]s?|estropead[oa]s?)',
    ),
  ],
  [
    'wrong_item',
    any(
      'wrong (?:item|size|colou?r|product|one|article|thing)',
      'falsche\\w* (?:artikel|grosse|farbe|ware)',
      'verkeerde (?:artikel|maat|product|kleur)',
      '(?:mauvaise? (?:article|taille|couleur)|erreur d article)',
      '(?:articulo|producto|talla|color) (?:equivocad|incorrect)\\w*',
    ),
  ],
  [
    'duplicate_charge',
    any(
      '(?:was |were |got )?(?:charged|billed|debited) (?:twice|2w times|double)',
      'doppelt (?:abgebucht|belastet|berechnet)',
      'dubbel (?:afgeschreven|betaald|gefactureerd)',
      '(?:ete )?(?:debite|preleve|facture)\\w* 2w fois',
      '(?:se )?(?:cobro|cobrado|cobraron) 2w veces',
    ),
  ],
  [
    'goodwill',
    any(
      '(?:as )?(?:a )?(?:goodwill|kindness)(?: gesture)?',
      'for the (?:trouble|inconvenience)',
      '(?:aus |als )?(?:kulanz|entgegenkommen)',
      '(?:uit )?coulance',
      '(?:en )?geste commercial',
      'por las molestias',
      'gesto comercial',
    ),
  ],
  [
    'requested_by_customer',
    any(
      'changed (?:his|her|their|its) minds?',
      'no longer wants?(?: it| them)?',
      'anders uberlegt',
      '(?:van gedachten veranderd|bedacht zich)',
      'change d avis',
      '(?:cambio|ha cambiado) de (?:opinion|idea)',
    ),
  ],
];

/** What turns a sentence over once nothing else has read it. */
export const negations = any(
  '(?:do not|\\w+n t|never|not|cannot|can t|won t|nicht|kein\\w*|niet|geen|nooit|nie|ne|n|pas|jamais|no|nunca)',
);

/** Words after which more than one thing may be meant, or only under a condition. */
export const openWords = any(
  '(?:or|oder|ou|o|either|whichever)',
  '(?:some|a bit|about|approximately|roughly|around|part|or so|more|less|another|rest|remaining)',
  '(?:etwas|etwa|ungefahr|circa|ca|teil|mehr|weniger|rest)',
  '(?:ongeveer|deel|meer|minder|wat)',
  '(?:environ|partie|peu|plus|moins|quelques)',
  '(?:unos|unas|parte|algo|mas|menos|aproximadamente)',
  '(?:if|unless|except|but|instead|later|tomorrow|after|before|until|when|first)',
  '(?:wenn|falls|ausser|aber|sobald|spater|morgen)',
  '(?:tenzij|behalve|maar|zodra|later)',
  '(?:si|sauf|sinon|mais|demain|quand)',
  '(?:salvo|excepto|pero|cuando|manana)',
);

const dutchWord = /betaal|bestelling|terug|graag|stort/;

/**
 * "Or" in Dutch, which in English says whose something is: before a number or something that was read, and behind a
 * Dutch word. Word by word, so that no request, however long and whatever it repeats, takes longer than its length.
 */
export const saysDutchOr = (text: string): boolean => {
  const all = text.split(' ');
  const dutch = all.findIndex((word) => dutchWord.test(word));
  if (dutch === -1) return false;
  return all.some((word, at) => at > dutch + 1 && word === 'of' && /^[\d§]/.test(all[at + 1] ?? ''));
};

/** A return that somebody says has not come. */
export const returnNotHere =
  /(?:returns?|parcel|rucksendung|retoure|retour|colis|devolucion)(?: [^ ·]+){0,3} (?:not|never|nicht|niet|nooit|nie|pas|jamais|no|nunca)(?= )|(?:no|not) (?:been )?returned|(?:nicht|niet) (?:zuruckgeschickt|geretourneerd|teruggestuurd)/;

export const wholePhrases = any(
  '(?:in full|in total|fully|completely|entirely|everything|all of(?: it)?|the whole|whole|entire|full amount|all)',
  '(?:komplett|vollstandig|ganze[nrs]?|alles|gesamte[nrs]?)',
  '(?:volledig|helemaal|geheel|hele|alles)',
  '(?:en totalite|integralement|entierement|toute?)',
  '(?:todo|toda|completo|completa|por completo|entero|integro)',
);

export const halfPhrases = any(
  '(?:a |the )?half(?: of)?',
  'halbe\\w*|(?:die )?halfte',
  '(?:de )?helft',
  '(?:la )?moitie',
  '(?:la )?mitad',
);

/** What stands before an order's number. */
export const orderWord = '(?:orders?|purchase|bestellung|auftrag|bestelling|commandes?|pedidos?)';
export const numberWord = '(?:no|nr|num|number|nummer|numero|n|#)';
export const ticketWord = '(?:tickets?|case|vorgang|anfrage|zaak|dossier|caso)';

/** Money the other way. Nothing else reads these words: whoever thinks them a refund is stopped by them. */
export const chargePhrases = any(
  '(?:charge|collect|invoice|bill|debit|deduct|withhold|keep)(?:s|d|ed|ing)?',
  '(?:abbuch\\w*|einzieh\\w*|kassier\\w*|berechn\\w*|belast\\w*|einbehalt\\w*|nachforder\\w*)',
  '(?:afschrijv\\w*|incasser\\w*|factureer|factureren|inhoud\\w*)',
  '(?:factur\\w*|preleve\\w*|encaiss\\w*|debite\\w*|retenir|retenez)',
  '(?:cobr\\w+|descont\\w+|reten\\w+)',
);
