import { loadQuickly } from './load-quickly.ts';

loadQuickly();
await import('./start-everything.ts');
