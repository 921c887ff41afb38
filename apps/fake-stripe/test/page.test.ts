import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { faultKinds } from '../src/faults/fault.ts';
import { StartedFake } from './started-fake.ts';

const fake = new StartedFake();

beforeAll(() => fake.start());
afterEach(() => fake.clearFaults());
afterAll(() => fake.discard());

const page = async () => (await fetch(`${fake.origin}/fake/`)).text();
const submit = (path: string, fields: Record<string, string>) =>
  fetch(`${fake.origin}/fake/page/${path}`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    redirect: 'manual',
  });

describe('the page', () => {
  it('shows refunds, requests and events, and escapes whatever they carry', async () => {
    const payment = await fake.payment(4999, 'usd');
    const evil = '<script>alert("x")</script>';
    await fake.raw('/v1/refunds', { payment_intent: payment, 'metadata[note]': evil }, `key ${evil}`);
    const text = await page();
    expect(text).toContain('$49.99');
    expect(text).toContain(payment);
    expect(text).toContain('refund.created');
    expect(text).toContain('&lt;script&gt;alert(');
    expect(text).not.toContain('<script>alert');
  });

  it('loads nothing from elsewhere and forbids it', async () => {
    const answer = await fetch(`${fake.origin}/fake/`);
    const text = await answer.text();
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(text).not.toMatch(/(src|href)="(https?:)?\/\//);
    for (const asset of ['style.css', 'refresh.js']) {
      expect((await fetch(`${fake.origin}/fake/page/${asset}`)).status).toBe(200);
    }
  });

  // Red when: two landmarks bear one name, so that nobody who listens can tell them apart.
  it('names each of its regions apart', async () => {
    const payment = await fake.payment();
    await fake.raw('/v1/refunds', { payment_intent: payment }, 'regions');
    await fake.control('/disputes', { payment_intent: await fake.payment() });
    const text = await page();
    const titles = [...text.matchAll(/<h2 id="[^"]+">([^<]+)</g)].map(([, title]) => title);
    const labels = [...text.matchAll(/role="region" aria-label="([^"]+)"/g)].map(([, label]) => label);
    expect(labels.length).toBeGreaterThanOrEqual(5);
    expect(new Set([...titles, ...labels]).size).toBe(titles.length + labels.length);
  });

  // Red when: a limit a second reads like one that refuses every call.
  it('says of a steady limit how much it allows, and arms one from its form', async () => {
    const fields = {
      do: 'rate_limit',
      on: 'refund.create',
      times: 'always',
      retryAfter: '2',
      perSecond: '25',
    };
    await submit('faults/toggle', { ...fields, switch: 'on' });
    expect(await fake.control('/faults')).toMatchObject({
      faults: [{ perSecond: 25, times_left: 'always' }],
    });
    expect(await page()).toContain('refund.create: beyond 25 a second');
  });

  it('has a switch with words for every fault', async () => {
    const text = await page();
    for (const kind of faultKinds) expect(text).toContain(`id="switch-${kind}"`);
  });

  it('switches a fault on and off', async () => {
    const fields = { do: 'pending_then', on: 'refund.create', times: 'always', ms: '5000', then: 'failed' };
    expect((await submit('faults/toggle', { ...fields, switch: 'on' })).status).toBe(303);
    expect(await fake.control('/faults')).toMatchObject({
      faults: [{ do: 'pending_then', then: 'failed', ms: 5000, times_left: 'always' }],
    });
    expect(await page()).toMatch(/id="switch-pending_then"\s+role="switch"\s+aria-checked="true"/);
    await submit('faults/toggle', { ...fields, switch: 'off' });
    expect(await fake.control('/faults')).toEqual({ faults: [] });
  });

  // Red when: the button adds to what is armed, so that pressing it twice prepares another story.
  it('prepares the story with one button: a refund nobody hears of, not shown for a while', async () => {
    await fake.control('/faults', { on: 'refund.create', do: 'drop_before' });
    for (let press = 0; press < 2; press += 1) {
      expect((await submit('faults/story', {})).status).toBe(303);
    }
    const { faults } = (await fake.control('/faults')) as { faults: { do: string }[] };
    expect(faults.map((fault) => fault.do)).toEqual(['execute_then_drop', 'hide_from_list', 'hold']);
    expect(faults).toMatchObject([
      { on: 'refund.create' },
      { on: 'refund.create', ms: 20_000 },
      { on: 'webhook', times_left: 'always' },
    ]);
    expect(await page()).toContain('Ready: approve a refund now.');
    const payment = await fake.payment(4999);
    await expect(fake.raw('/v1/refunds', { payment_intent: payment }, 'story')).rejects.toThrow();
    expect((await fake.refundsOf(payment)).length).toBe(1);
    expect(await page()).not.toContain('Ready: approve a refund now.');
  });

  it('refunds and disputes by hand, and says in words why it cannot', async () => {
    const payment = await fake.payment(500);
    expect((await submit('refunds', { payment_intent: payment, amount: '200' })).status).toBe(303);
    const [refund] = await fake.refundsOf(payment);
    expect(refund?.amount).toBe(200);
    await submit(`refunds/${refund?.id ?? ''}`, { status: 'failed' });
    expect((await fake.refundsOf(payment))[0]?.status).toBe('failed');
    const refused = await submit('refunds', { payment_intent: payment, amount: '501' });
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining('greater than unrefunded'),
    ]);
    expect((await submit('disputes', { payment_intent: payment })).status).toBe(303);
    const { data } = await fake.stripe().disputes.list({ payment_intent: payment });
    await submit(`disputes/${data[0]?.id ?? ''}`, { status: 'lost' });
    expect((await fake.stripe().disputes.list({ payment_intent: payment })).data[0]?.status).toBe('lost');
  });

  it('moves the clock and brings it back', async () => {
    await submit('clock', { advanceMs: '90000000' });
    expect(await fake.control('/clock')).toMatchObject({ offsetMs: 90_000_000 });
    await submit('clock', { advanceMs: 'reset' });
    expect(await fake.control('/clock')).toMatchObject({ offsetMs: 0 });
  });

  it('takes no form from another origin', async () => {
    const answer = await fetch(`${fake.origin}/fake/page/faults/clear`, {
      method: 'POST',
      headers: { origin: 'https://elsewhere.example' },
    });
    expect(answer.status).toBe(403);
  });
});
