import { compileOnThisThread } from './compile-on-this-thread.ts';
import { loadQuickly } from './load-quickly.ts';

compileOnThisThread();
loadQuickly();
await import('./start-everything.ts');
