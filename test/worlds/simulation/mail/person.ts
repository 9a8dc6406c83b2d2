import { fileName, monthOf } from '../../../../src/mail/format/message.ts';
import { isHuman, typesFrom } from '../../../../src/mail/format/protocol.ts';
import { controlFolder } from '../../../../src/host/control.ts';
import type { World } from './world.ts';

/** What people do to a project while it works: the right things, the wrong ones, and slowly. */
export class Person {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Writes a task: as a plain file or properly, at once or in pieces, in a new thread or an old one. */
  drop(): void {
    const { protocol, random, timeline, disk } = this.#world;
    const types = typesFrom(protocol, 'user').filter(({ name }) => !this.#isReply(name));
    const type = random.pick(types);
    const to = random.pick(type.to.filter((name) => !isHuman(protocol, name)));
    if (to === undefined) return;
    const plain = random.chance(0.3) && protocol.start?.to === to;
    const text = plain
      ? 'Do something\n'
      : `---\ntype: ${type.name}\n${this.#where(0.3)}---\nDo something else\n`;
    const path = `agents/${to}/inbox/task-${String(random.below(1e9))}.md`;
    if (random.chance(0.2)) {
      disk.plant(path, text.slice(0, random.below(text.length)));
      timeline.later(random.below(9), () => this.#put(path, text), 'outside');
    } else this.#put(path, text);
    this.#world.hint();
  }

  /** A line that names a thread that is there, now and then. */
  #where(chance: number): string {
    const { random, process } = this.#world;
    const threads = [...(process?.host.state.threads.keys() ?? [])];
    return threads.length > 0 && random.chance(chance) ? `thread: ${random.pick(threads)}\n` : '';
  }

  /** What was being written is complete now, unless somebody has taken the beginning. */
  #put(path: string, text: string): void {
    this.#world.disk.plant(path, text);
    this.#world.hint();
  }

  #isReply(name: string): boolean {
    return [...this.#world.protocol.types.values()].some(({ reply }) => reply.includes(name));
  }

  /** Answers everything that people are asked. False: they are asked nothing. */
  answer(): boolean {
    const { process, protocol, disk } = this.#world;
    const state = process?.host.state;
    let answered = false;
    for (const id of state?.roles.get('user')?.asked ?? []) {
      const mail = state?.mail.get(id);
      const type = mail?.request?.replies.find((name) => protocol.types.get(name)?.from.includes('user'));
      if (!mail || type === undefined) continue;
      const text = `---\ntype: ${type}\nto: ${mail.message.from}\nin_reply_to: ${id}\n---\nYes\n`;
      disk.plant(`agents/user/outbox/answer-${id}.md`, text);
      answered = true;
    }
    if (answered) this.#world.hint();
    return answered;
  }

  /** Speaks for a role that may be at work. */
  speak(): void {
    const { random, protocol, disk } = this.#world;
    const role = random.pick([...protocol.roles.keys()]);
    const types = typesFrom(protocol, role);
    if (types.length === 0) return;
    const closing = types.find(({ closes }) => closes);
    const type = closing && random.chance(0.5) ? closing : random.pick(types);
    const text = `---\ntype: ${type.name}\nto: ${random.pick(type.to)}\n${this.#where(0.7)}---\nI say so\n`;
    disk.plant(`agents/${role}/outbox/said-${String(random.below(1e9))}.md`, text);
    this.#world.hint();
  }

  /** Reads (removes) a message, or takes one, or a whole inbox, away from an agent; one file is perhaps put back. */
  meddle(): void {
    const { random, protocol, disk } = this.#world;
    const role = random.pick([...protocol.roles.keys()]);
    const folder = `agents/${role}/inbox`;
    const names = (disk.list(folder) ?? []).filter((name) => name.endsWith('.md'));
    if (names.length === 0) return;
    if (random.chance(0.1)) disk.remove(folder);
    else {
      const path = `${folder}/${random.pick(names)}`;
      const text = disk.read(path, 1e6);
      disk.remove(path);
      if (text !== null && random.chance(0.2)) this.#later(random.below(9_000), () => disk.plant(path, text));
    }
    this.#world.hint();
  }

