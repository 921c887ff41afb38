/** The assistant's one entry: a request in, and out comes what it asks for. It decides nothing and sends nothing. */
export * from './answer.ts';
export * from './catalogue.ts';
export type { Circumstances, SpokenOf } from './findings.ts';
export * from './spoken-of.ts';
export { ownWords } from './request-text.ts';
export { interpret } from './interpret.ts';
export * from './model-reply.ts';
export { mayBeReworded, type ModelReading } from './reworded.ts';
export * from './say-answer.ts';
