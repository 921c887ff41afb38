import { tmpdir } from 'node:os';
import path from 'node:path';
import { serveExample } from './serve.ts';

const file = path.join(tmpdir(), 'outbox-example-readings.jsonl');
const { url } = await serveExample(file, 4790);
console.log(`Open ${url} (readings are recorded in ${file}; every third answer is lost on purpose).`);
