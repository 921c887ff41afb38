import type { Policy } from '@holdfast/operation';
import type { Settings } from '../settings/settings.ts';
import { isLoopbackOrigin } from '../settings/settings.ts';

export type WeakSetting = { readonly finding: string; readonly remedy: string };

type Judged = Pick<
  Settings,
  'publicOrigin' | 'host' | 'demo' | 'keyApprovals' | 'rateLimit' | 'trustedProxies'
>;

const reachesFarther = (host: string): boolean => !['127.0.0.1', '::1', 'localhost'].includes(host);

/** What works and is weaker than it need be: each is somebody's choice, so each is said and none stops a start. */
export const weakSettings = (settings: Judged): readonly WeakSetting[] => {
  const { publicOrigin, host, demo, keyApprovals, rateLimit, trustedProxies } = settings;
  const isHttps = publicOrigin.startsWith('https://');
  const found: (WeakSetting | false)[] = [
    !isHttps &&
      !isLoopbackOrigin(publicOrigin) && {
        finding: `${publicOrigin} is not https: passwords and sessions can be read on the way, and neither passkeys nor the offline app work`,
        remedy: 'Put HTTPS in front (deploy/Caddyfile) and set PUBLIC_ORIGIN to it.',
      },
    demo &&
      reachesFarther(host) && {
        finding: `the demo's sign-ins are public, and HOST=${host} lets other machines reach them`,
        remedy: 'Set HOLDFAST_DEMO=off, or HOST=127.0.0.1.',
      },
    keyApprovals && {
      finding: 'API keys may approve and resolve: whoever holds one needs no second person',
      remedy: 'Unset HOLDFAST_KEY_APPROVALS unless a program of yours needs it.',
    },
    rateLimit === undefined && {
      finding: 'requests are not limited: one caller can keep all others waiting',
      remedy: 'Unset HOLDFAST_RATE_LIMIT.',
    },
    isHttps &&
      trustedProxies.length === 0 && {
        finding: 'no proxy is trusted, so all who come through one are counted as one address',
        remedy: 'Set HOLDFAST_TRUSTED_PROXIES to the address of what speaks HTTPS in front.',
      },
    trustedProxies.some((entry) => /\/0$/.test(entry)) && {
      finding: 'every address is trusted as a proxy, so anybody can make up the one they are counted by',
      remedy: 'Name in HOLDFAST_TRUSTED_PROXIES your own proxies alone.',
    },
  ];
  return found.filter((one) => one !== false);
};

/** Of one organisation. */
export const fewAdmins = (name: string, admins: number): WeakSetting | undefined =>
  admins >= 2
    ? undefined
    : {
        finding: `${name} has ${admins === 0 ? 'no admin' : 'one admin alone'}: what takes two of them cannot be done, and nobody lets a lost one in again`,
        remedy: 'Add another with `holdfast user add --role admin`.',
      };

/**
 * Of one organisation.
 * @param signing how many who may approve have a passkey that lives
 */
export const fewSigning = (
  name: string,
  { signatureRequired, approvalsNeeded }: Pick<Policy, 'signatureRequired' | 'approvalsNeeded'>,
  signing: number,
): WeakSetting | undefined => {
  if (signatureRequired === 'never' || signing >= approvalsNeeded) return undefined;
  const able = signing === 0 ? 'nobody who approves' : `only ${String(signing)} of those who approve`;
  return {
    finding: `${name} asks for approvals signed with a passkey, ${String(approvalsNeeded)} of them, and ${able} has one: what needs a signature waits`,
    remedy: 'Have approvers add a passkey (You, Passkeys and sessions), or change the policy.',
  };
};
