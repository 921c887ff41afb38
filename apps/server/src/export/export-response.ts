export type ExportFormat = 'csv' | 'ndjson' | 'jsonl';

const mediaTypes: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  jsonl: 'application/jsonl; charset=utf-8',
};

/** What is not taken is not read: one part after another, so memory does not grow with the export. */
const streamOf = (parts: AsyncGenerator<string>): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const { value, done } = await parts.next();
        if (done === true) return controller.close();
        // A part without a line is no reason to be asked again: nobody would ask.
        if (value !== '') return controller.enqueue(encoder.encode(value));
      }
    },
    async cancel() {
      await parts.return(undefined);
    },
  });
};

/** A file to be saved, streamed as its reader takes it. */
export const exportResponse = (
  parts: AsyncGenerator<string>,
  { name, format }: { readonly name: string; readonly format: ExportFormat },
): Response =>
  new Response(streamOf(parts), {
    headers: {
      'content-type': mediaTypes[format],
      'content-disposition': `attachment; filename="${name}.${format}"`,
      'cache-control': 'no-store',
    },
  });
