import { describe, expect, it } from 'vitest';
import { costOf } from '../src/assistant/model-cost.ts';
import { redaction } from '../src/assistant/redaction.ts';
import { modelCostText } from '@holdfast/operation';

const names = ['Marta Villanueva', 'Jürgen Groß', "Siobhán O'Neill"];

describe('what need not leave', () => {
  // Red when: a pattern is left out of `patterns`, or names are compared with their case.
  it.each([
    ['write to marta.v+shop@example.co.uk, please', /marta|example/i],
    ['MARTA VILLANUEVA and Villanueva, marta’s husband', /marta|villanueva/i],
    ['für Jürgen Groß, jürgen', /rgen|gro/i],
    ['for Siobhán O’Neill or Siobhán', /siobh|neill/i],
    ['card 4242 4242 4242 4242', /4242/],
    ['call +49 (0)30 1234567 or 0044-20-7946-0018', /7946|0018/],
    ['IBAN DE89 3704 0044 0532 0130 00', /3704|0532/],
    ['she moved to 12 Lime Street, Bristol', /lime|12/i],
    ['sie wohnt Lindenstraße 7, 10115 Berlin', /linden|10115|berlin/i],
    ['elle habite 4 rue de la Paix, 75002 Paris', /paix|75002/i],
    ['vive en calle Mayor 8', /mayor/i],
    ['Kerkstraat 15b, 1017 GC Amsterdam', /kerk|1017|amsterdam/i],
  ])('"%s" leaves without it', (text, left) => {
    expect(redaction(names, []).out(text)).not.toMatch(left);
  });

  it('is put back into what returns, escaped as JSON has it, one placeholder for one thing', () => {
    const { out, back } = redaction(names, []);
    const sent = out('Marta, "Marta" and order 123456789012, mail a"b@example.org');
    expect(sent.match(/\[customer-1\]/g)).toHaveLength(2);
    expect(sent).not.toMatch(/123456789012/);
    const reply = `{"orderId":"[number-1]","who":"[customer-1]","sku":"[e-mail-1]"}`;
    expect(JSON.parse(back(reply))).toMatchObject({ orderId: '123456789012', who: 'Marta' });
  });

  it('leaves an order and its number alone, and a price is no telephone', () => {
    const text = 'Refund EUR 1,299.50 of order 10000 and 123456789012, two lamps';
    expect(redaction(names, ['123456789012']).out(text)).toBe(text);
  });
});

describe('what a model cost', () => {
  const prices = { inputMicrosPerMillion: 3_000_000, outputMicrosPerMillion: 15_000_000, currency: 'USD' };
  it.each([
    [{ inputTokens: 120, outputTokens: 30 }, 810, 'USD 0.00081'],
    [{ inputTokens: 1_000_000, outputTokens: 0 }, 3_000_000, 'USD 3.00'],
    [{ inputTokens: 0, outputTokens: 0 }, 0, 'USD 0.00'],
  ])('of %j is %d millionths: %s', (tokens, micros, words) => {
    expect(costOf(tokens, prices)).toEqual({ micros, currency: 'USD' });
    expect(modelCostText({ micros, currency: 'USD' })).toBe(words);
  });

  it('is rounded up, never down to nothing', () => {
    const cheap = { ...prices, inputMicrosPerMillion: 100_000, outputMicrosPerMillion: 0 };
    expect(costOf({ inputTokens: 1, outputTokens: 0 }, cheap).micros).toBe(1);
  });
});
