import { loadQuickly } from '../start/load-quickly.ts';

loadQuickly();
await import('./holdfast-program.ts');
