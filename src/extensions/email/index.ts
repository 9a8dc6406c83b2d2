import type { Extension } from '../../cli/extension.ts';

/** A mailbox as a channel, by SMTP and IMAP. */
export const email: Extension = {
  name: 'email',
  channels: {
    email: async (settings, { marks, environment }) => {
      const { secretOf } = await import('../../channels/host/secret.ts');
      const password = secretOf(settings, environment);
      const [{ Email }, { Mailbox }] = await Promise.all([import('./email.ts'), import('./mailbox.ts')]);
      return new Email(settings, new Mailbox({ ...settings, password }), marks, Date.now);
    },
  },
};
