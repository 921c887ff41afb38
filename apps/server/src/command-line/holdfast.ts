import { compileOnThisThread } from '../start/compile-on-this-thread.ts';
import { loadQuickly } from '../start/load-quickly.ts';

compileOnThisThread();
loadQuickly();
await import('./holdfast-program.ts');
