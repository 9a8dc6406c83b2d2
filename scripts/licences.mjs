// The licences of the packages that a build has taken code from: their texts must come with it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const licenceFile = /^(licen[cs]e|copying|notice)([.-]|$)/i;

/** The folders of the packages in esbuild's reports of a build, relative to `root`, sorted. */
export function packagesOf(...metafiles) {
  const found = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .flatMap(([path]) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path) ?? []);
  return [...new Set(found)].toSorted();
}

/** The packages that others brought along in their own code, by the source map of a build. */
export function vendoredIn({ sources }) {
  const names = sources.flatMap(
    (path) => /\/\.pnpm\/.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [],
  );
  return [...new Set(names)];
}

/**
 * Name, version and the whole licence of each package; of `vendored` ones as scripts/licences/ has
 * it. Throws where one has no licence.
 */
export function licencesOf(root, folders, vendored) {
  const known = folders.map((folder) => {
    const files = readdirSync(join(root, folder)).filter((name) => licenceFile.test(name));
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    if (files.length === 0) throw new Error(`${name} ${version} has no file with its licence`);
    const texts = files.toSorted().map((file) => readFileSync(join(root, folder, file), 'utf8').trim());
    return [`${name} ${version} (${license})`, ...texts].join('\n\n');
  });
  const others = vendored.map((name) =>
    readFileSync(join(root, 'scripts/licences', `${name.replace('/', '__')}.txt`), 'utf8').trim(),
  );
  const parts = [...known, ...others];
  const rule = '-'.repeat(80);
  return `${['Mailroom contains code of these packages.', ...parts].join(`\n\n${rule}\n`)}\n`;
}
