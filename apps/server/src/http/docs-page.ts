import { z } from 'zod';
import { docsIntroduction } from './docs-introduction.ts';

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const operationShape = z.looseObject({
  summary: z.string().optional(),
  description: z.string().optional(),
  parameters: z
    .array(z.looseObject({ name: z.string(), in: z.string(), required: z.boolean().optional() }))
    .optional(),
  requestBody: z.unknown().optional(),
  responses: z.record(z.string(), z.looseObject({ description: z.string().optional() })),
});
const documentShape = z.looseObject({
  info: z.looseObject({ title: z.string(), description: z.string().optional() }),
  servers: z.array(z.looseObject({ url: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), operationShape)),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
});
type ShownOperation = z.infer<typeof operationShape>;

const shownJson = (value: unknown): string =>
  `<pre tabindex="0">${escapeHtml(JSON.stringify(value, null, 2))}</pre>`;

const folded = (title: string, inside: string): string =>
  `<details><summary>${escapeHtml(title)}</summary>${inside}</details>`;

const parameters = (operation: ShownOperation): string => {
  const names = (operation.parameters ?? []).map((one) => `<code>${escapeHtml(one.name)}</code> (${one.in})`);
  return names.length === 0 ? '' : `<p>Parameters: ${names.join(', ')}</p>`;
};

const sectionId = (path: string, method: string): string =>
  `${method}-${path}`.replaceAll(/[^a-z0-9]+/gi, '-');

type Shown = readonly [path: string, method: string, operation: ShownOperation];

const contentsOf = (shown: readonly Shown[]): string =>
  shown
    .map(
      ([path, method, { summary }]) =>
        `<li><a href="#${sectionId(path, method)}">${method.toUpperCase()} ${escapeHtml(path)}</a> ${escapeHtml(summary ?? '')}</li>`,
    )
    .join('\n');

const shownOperation = (path: string, method: string, operation: ShownOperation): string => {
  const id = sectionId(path, method);
  const answers = Object.entries(operation.responses)
    .map(([status, answer]) => `<li><code>${status}</code> ${escapeHtml(answer.description ?? '')}</li>`)
    .join('');
  return `<section id="${id}"><h2><span class="method">${method.toUpperCase()}</span> ${escapeHtml(path)}</h2>
<p>${escapeHtml(operation.summary ?? '')}</p><p>${escapeHtml(operation.description ?? '')}</p>${parameters(operation)}
<ul>${answers}</ul>
${operation.requestBody === undefined ? '' : folded('Body', shownJson(operation.requestBody))}</section>`;
};

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1.5rem;color:#1d2524;background:#fbfaf8}
h1{font-size:1.75rem}h2{font:600 1.1rem/1.4 ui-monospace,monospace;overflow-wrap:anywhere}h2.words{font-family:inherit}
section,nav{border-top:1px solid #d9d5ce;padding:1rem 0}.method{color:#0b5f63}
pre{overflow:auto;max-height:30rem;padding:.75rem;background:#f0eee9;font-size:.85rem}summary{cursor:pointer;padding:.5rem 0}
@media (prefers-color-scheme:dark){body{color:#e8e6e1;background:#161b1b}section,nav{border-color:#3a4140}.method{color:#6cc5c2}pre{background:#1f2726}a{color:#6cc5c2}}`;

/** The contract for people, from the OpenAPI document: one page with no script and nothing loaded from elsewhere. */
export const docsPage = (document: unknown): string => {
  const { info, servers, paths, components } = documentShape.parse(document);
  const shown = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => [path, method, operation] as const),
  );
  const sections = shown.map((one) => shownOperation(...one));
  const schemas = Object.entries(components.schemas).map(([name, schema]) => folded(name, shownJson(schema)));
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(info.title)}: the contract</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><style>${style}</style></head><body><main>
<h1>${escapeHtml(info.title)}: the contract</h1><p>${escapeHtml(info.description ?? '')}</p>
<p>For programs: <a href="/openapi.json">openapi.json</a>. Errors are RFC 9457 problems; amounts are integers of the currency's minor unit.</p>
${docsIntroduction(escapeHtml(servers[0]?.url ?? ''))}
<nav aria-labelledby="contents"><h2 class="words" id="contents">Contents</h2><ul>
${contentsOf(shown)}
<li><a href="#shapes">Shapes</a></li></ul></nav>
${sections.join('\n')}<section id="shapes"><h2 class="words">Shapes</h2>${schemas.join('\n')}</section></main></body></html>`;
};
