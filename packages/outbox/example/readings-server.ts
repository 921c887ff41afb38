import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';

type Command = { commandId: string; subject: string; action: { meter: string; reading: number } };

/**
 * The server's half: each reading is recorded once, by its ID, whatever is sent how often. The IDs lie in a file.
 * Every third answer is lost on purpose.
 */
export const createReadingsServer = (file: string) => {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const recorded = new Map(
    lines.map((line): [string, Command] => [JSON.parse(line).commandId, JSON.parse(line)]),
  );
  let requestCount = 0;
  const record = (command: Command): { commandId: string; status: string } => {
    if (recorded.has(command.commandId)) return { commandId: command.commandId, status: 'replayed' };
    appendFileSync(file, `${JSON.stringify(command)}\n`);
    recorded.set(command.commandId, command);
    return { commandId: command.commandId, status: 'applied' };
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = '';
    for await (const piece of request) text += String(piece);
    const { commands } = JSON.parse(text) as { commands: Command[] };
    const results = commands.map(record);
    requestCount += 1;
    if (requestCount % 3 === 1) response.destroy();
    else response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ results }));
  };
  return { recorded, serve, requestCount: () => requestCount };
};
