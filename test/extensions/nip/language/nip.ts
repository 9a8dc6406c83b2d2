import { parseProtocol } from '../../../../src/mail/protocol/read.ts';
import { nip as language } from '../../../../src/extensions/nip/language/read.ts';
import { languages } from '../../../../src/languages/languages.ts';
import type { Languages } from '../../../../src/languages/shared/workflow-language.ts';
import { parseWorkflow } from '../../../../src/languages/parse.ts';
import { type LanguageContext } from '../../../../src/languages/shared/context.ts';
import { nowhere } from '../../../support/nowhere.ts';
import type { Workflow } from '../../../../src/workflow/model.ts';

const roles = `
name: tasks
roles:
  one: { provider: claude, kinds: [5100] }
  two: { provider: claude, kinds: [5100, 5200] }
  three: { provider: claude, kinds: [5100] }
messages: { task: { from: user, to: [one, two, three] } }
`;

/** The languages of a program with this extension. */
export const nipLanguages: Languages = [...languages, language];

/** What a workflow of these roles is read in. */
export function nipContext(): LanguageContext {
  const protocol = parseProtocol([{ file: 'tasks.yaml', text: roles }]);
  if (!protocol.ok) throw new Error(JSON.stringify(protocol.problems));
  return { ...nowhere, protocol: protocol.value, nip: { ...nowhere.nip, maxSteps: 100 } };
}

/** The workflow of a definition with these tags; throws what is wrong with it. */
export function nip(...tags: readonly (readonly string[])[]): Workflow {
  const event = { kind: 30_920, tags: [['d', 'sample'], ['name', 'Sample'], ...tags], content: '' };
  const read = parseWorkflow(JSON.stringify(event), 'sample.json', nipContext(), nipLanguages);
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('\n'));
  return read.value;
}
