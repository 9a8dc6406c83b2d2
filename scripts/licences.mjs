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
 * Every package with its name, version and whole licence; of `vendored` ones, and those without a
 * file of it, as scripts/licences/ has it. What many share is there once, after the copyright
 * notices of all of them. Throws where a package has no licence.
 */
export function licencesOf(root, folders, vendored) {
  const known = folders.flatMap((folder) => {
    const files = readdirSync(join(root, folder)).filter((name) => licenceFile.test(name));
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const texts = files.toSorted().map((file) => readFileSync(join(root, folder, file), 'utf8'));
    if (files.length === 0) texts.push(keptLicence(root, name));
    return texts.map((text) => ({ title: `${name} ${version} (${license})`, ...divided(text) }));
  });
  const others = vendored.map((name) => {
    const [title, ...lines] = keptLicence(root, name).split('\n');
    return { title, ...divided(lines.join('\n')) };
  });
  const byTerms = new Map();
  for (const licence of [...known, ...others]) {
    const words = licence.terms.replaceAll(/\s+/g, ' ');
    byTerms.set(words, [...(byTerms.get(words) ?? []), licence]);
  }
  const parts = [...byTerms.values()].map((same) =>
    [...same.map(({ title, notices }) => [title, ...notices].join('\n')), same[0].terms].join('\n\n'),
  );
  const rule = '-'.repeat(80);
  return `${['Mailroom contains code of these packages.', ...parts].join(`\n\n${rule}\n`)}\n`;
}

/** The notices of a licence, which name its owners, and its terms, which many packages share. */
function divided(text) {
  const lines = text.trim().split(/\r?\n/);
  const permission = lines.findIndex((line) =>
    /^\s*(Permission is hereby granted|Permission to use)/.test(line),
  );
  const notices = lines.slice(0, Math.max(permission, 0)).filter((line) => line.trim() !== '');
  return { notices, terms: lines.slice(Math.max(permission, 0)).join('\n').trim() };
}

function keptLicence(root, name) {
  return readFileSync(join(root, 'scripts/licences', `${name.replace('/', '__')}.txt`), 'utf8');
}
