/** Whatever a page or a part of it asks for at once, as paths from the site's root. Pure: text in, paths out. */

export type FileKind = 'script' | 'style' | 'font' | 'icon' | 'manifest';
export type Reference = { readonly kind: FileKind; readonly path: string };

const attribute = (tag: string, name: string): string | undefined =>
  new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];

const kindOfLink: Readonly<Record<string, FileKind>> = {
  stylesheet: 'style',
  modulepreload: 'script',
  icon: 'icon',
  manifest: 'manifest',
};

/** Scripts, preloaded modules, styles, the icon and the manifest of a page. An icon for home screens is not loaded. */
export const referencesOfPage = (html: string): Reference[] => {
  const scripts = [...html.matchAll(/<script\b[^>]*>/g)].flatMap(([tag]) => {
    const path = attribute(tag, 'src');
    return path === undefined ? [] : [{ kind: 'script' as const, path }];
  });
  const links = [...html.matchAll(/<link\b[^>]*>/g)].flatMap(([tag]) => {
    const kind = kindOfLink[attribute(tag, 'rel') ?? ''];
    const path = attribute(tag, 'href');
    return kind === undefined || path === undefined ? [] : [{ kind, path }];
  });
  return [...scripts, ...links];
};

/** Modules that a module imports statically: they must be there before it runs. `import(…)` is for later. */
export const staticImportsOf = (script: string): string[] =>
  [
    ...script.matchAll(
      /(?:^|[;}\n])\s*(?:import|export)\s*(?:[\w$*{}\s,]+\s*from)?\s*"(\.{0,2}\/[^"]+\.js)"/g,
    ),
  ].map(([, path]) => path ?? '');

/** Whether a font's range of letters holds the plain Latin ones, so that any English text loads it. */
const holdsLatin = (face: string): boolean => {
  const range = /unicode-range:([^;}]*)/i.exec(face)?.[1];
  return range === undefined || /U\+(?:0{1,4}-|\?\?)/i.test(range);
};

/** The fonts that a page in English loads, by the letters each is for. */
export const fontsOfStyle = (css: string): string[] =>
  [...css.matchAll(/@font-face\s*\{[^}]*\}/g)]
    .filter(([face]) => holdsLatin(face))
    .flatMap(([face]) => /url\(["']?([^"')]+\.woff2)["']?\)/.exec(face)?.[1] ?? []);
