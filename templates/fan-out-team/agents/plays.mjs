import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const parts = ['import', 'export', 'search'];

/** Keeps what both sides of a conflict have added. */
function resolveConflicts(file) {
  if (!existsSync(file)) return;
  const lines = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, lines.filter((line) => !/^(<{7}|\|{7}|={7}|>{7})/.test(line)).join('\n'));
}

/** What each role does and sends, by the mail that it received. */
export const plays = {
  architect: (mail, send) => {
    if (mail.some(({ type }) => type === 'task')) {
      writeFileSync('FEATURES.md', '# Features\n\n');
      for (const part of parts) send('part', 'engineer', `Build the ${part}.`);
      return;
    }
    resolveConflicts('FEATURES.md');
    send('delivered', 'user', `${mail.length} parts fit together.`);
  },
  engineer: ([{ body }], send) => {
    const [, part] = /Build the (\w+)/.exec(body);
    writeFileSync(`${part}.md`, `This is the ${part}.\n`);
    // Every engineer adds a line to the same file: these conflict where they meet.
    writeFileSync('FEATURES.md', `${readFileSync('FEATURES.md', 'utf8')}- ${part}\n`);
    send('built', 'architect', `The ${part} is there.`);
  },
};
