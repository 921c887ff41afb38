// The one file that any Node can read: it says so in a clear line when this Node is too old for the rest, which is
// TypeScript and runs as it is. `node apps/server/launch.js start`, `node apps/server/launch.js holdfast …`.
const programs = {
  start: './src/start/start.ts',
  holdfast: './src/command-line/holdfast.ts',
};

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const [name = ''] = process.argv.splice(2, 1);

if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `holdfast: Node ${process.versions.node} is too old: install Node 22.18 or newer (24 is what it is tested with).\n`,
  );
  process.exitCode = 1;
} else if (!Object.hasOwn(programs, name)) {
  process.stderr.write(
    `holdfast: there is no program "${name}"; there are ${Object.keys(programs).join(', ')}.\n`,
  );
  process.exitCode = 1;
} else {
  await import(programs[name]);
}
