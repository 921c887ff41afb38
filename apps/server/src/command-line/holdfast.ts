import { enableCompileCache } from 'node:module';

// Before anything else is loaded: a command line is started often, and should not compile the same code each time.
enableCompileCache();
await import('./holdfast-program.ts');
