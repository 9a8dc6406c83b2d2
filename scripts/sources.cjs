// Whether what was built is as new as its sources. Every start of a checkout asks, so this is
// CommonJS and loads nothing that takes long.
const { existsSync, readdirSync, statSync } = require('node:fs');
const { join, sep } = require('node:path');

const root = join(__dirname, '..');
const sources = join(root, 'src');
const builders = ['build.mjs', 'charsets.mjs', 'lean.mjs', 'licences.mjs'];

/** Whether this app.cjs is as new as the sources, if there are any. */
function isCurrent(app) {
  if (!existsSync(sources)) return true;
  const built = statSync(app, { throwIfNoEntry: false });
  // File systems store fractions of a millisecond that `utimes` rounds.
  return built !== undefined && built.mtimeMs + 1 >= newestSource();
}

let newest;

/** The latest modification time of all inputs of a build, in milliseconds. */
function newestSource() {
  newest ??= Math.max(
    statSync(join(root, 'package.json')).mtimeMs,
    ...builders.map((name) => statSync(join(root, 'scripts', name)).mtimeMs),
    newestBelow(sources),
  );
  return newest;
}

// A folder's own time counts too: it changes when a file is removed or renamed.
function newestBelow(directory) {
  let latest = statSync(directory).mtimeMs;
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = directory + sep + entry.name;
    if (entry.isDirectory()) latest = Math.max(latest, newestBelow(path));
    else if (!entry.name.endsWith('.test.ts')) latest = Math.max(latest, statSync(path).mtimeMs);
  }
  return latest;
}

module.exports = { isCurrent, newestSource };
