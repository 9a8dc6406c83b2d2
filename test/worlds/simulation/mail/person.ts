import { fileName, monthOf } from '../../../../src/mail/format/message.ts';
import { hasQuestion, isHuman, question, typesFrom } from '../../../../src/mail/format/protocol.ts';
import { acceptingFolder } from '../../../../src/mail/mailboxes/accepting.ts';
import { controlFolder } from '../../../../src/host/control.ts';
import { sealed } from '../../../../src/host/seal.ts';
import type { MailAct, MailWhy } from '../../../../src/mail/machine/explain/words.ts';
import { explanations, unexplained } from '../../../mail/machine/explained.ts';
import type { World } from './world.ts';

/** What people do to a project while it works: the right things, the wrong ones, and slowly. */
export class Person {
  readonly #world: World;
  /** What was repeated after a login, by message and role. */
  readonly #repeated = new Set<string>();

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
    if (random.chance(0.1)) this.#writeUnseen(path);
    if (random.chance(0.2)) {
      disk.plant(path, text.slice(0, random.below(text.length)));
      timeline.later(random.below(9), () => this.#put(path, text), 'outside');
    } else this.#put(path, text);
    this.#world.hint();
  }

  /** The writer of this file cannot be seen, and goes on after the file was accepted. */
  #writeUnseen(path: string): void {
    const { disk, random, timeline } = this.#world;
    disk.written.set(path, 'unknown');
    timeline.later(
      2_000 + random.below(30_000),
      () => {
        const watched = (disk.list(acceptingFolder) ?? []).filter((name) => /~\d+-\d+$/.test(name));
        const name = random.pick(watched);
        if (name !== undefined) this.#put(`${acceptingFolder}/${name}`, 'Do something, but carefully\n');
      },
      'outside',
    );
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
    const asked = this.#world.process?.host.state.roles.get('user')?.asked ?? [];
    const answered = [...asked].filter((id) => this.#reply(id, 'user'));
    if (answered.length > 0) this.#world.hint();
    return answered.length > 0;
  }

  /** Answers one request. False: this person must not. */
  #reply(id: string, as: string): boolean {
    const { process, protocol, disk } = this.#world;
    const mail = process?.host.state.mail.get(id);
    const builtIn = hasQuestion(protocol) && mail?.message.type === question.name ? question.reply : [];
    const own = (name: string) => protocol.types.get(name)?.from.includes(as);
    const type = builtIn[0] ?? mail?.request?.replies.find(own);
    if (!mail || type === undefined) return false;
    const text = `---\ntype: ${type}\nto: ${mail.message.from}\nin_reply_to: ${id}\n---\nYes\n`;
    disk.plant(`agents/${as}/outbox/answer-${id}.md`, text);
    return true;
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
    // Another person may have taken a message before, and put its file back.
    const before = new Set(this.#withdrawnFrom(role));
    const take = () => {
      const [name] = disk.list(folder) ?? [];
      if (name === undefined) return leave();
      taken.set(name, disk.read(`${folder}/${name}`, 1e6) ?? Buffer.of());
      disk.remove(`${folder}/${name}`);
      this.#later(random.below(900), take);
    };
    const leave = () => {
      disk.remove(folder);
      const wrong = this.#withdrawnFrom(role).filter((name) => taken.has(name) && !before.has(name));
      // Nothing is concluded from an inbox that is being emptied.
      for (const name of wrong)
        this.#world.problems.push(`${name} was withdrawn from ${role}, whose inbox was being emptied`);
      let at = 0;
      if (random.chance(0.5))
        for (const [name, text] of taken)
          this.#later((at += random.below(900)), () => disk.plant(`${folder}/${name}`, text));
    };
    take();
  }

