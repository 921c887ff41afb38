import { expect, it } from 'vitest';
import { fewAdmins, fewSigning, weakSettings } from '../../src/command-line/weak-settings.ts';

const sound = {
  publicOrigin: 'https://refunds.example.org',
  host: '127.0.0.1',
  demo: false,
  keyApprovals: false,
  rateLimit: 1_200,
  trustedProxies: ['127.0.0.1'],
};

// Red when: one of the judgements is left out, or something sound is called weak.
it('sound settings are not called weak, and each weak one is named with what to do', () => {
  expect(weakSettings(sound)).toEqual([]);
  expect(weakSettings({ ...sound, publicOrigin: 'http://localhost:4780', trustedProxies: [] })).toEqual([]);
  const weak = [
    [{ publicOrigin: 'http://refunds.example.org' }, 'not https'],
    [{ demo: true, host: '0.0.0.0' }, 'demo'],
    [{ keyApprovals: true }, 'API keys may approve'],
    [{ rateLimit: undefined }, 'not limited'],
    [{ trustedProxies: [] }, 'no proxy is trusted'],
    [{ trustedProxies: ['0.0.0.0/0'] }, 'every address'],
  ] as const;
  for (const [change, words] of weak) {
    const found = weakSettings({ ...sound, ...change });
    expect(found.map(({ finding }) => finding)).toEqual([expect.stringContaining(words)]);
    expect(found[0]?.remedy).not.toBe('');
  }
});

it('an organisation needs two admins', () => {
  expect(fewAdmins('Shop', 0)?.finding).toContain('no admin');
  expect(fewAdmins('Shop', 1)?.finding).toContain('one admin alone');
  expect(fewAdmins('Shop', 2)).toBeUndefined();
});

// Red when: a policy without signatures, or with enough who can give them, is called weak.
it('a policy that asks for signatures needs as many who can sign', () => {
  const signed = { signatureRequired: { above: [] }, approvalsNeeded: 2 };
  expect(fewSigning('Shop', { ...signed, signatureRequired: 'never' }, 0)).toBeUndefined();
  expect(fewSigning('Shop', signed, 2)).toBeUndefined();
  expect(fewSigning('Shop', signed, 0)?.finding).toContain('nobody who approves');
  expect(fewSigning('Shop', signed, 1)?.finding).toContain('only 1');
});
