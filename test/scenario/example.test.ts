import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { defaultConfig } from '../../src/config/config.ts';
import { parseConfig } from '../../src/config/read.ts';
import { parseProtocol } from '../../src/mail/protocol/read.ts';
import { parseWorkflow } from '../../src/languages/parse.ts';
import { nowhere } from '../support/nowhere.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const protocol = 'protocols/feature-team.yaml';

function read(...path: string[]): string {
  return readFileSync(join(repository, ...path), 'utf8');
}

const starter = 'templates/feature-team';
const base = 'templates/base';

/** All but where the file's schema lies, which differs from project to project. */
function withoutSchema(text: string): string {
  return text.replace(/^# yaml-language-server: .*\n/, '');
}

/** Without the provider that only the example of the language nip needs. */
function withoutClerk(text: string): string {
  return text.replace(/^ {2}# Does the tasks .*\n {2}clerk:\n {4}.*\n/m, '');
}

/** What a person does who wants the gate: takes the comment signs away. */
function withGate(text: string): string {
  return text.replace(/^( *)# (gates:\n)\1# ( *- run: )/m, '$1$2$1$3');
}

describe('the example project and the templates', () => {
  const settings = parseConfig(read('mailroom.yaml'), 'mailroom.yaml');

  it.each([
    ['.', '.'],
    [starter, base],
    ['templates/calculator', base],
  ])('%s, with the settings of %s, has nothing wrong with it', (folder, settingsFolder) => {
    const config = parseConfig(read(settingsFolder, 'mailroom.yaml'), 'mailroom.yaml');
    const files = [{ file: protocol, text: read(folder, protocol) }];
    const checked = parseProtocol(files, config.ok ? config.value : defaultConfig);
    expect(checked).toMatchObject({ ok: true, warnings: [] });
  });

  it('are the same but for the gate of the calculator, which has tests', () => {
    expect(settings).toMatchObject({ ok: true });
    const own = withoutSchema(read(protocol));
    expect(withoutSchema(read(starter, protocol))).toBe(own);
    expect(withGate(own)).not.toBe(own);
    expect(withoutSchema(read('templates/calculator', protocol))).toBe(withGate(own));
  });

  it('have the same roles and settings', () => {
    const files = ['architect', 'engineer', 'qa'].map((role) => `agents/${role}/role.md`);
    expect(files.map((file) => read(starter, file))).toEqual(files.map((file) => read(file)));
    const own = withoutClerk(withoutSchema(read('mailroom.yaml'))).replaceAll(`${starter}/`, '');
    expect(withoutSchema(read(base, 'mailroom.yaml'))).toBe(own);
  });

  it('have the first of the example workflows, sound', () => {
    const file = 'workflows/first-look.yaml';
    const text = read(starter, file);
    expect(parseWorkflow(text, file, nowhere)).toMatchObject({ ok: true, warnings: [] });
    expect(withoutSchema(text)).toBe(withoutSchema(read(file)));
  });

  it('name their provider on one line, for init to change', () => {
    expect(read(base, 'mailroom.yaml').match(/^ {2}provider: rehearsal$/gm)).toHaveLength(1);
  });
});
