import { StringDecoder } from 'node:string_decoder';

/** The longest line that is read, in characters: no message of an agent is that long. */
const longestLine = 32 * 1024 * 1024;

/** An error that the agent answered a request with. */
export class RequestError extends Error {
  constructor({ code, message, data }) {
    super(typeof message === 'string' ? message : 'it gave no reason');
    this.code = typeof code === 'number' ? code : null;
    this.data = data;
  }
}

/**
 * JSON-RPC 2.0, one message on each line, over the standard streams of an agent. Answers to nothing
 * that was asked, second answers and lines that are not messages change nothing.
 */
export class Connection {
  #input;
  #requests;
  #notifications;
  #waiting = new Map();
  #last = 0;
  #closed = null;

  /**
   * `requests`: what answers the agent's requests, by method; `notifications` receives a method and
   * its parameters. `broken` is called once if the agent writes a line that cannot be a message.
   */
  constructor({ input, output, requests, notifications, broken }) {
    this.#input = input;
    this.#requests = requests;
    this.#notifications = notifications;
    input.on('error', () => {});
    const decoder = new StringDecoder('utf8');
    let line = '';
    output.on('data', (chunk) => {
      const [first, ...rest] = decoder.write(chunk).split('\n');
      line += first;
      for (const next of rest) {
        this.#take(line);
        line = next;
      }
      if (line.length > longestLine) {
        line = '';
        broken('it wrote a line of more than 32 MB');
      }
    });
  }

  /** The answer of the agent. Throws `RequestError`, or the reason why none can come. */
  request(method, params) {
    if (this.#closed !== null) return Promise.reject(this.#closed);
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#write({ id, method, params });
    });
  }

  /** Whether the agent has a request to answer. */
  get isWaiting() {
    return this.#waiting.size > 0;
  }

  notify(method, params) {
    this.#write({ method, params });
  }

  /** Rejects everything that still waits for an answer, and all later requests. */
  close(reason) {
    this.#closed ??= reason;
    for (const { reject } of this.#waiting.values()) reject(this.#closed);
    this.#waiting.clear();
  }

  /** No further message: the agent may end. */
  end() {
    this.#input.end();
  }

  #take(line) {
    const message = parsed(line);
    if (message === null) return;
    const { id, method } = message;
    if (typeof method !== 'string') return this.#settle(message);
    if (id === undefined) return this.#notifications(method, message.params ?? {});
    const answer = Object.hasOwn(this.#requests, method) ? this.#requests[method] : undefined;
    if (answer === undefined)
      return this.#write({ id, error: { code: -32601, message: `Method not found: ${method}` } });
    return void this.#answer(id, answer(message.params ?? {}));
  }

  /** `result`: the answer to a request of the agent, or a promise of it. */
  async #answer(id, result) {
    this.#write({ id, result: await result });
  }

  #settle({ id, error, result }) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error !== undefined && error !== null) waiting?.reject(new RequestError(error));
    else waiting?.resolve(result ?? {});
  }

  #write(message) {
    if (this.#input.writable) this.#input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}

/** The message in a line; null: it is none. */
function parsed(line) {
  if (!line.trimStart().startsWith('{')) return null;
  try {
    const message = JSON.parse(line);
    return isObject(message.params ?? {}) ? message : null;
  } catch {
    return null;
  }
}

/** Whether a value is a JSON object. */
export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
