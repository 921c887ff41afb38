import { enableCompileCache } from 'node:module';

// Before anything else is loaded: what was compiled once is not compiled again, so the next start is quicker.
enableCompileCache();
await import('./start-everything.ts');
