/** The browser's heart without a browser: decisions over ports. `@holdfast/outbox/browser` brings the world. */
export * from './live-query.ts';
export * from './outbox-interface.ts';