  /** Takes a whole inbox away as git and rm do, file by file and the folder last, and perhaps puts it back. */
  stash(): void {
    const { random, protocol, disk } = this.#world;
    const role = random.pick([...protocol.roles.keys()]);
    const folder = `agents/${role}/inbox`;
    const taken = new Map<string, Buffer>();
    const take = () => {
      const [name] = disk.list(folder) ?? [];
      if (name === undefined) return leave();
      taken.set(name, disk.read(`${folder}/${name}`, 1e6) ?? Buffer.of());
      disk.remove(`${folder}/${name}`);
      this.#later(random.below(900), take);
    };
    const leave = () => {
      disk.remove(folder);
      this.#checkWaiting(role, taken);
      let at = 0;
      if (random.chance(0.5))
        for (const [name, text] of taken)
          this.#later((at += random.below(900)), () => disk.plant(`${folder}/${name}`, text));
    };
    take();
  }

  /** Nothing is concluded from an inbox that is being emptied. */
  #checkWaiting(role: string, taken: ReadonlyMap<string, unknown>): void {
    for (const { message, deliveries } of this.#world.process?.host.state.mail.values() ?? [])
      if (taken.has(fileName(message)) && deliveries.get(role)?.at === 'withdrawn')
        this.#world.problems.push(`${message.id} was withdrawn from ${role}, whose inbox was being emptied`);
  }

  /** Has inboxes that are gone drawn again. False: none is. */
  findVanished(): boolean {
    const roles = [...(this.#world.process?.host.state.roles ?? [])];
    const gone = roles.filter(([, { vanished }]) => vanished);
    for (const [role] of gone) this.request('unpause', { kind: 'role', role }, false);
    return gone.length > 0;
  }

  /** Uninstalls the program of a provider, or installs it again. */
  uninstall(): void {
    const { random, protocol, uninstalled } = this.#world;
    const provider = random.pick([...protocol.roles.values()].map((role) => role.provider));
    if (!uninstalled.delete(provider)) uninstalled.add(provider);
  }

  /** Tells the controller something. */
  control(): void {
    const { random, protocol, process } = this.#world;
    const state = process?.host.state;
    const role = random.pick([...protocol.roles.keys()]);
    const turn = random.pick([...(state?.turns.keys() ?? []), 't0']);
    const thread = random.pick([...(state?.threads.keys() ?? []), 'none']);
    const target = random.pick([
      { kind: 'role', role } as const,
      { kind: 'turn', turn } as const,
      { kind: 'thread', thread } as const,
    ]);
    this.request(random.pick(['pause', 'unpause', 'unpause', 'cancel']), target, random.chance(0.5));
  }

  /** Puts a dead letter back, and now and then thinks better of it. */
  retry(): void {
    const { random, disk } = this.#world;
    const dead = [...(this.#world.process?.host.state.mail.values() ?? [])].flatMap(
      ({ message, deliveries }) =>
        [...deliveries]
          .filter(([, { at }]) => at === 'failed' || at === 'withdrawn')
          .map(([role]) => ({ kind: 'letter', role, name: fileName(message) })),
    );
    if (dead.length === 0) return;
    const letter = random.pick(dead);
    this.request('retry', random.chance(0.2) ? this.#forged(letter) : letter, false);
    if (random.chance(0.8)) return;
    this.#later(random.below(20_000), () => disk.remove(`agents/${letter.role}/inbox/${letter.name}`));
  }

  /** A message that nobody sent, beside one that failed. */
  #forged({ role }: { readonly role: string }): { kind: 'letter'; role: string; name: string } {
    const { disk, newId, now, protocol, random } = this.#world;
    const id = newId();
    const type = random.pick([...protocol.types.keys()]);
    const name = fileName({ id, type, created: now });
    const front = `id: ${id}\ntype: ${type}\nfrom: user\nto: ${role}\nthread: ${id}\nsubject: Forged`;
    const text = `---\n${front}\ncreated: ${new Date(now).toISOString()}\n---\nForged\n`;
    disk.plant(`agents/${role}/failed/${monthOf(now)}/${name}`, text);
    return { kind: 'letter', role, name };
  }

  #later(after: number, act: () => unknown): void {
    const acts = () => {
      act();
      this.#world.hint();
    };
    this.#world.timeline.later(after, acts, 'outside');
  }

  request(verb: string, target: object, now: boolean): void {
    const id = this.#world.newId();
    const document = { id, at: this.#world.now, by: 'ada', verb, target, now };
    this.#world.disk.plant(`${controlFolder}/${id}.json`, JSON.stringify(document));
    this.#world.hint();
  }

  /** Takes back every pause, and has vanished inboxes drawn again. */
  unpauseAll(): void {
    this.request('unpause', { kind: 'all' }, false);
    for (const role of this.#world.protocol.roles.keys())
      this.request('unpause', { kind: 'role', role }, false);
  }
}
