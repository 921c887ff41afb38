/** The assistant's one entry: a request in, and out comes what it asks for. It decides nothing and sends nothing. */
export * from './answer.ts';
export * from './catalogue.ts';
export type { Circumstances } from './findings.ts';
export { interpret } from './interpret.ts';
export * from './reworded.ts';
export * from './say-answer.ts';
