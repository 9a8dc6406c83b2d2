import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';

const list = 'FEATURES.md';

/** Writes a part, and names it in the list that both engineers change. */
function build(name) {
  if (!existsSync(list)) writeFileSync(list, '# Features\n\n');
  writeFileSync(`${name}.md`, `This is the ${name}.\n`);
  appendFileSync(list, `- ${name}\n`);
}

/** Keeps what both sides of a conflict have added. */
function resolveConflict() {
  if (!existsSync(list)) return false;
  const text = readFileSync(list, 'utf8');
  const lines = text.split('\n').filter((line) => !/^(<{7}|\|{7}|={7}|>{7})/.test(line));
  if (lines.join('\n') === text) return false;
  writeFileSync(list, lines.join('\n'));
  return true;
}

/** What each role does and sends, by the mail that it received. */
export const plays = {
  architect: (_mail, send) =>
    send('part', ['engineer-a', 'engineer-b'], 'One builds the import, the other the export.'),
  'engineer-a': (_mail, send) => {
    build('import');
    send('built-a', 'reviewer', 'The import is there.');
  },
  'engineer-b': (_mail, send) => {
    build('export');
    send('built-b', 'reviewer', 'The export is there.');
  },
  reviewer: (_mail, send) => {
    const resolved = resolveConflict() ? `, and both parts are named in ${list}` : '';
    send('delivered', 'user', `Import and export fit together${resolved}.`);
  },
};
