import { MailroomError } from '../../kernel/errors.ts';
import { ownValue } from '../../kernel/own.ts';

/** The secret of a channel, in the variable that its settings name. Throws `E_USAGE` without it. */
export function secretOf(
  { name: channel, secret: variable }: { readonly name: string; readonly secret: string },
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const value = ownValue(environment, variable) ?? '';
  if (value !== '') return value;
  throw new MailroomError(
    'E_USAGE',
    `the channel ${channel} needs the variable ${variable}, which is not set`,
    `set it where \`mailroom up\` runs, or remove channels.${channel} from mailroom.yaml`,
  );
}
