import type { Mutation } from './mutation.ts';

export const channels: readonly Mutation[] = [
  {
    mechanism: 'a stranger on a channel is not answered',
    file: 'channels/machine/judge.ts',
    from: 'if (role === undefined) return silently(',
    to: 'if (role === undefined) return openly(',
    seenBy: ['test/channels/machine.test.ts'],
  },
  {
    mechanism: 'a forged sender is refused',
    file: 'channels/machine/judge.ts',
    from: 'if (forged !== null) return',
    to: 'if (forged === "") return',
    seenBy: ['test/channels/machine.test.ts'],
  },
  {
    mechanism: 'a gate is approved by an approver of the channel',
    file: 'channels/machine/judge.ts',
    from: 'if (isApproval && !rules.approvers.includes(author.toLowerCase()))',
    to: 'if (false)',
    seenBy: ['test/channels/machine.test.ts'],
  },
  {
    mechanism: 'who was not asked does not answer',
    file: 'channels/machine/judge.ts',
    from: 'meant.filter(({ to }) => answererOf(role, to) !== null)',
    to: 'meant.filter(() => true)',
    seenBy: ['test/channels/machine.test.ts'],
  },
  {
    mechanism: 'words that were passed on stay quoted',
    file: 'channels/machine/judge.ts',
    from: 'if (people.has(writer.toLowerCase())) return { subject, text };',
    to: 'return { subject, text };',
    seenBy: ['test/channels/machine.test.ts'],
  },
  {
    mechanism: 'what a killed host may have sent is looked for',
    file: 'channels/host/channel-host.ts',
    from: 'begun === null ? null : await this.#channel.find(post, begun)',
    to: 'null',
    seenBy: ['test/channels/host.test.ts'],
  },
  {
    mechanism: 'a post is noted before it is sent',
    file: 'channels/host/channel-host.ts',
    from: "if (begun === null) this.#note({ is: 'begun', key });",
    to: '',
    seenBy: ['test/channels/host.test.ts'],
  },
  {
    mechanism: 'a channel remembers before it goes on',
    file: 'channels/host/channel-host.ts',
    from: '    this.#ports.write(memory);\n',
    to: '',
    seenBy: ['test/channels/host.test.ts'],
  },
  {
    mechanism: 'an answer that took effect is not given again',
    file: 'channels/host/channel-host.ts',
    from: 'if (key !== undefined && this.#ports.tookEffect(key, mark))',
    to: 'if (false)',
    seenBy: ['test/channels/host.test.ts'],
  },
  {
    mechanism: 'what was received before is not received again',
    file: 'channels/host/channel-host.ts',
    from: 'if (!isKnown(incoming.id)) await this.#take(incoming);',
    to: 'await this.#take(incoming);',
    seenBy: ['test/channels/host.test.ts'],
  },
];
