import { setFlagsFromString } from 'node:v8';

/**
 * To be called first of all. V8 compiles short code on a thread beside this one; when that needs the heap cleared just
 * as `process.exit` has begun, each waits for the other for ever, and a program that has said why it cannot start never
 * ends (nodejs/node#54918, seen in ours with Node 24.22). The main thread does that compiling itself.
 */
export const compileOnThisThread = (): void => {
  setFlagsFromString('--no-concurrent-sparkplug');
};
