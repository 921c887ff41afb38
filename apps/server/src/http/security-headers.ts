import { createHash } from 'node:crypto';

const common: Record<string, string> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'permissions-policy':
    'accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), usb=()',
};

/** For answers that are data: nothing in them may run or load anything. */
const dataPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** What a page may make of strings where a string could become script: `none`, or policies by name. */
const trustedTypes = (policies: readonly string[]): string =>
  policies.length === 0 ? "trusted-types 'none'" : `trusted-types ${policies.join(' ')}`;

const pageParts = (scripts: string, policies: readonly string[]): string =>
  [
    "default-src 'none'",
    `script-src ${scripts}`,
    // Svelte and the accessible parts set style attributes; styles can't run anything.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    // Where the browser knows it: no plain string reaches innerHTML, a script's address, eval or their like.
    "require-trusted-types-for 'script'",
    trustedTypes(policies),
  ].join('; ');

/** The page's own inline scripts, by hash: so no other inline script can run. */
const inlineScriptHashes = (html: string): string[] =>
  [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
    (match) =>
      `'sha256-${createHash('sha256')
        .update(match[1] ?? '')
        .digest('base64')}'`,
  );

/**
 * The only two that the app makes: Svelte's, for the templates it was compiled to, and the one that lets the service
 * worker's own address through (`apps/web/src/shell/service-worker-address.ts`).
 */
const appPolicies = ['svelte-trusted-html', 'holdfast-service-worker'] as const;

/** For a page with no script of its own, and for a worker: neither makes anything of a string. */
export const pagePolicy = (html: string): string =>
  pageParts(["'self'", ...inlineScriptHashes(html)].join(' '), []);

export const appPolicy = (html: string): string =>
  pageParts(["'self'", ...inlineScriptHashes(html)].join(' '), appPolicies);

/** Headers of every answer. `https` alone may promise to stay https. */
export const securityHeaders = (publicOrigin: string): Record<string, string> => ({
  ...common,
  'content-security-policy': dataPolicy,
  ...(publicOrigin.startsWith('https://') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
});
