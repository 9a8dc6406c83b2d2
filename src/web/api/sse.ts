export interface ServerEvent {
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
}

/** Splits a stream of server-sent events into events, whatever the chunks in which it arrives. */
export class EventParser {
  #rest = '';
  #id: string | null = null;
  #event = '';
  #data: string[] = [];

  /** The events that are complete with this chunk. */
  push(chunk: string): ServerEvent[] {
    const lines = (this.#rest + chunk).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.#line(line) ?? []);
  }

  #line(line: string): ServerEvent | null {
    if (line === '') return this.#flush();
    const [, field = '', value = ''] = /^([^:]*):? ?([^]*)$/.exec(line) ?? [];
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#event = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    return null;
  }

  #flush(): ServerEvent | null {
    const [event, data] = [this.#event === '' ? 'message' : this.#event, this.#data.join('\n')];
    const isEmpty = this.#data.length === 0;
    [this.#event, this.#data] = ['', []];
    return isEmpty ? null : { id: this.#id, event, data };
  }
}
