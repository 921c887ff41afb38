import path from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');

/** Names of a world. Not one of them may exist where decisions are compiled. */
const world = [
  'fetch',
  'process',
  'window',
  'document',
  'setTimeout',
  'console',
  'crypto',
  'Buffer',
  'indexedDB',
  'navigator',
];

/** Compiles one made-up file inside a room with the room's own settings and returns the names that were not found. */
const missingNames = (room: string, opened: ts.CompilerOptions = {}): string[] => {
  const configPath = path.join(root, room, 'tsconfig.json');
  const parsed = ts.getParsedCommandLineOfConfigFile(configPath, opened, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: () => undefined,
  });
  if (!parsed) throw new Error(`cannot read ${configPath}`);
  const probe = path.join(root, room, 'src', 'world-probe.ts');
  const text = world.map((name) => `void ${name};`).join('\n') + '\nexport {};\n';
  const host = ts.createCompilerHost(parsed.options);
  const readFile = host.readFile.bind(host);
  const fileExists = host.fileExists.bind(host);
  const getSourceFile = host.getSourceFile.bind(host);
  host.fileExists = (file) => file === probe || fileExists(file);
  host.readFile = (file) => (file === probe ? text : readFile(file));
  host.getSourceFile = (file, ...rest) =>
    file === probe ? ts.createSourceFile(file, text, ts.ScriptTarget.ES2023) : getSourceFile(file, ...rest);
  // The room's real files are part of the program: a stray reference to Node's types in one of them would open the guard.
  const program = ts.createProgram({
    rootNames: [...parsed.fileNames, probe],
    options: parsed.options,
    host,
  });
  const source = program.getSourceFile(probe);
  return program
    .getSemanticDiagnostics(source)
    .filter(
      (diagnostic) =>
        diagnostic.code === 2304 ||
        diagnostic.code === 2584 ||
        diagnostic.code === 2591 ||
        diagnostic.code === 2580,
    )
    .map((diagnostic) =>
      text.slice(diagnostic.start ?? 0, (diagnostic.start ?? 0) + (diagnostic.length ?? 0)),
    );
};

describe('the decisions compile without a world', () => {
  test.each([
    'packages/operation',
    'packages/providers',
    'packages/engine',
    'packages/outbox',
    'packages/assistant',
  ])(
    'nothing of a world exists in %s',
    (room) => {
      expect(missingNames(room)).toEqual(world);
    },
    60_000,
  );

  test('the guard sees a door that was opened', () => {
    expect(missingNames('packages/operation', { types: ['node'] })).not.toEqual(world);
  });
});
