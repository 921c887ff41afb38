import { expect, test } from 'vitest';
import { fontsOfStyle, referencesOfPage, staticImportsOf } from './referenced-files.ts';

// Red when: a preloaded module is not counted, or an icon that only home screens load is.
test('a page asks for its scripts, preloaded modules, styles, icon and manifest', () => {
  const html = `<link rel="icon" href="/i.svg" /><link rel="apple-touch-icon" href="/big.png" />
    <script src="/theme.js"></script><script type="module" crossorigin src="/assets/a.js"></script>
    <link rel="modulepreload" crossorigin href="/assets/b.js"><link rel="stylesheet" href="/assets/c.css">
    <link rel="manifest" href="/m.webmanifest"><script>inline()</script>`;
  expect(referencesOfPage(html).map(({ kind, path }) => `${kind} ${path}`)).toEqual([
    ...[
      'script /theme.js',
      'script /assets/a.js',
      'icon /i.svg',
      'script /assets/b.js',
      'style /assets/c.css',
    ],
    'manifest /m.webmanifest',
  ]);
});

// Red when: a dynamic import counts as one that must be there at once.
test('a module must have what it imports statically, and nothing it imports later', () => {
  const script =
    'import{$ as e,t}from"./parts-1.js";import"./side.js";export{x}from"./y.js";e(()=>import("./later.js"))';
  expect(staticImportsOf(script)).toEqual(['./parts-1.js', './side.js', './y.js']);
});

// Red when: every alphabet's font is counted, or none.
test('a page in English loads the font that holds the Latin letters', () => {
  const css = `@font-face{font-family:I;src:url(/assets/latin.woff2) format("woff2");unicode-range:U+0000-00FF,U+0131}
    @font-face{font-family:I;src:url(/assets/latin0.woff2);unicode-range:U+??,U+0131}
    @font-face{font-family:I;src:url(/assets/greek.woff2) format("woff2");unicode-range:U+0370-03FF}
    @font-face{font-family:J;src:url(/assets/all.woff2)}`;
  expect(fontsOfStyle(css)).toEqual(['/assets/latin.woff2', '/assets/latin0.woff2', '/assets/all.woff2']);
});
