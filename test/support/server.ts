import type { ChildProcess } from 'node:child_process';
import { finished, type Ran, type TestProject } from './project.ts';

/** A server of a project, and its address. */
export class Server {
  readonly child: ChildProcess;
  readonly ended: Promise<Ran>;
  readonly port: number;
  readonly key: string;

  private constructor(child: ChildProcess, ended: Promise<Ran>, address: URL) {
    this.child = child;
    this.ended = ended;
    this.port = Number(address.port);
    this.key = address.hash.slice('#key='.length);
  }

  static async start(
    project: TestProject,
    env: Readonly<Record<string, string>> = {},
    options: readonly string[] = [],
  ): Promise<Server> {
    const child = project.start(['serve', '--port', '0', ...options], env);
    const ended = finished(child);
    const line = await new Promise<string>((resolve, reject) => {
      let heard = '';
      child.stdout?.on('data', (chunk: Buffer) => {
        heard += chunk.toString();
        if (heard.includes('\n')) resolve(heard.trim());
      });
      void ended.then(({ stderr }) => reject(new Error(stderr)));
    });
    return new Server(child, ended, new URL(line));
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    const all = { authorization: `Bearer ${this.key}`, ...headers };
    return fetch(`http://127.0.0.1:${String(this.port)}${path}`, { headers: all });
  }

  async post(path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`http://127.0.0.1:${String(this.port)}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.key}`,
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(body),
    });
  }

  async stop(): Promise<Ran> {
    this.child.kill('SIGTERM');
    return this.ended;
  }
}
