import { expect, test } from '../harness/journey.ts';

// Red when: the page or the service worker is served without its policy, or what browsers complain of is not heard.
test('a script, a picture or a request that is not ours is stopped on the page and in the service worker, and every journey would fail with it', async ({
  visit,
  complaints,
}) => {
  const page = await visit('agent');
  const [worker] = page.context().serviceWorkers();
  expect(complaints.take()).toEqual([]);
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.append('globalThis.wasRun = true');
    document.body.append(script);
    const picture = document.createElement('img');
    picture.src = 'https://elsewhere.example/picture.png';
    document.body.append(picture);
  });
  await worker?.evaluate(() => fetch('https://elsewhere.example/').catch(() => undefined));
  const heard: string[] = [];
  await expect(() => {
    heard.push(...complaints.take());
    for (const what of [
      /^page: content policy: require-trusted-types-for/,
      /^page: content policy: img-src/,
    ]) {
      expect(heard).toContainEqual(expect.stringMatching(what));
    }
    expect(heard).toContainEqual(expect.stringMatching(/^service worker: .*connect-src/));
  }).toPass({ timeout: 15_000 });
  expect(await page.evaluate(() => 'wasRun' in globalThis)).toBe(false);
  complaints.take();
});