  /** The names of the files of withdrawn messages. */
  #withdrawnFrom(role: string): string[] {
    return [...(this.#world.process?.host.state.mail.values() ?? [])]
      .filter(({ deliveries }) => deliveries.get(role)?.at === 'withdrawn')
      .map(({ message }) => fileName(message));
  }

  /** Does what `why` says of everything that waits. False: it names nothing that a person could do. */
  follow(): boolean {
    const acts = new Map<string, MailAct>();
    for (const { act, code } of this.#whys().values()) {
      // What failed for another reason has ended, and need not be done.
      const isWanted = act?.do !== 'retry' || code === 'login_missing' || code === 'conflict';
      if (act !== null && isWanted) acts.set(JSON.stringify(act), act);
    }
    const done = [...acts.values()].filter((act) => this.#do(act));
    if (done.length > 0) this.#world.hint();
    return done.length > 0;
  }

  #whys(): ReadonlyMap<string, MailWhy> {
    const { process, protocol, now, neighbours } = this.#world;
    return process ? explanations(process.host.state, protocol, now, neighbours.agents) : new Map();
  }

  /** What waits, and for which `why` knows no reason. Call it when nothing has happened for a while. */
  unexplained(): string[] {
    const { process, protocol, now, neighbours } = this.#world;
    return process ? unexplained(process.host.state, protocol, now, neighbours.agents) : [];
  }

  /** False: it is about what has ended, and need not be done. */
  #do(act: MailAct): boolean {
    switch (act.do) {
      case 'unpause':
        this.request('unpause', act.target, false);
        return true;
      case 'reply':
        return this.#reply(act.request, act.as);
      case 'approve': {
        const verb = this.#world.random.chance(0.8) ? 'approve' : 'reject';
        this.request(verb, { kind: 'turn', turn: act.turn }, false);
        return true;
      }
      case 'retry':
        return this.#repeat(act.message, act.role);
      case 'send':
      case 'work':
      case 'unpause-worker':
        return false;
      default:
        return act satisfies never;
    }
  }

  /** Has logged in or resolved a conflict, and repeats what waits for that. False: she has logged in once. */
  #repeat(message: string, role: string): boolean {
    const mail = this.#world.process?.host.state.mail.get(message);
    const key = `${message} ${role}`;
    const isConflict = mail?.deliveries.get(role)?.at === 'claimed';
    if (!mail || (this.#repeated.has(key) && !isConflict)) return false;
    if (!isConflict) this.#repeated.add(key);
    this.request('retry', { kind: 'letter', role, name: fileName(mail.message) }, false);
    return true;
  }

  /** What did not move although she did what `why` said: it still lacks a login. */
  inVain(): string[] {
    const { process } = this.#world;
    return [...this.#repeated].filter((key) => {
      const [message = '', role = ''] = key.split(' ');
      const delivery = process?.host.state.mail.get(message)?.deliveries.get(role);
      return delivery?.at === 'failed' && delivery.reason.code === 'E_LOGIN';
    });
  }

  /** Uninstalls the program of a provider, or installs it again. */
  uninstall(): void {
    const { random, protocol, uninstalled } = this.#world;
    const provider = random.pick([...protocol.roles.values()].map((role) => role.provider));
    if (!uninstalled.delete(provider)) uninstalled.add(provider);
  }

  /** Works on the branch that the roles' work lands on. */
  work(): void {
    const { random, work } = this.#world;
    if (random.chance(0.5)) work.push();
    else work.target.isDirty = !work.target.isDirty;
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
    this.request(
      random.pick(['pause', 'unpause', 'unpause', 'cancel', 'approve', 'reject']),
      target,
      random.chance(0.5),
    );
  }

  /** Puts a dead letter back, or one that a turn has, and now and then thinks better of it. */
  retry(): void {
    const { random, disk } = this.#world;
    const dead = [...(this.#world.process?.host.state.mail.values() ?? [])].flatMap(
      ({ message, deliveries }) =>
        [...deliveries]
          .filter(([, { at }]) => at === 'failed' || at === 'withdrawn' || at === 'claimed')
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
    const path = `${controlFolder}/${id}.json`;
    this.#world.disk.plant(path, sealed(this.#world.disk, path, JSON.stringify(document)));
    this.#world.hint();
  }
}
