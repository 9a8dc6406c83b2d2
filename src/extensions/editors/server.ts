import { dirname } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { TextDocument } from 'vscode-languageserver-textdocument';
import {
  CodeActionKind,
  createConnection,
  ErrorCodes,
  MarkupKind,
  ResponseError,
  TextDocuments,
  TextDocumentSyncKind,
} from 'vscode-languageserver/node';
import type {
  CodeAction,
  CodeActionParams,
  CompletionItem,
  Connection,
  Hover,
  InitializeResult,
  Location,
  RenameParams,
  TextDocumentPositionParams,
  WorkspaceEdit,
} from 'vscode-languageserver/node';
import { UnsavedTexts } from '../../disk/unsaved.ts';
import { messageOf } from '../../kernel/errors.ts';
import { actionsOf, completionOf, diagnosticOf, editOf, isWithin } from './protocol.ts';
import type { EditedProject } from '../../project/edited-project.ts';

/** What the language server needs of the program. */
interface EditorServices {
  readonly version: string;
  readonly open: (file: string, unsaved: UnsavedTexts) => Promise<EditedProject>;
}

/** Serves one editor on standard input and output until the editor ends the process. */
export function serveEditor(services: EditorServices): Promise<never> {
  // The library would throw when it reports that.
  process.stdout.once('error', () => process.exit(1));
  const connection = createConnection(process.stdin, process.stdout);
  new EditorServer(connection, services).listen();
  // The connection ends the process, as the protocol wants.
  return new Promise(() => {});
}

class EditorServer {
  readonly #connection: Connection;
  readonly #services: EditorServices;
  readonly #documents = new TextDocuments(TextDocument);
  readonly #unsaved = new UnsavedTexts();
  /** By the folder of a file. */
  readonly #projects = new Map<string, Promise<EditedProject>>();
  /** The documents whose diagnostics are to be computed, in this order. */
  readonly #waiting = new Set<string>();
  #isWorking = false;

  constructor(connection: Connection, services: EditorServices) {
    this.#connection = connection;
    this.#services = services;
  }

  listen(): void {
    this.#connection.onInitialize(() => this.#initialize());
    this.#connection.onCompletion((asked) => this.#complete(asked));
    this.#connection.onHover((asked) => this.#hover(asked));
    this.#connection.onDefinition((asked) => this.#define(asked));
    this.#connection.onRenameRequest((asked) => this.#rename(asked));
    this.#connection.onCodeAction((asked) => this.#actions(asked));
    this.#connection.onDidChangeWatchedFiles(() => void this.#refresh());
    this.#documents.onDidSave(() => void this.#refresh());
    this.#documents.onDidChangeContent(({ document }) => this.#changed(document));
    this.#documents.onDidClose(({ document }) => this.#closed(document));
    this.#documents.listen(this.#connection);
    this.#connection.listen();
  }

  #initialize(): InitializeResult {
    return {
      capabilities: {
        positionEncoding: 'utf-16',
        textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
        completionProvider: { triggerCharacters: ['.', ' ', '{', '[', ':', '/'] },
        hoverProvider: true,
        definitionProvider: true,
        renameProvider: true,
        codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] },
      },
      serverInfo: { name: 'mailroom', version: this.#services.version },
    };
  }

  #changed(document: TextDocument): void {
    const file = fileOf(document.uri);
    if (file === null) return;
    this.#unsaved.set(file, document.getText());
    this.#recheck(document.uri);
  }

  async #refresh(): Promise<void> {
    for (const project of this.#projects.values()) (await project).refresh();
    this.#recheck(null);
  }

  /** What a request at a position is about; null: a document that is not on a disk. */
  async #asked({ textDocument, position }: TextDocumentPositionParams): Promise<Asked | null> {
    const document = this.#documents.get(textDocument.uri);
    const file = fileOf(textDocument.uri);
    if (document === undefined || file === null) return null;
    const project = await this.#projectOf(file);
    return { document, file, project, text: document.getText(), offset: document.offsetAt(position) };
  }

  async #complete(params: TextDocumentPositionParams): Promise<CompletionItem[]> {
    const asked = await this.#asked(params);
    if (asked === null) return [];
    const { project, file, text, offset, document } = asked;
    const found = await project.complete(file, text, offset);
    return found.map((each, index) => completionOf(each, index, document, offset));
  }

  async #hover(params: TextDocumentPositionParams): Promise<Hover | null> {
    const asked = await this.#asked(params);
    if (asked === null) return null;
    const value = await asked.project.hover(asked.file, asked.text, asked.offset);
    return value === null ? null : { contents: { kind: MarkupKind.Markdown, value } };
  }

  async #define(params: TextDocumentPositionParams): Promise<Location | null> {
    const asked = await this.#asked(params);
    const found = asked && (await asked.project.define(asked.file, asked.text, asked.offset));
    if (found === null) return null;
    const document = TextDocument.create(pathToFileURL(found.file).href, '', 0, found.text);
    const range = { start: document.positionAt(found.from), end: document.positionAt(found.to) };
    return { uri: document.uri, range };
  }

  async #rename(params: RenameParams): Promise<WorkspaceEdit | null> {
    const asked = await this.#asked(params);
    if (asked === null) return null;
    const { project, file, text, offset, document } = asked;
    const renamed = project.rename(file, text, offset, params.newName);
    if (!renamed.ok) throw new ResponseError(ErrorCodes.InvalidRequest, renamed.why);
    return { changes: { [document.uri]: renamed.patches.map((patch) => editOf(patch, document)) } };
  }

  async #actions({ textDocument, range }: CodeActionParams): Promise<CodeAction[]> {
    const start = { textDocument, position: range.start };
    const asked = await this.#asked(start);
    if (asked === null) return [];
    const found = await asked.project.diagnose(asked.file, asked.text);
    return found
      .filter(({ place }) => place !== null && isWithin(place.line - 1, range))
      .flatMap((diagnostic) => actionsOf(diagnostic, textDocument.uri));
  }

  #closed({ uri }: TextDocument): void {
    const file = fileOf(uri);
    if (file !== null) this.#unsaved.delete(file);
    this.#waiting.delete(uri);
    void this.#connection.sendDiagnostics({ uri, diagnostics: [] });
    this.#recheck(null);
  }

  /** Checks the changed document first, then the others, which may depend on it. */
  #recheck(changed: string | null): void {
    this.#waiting.clear();
    if (changed !== null) this.#waiting.add(changed);
    for (const uri of this.#documents.keys()) this.#waiting.add(uri);
    if (!this.#isWorking) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    for (let [uri] = this.#waiting; uri !== undefined; [uri] = this.#waiting) {
      this.#waiting.delete(uri);
      // Changes that have arrived meanwhile are read first.
      await new Promise((resolve) => void setImmediate(resolve));
      await this.#publish(uri).catch((error: unknown) => this.#connection.console.error(messageOf(error)));
    }
    this.#isWorking = false;
  }

  async #publish(uri: string): Promise<void> {
    const document = this.#documents.get(uri);
    const file = fileOf(uri);
    if (document === undefined || file === null) return;
    const { version } = document;
    const project = await this.#projectOf(file);
    const found = await project.diagnose(file, document.getText());
    if (this.#documents.get(uri)?.version !== version) return;
    await this.#connection.sendDiagnostics({ uri, version, diagnostics: found.map(diagnosticOf) });
  }

  #projectOf(file: string): Promise<EditedProject> {
    const folder = dirname(file);
    const known = this.#projects.get(folder) ?? this.#services.open(file, this.#unsaved);
    this.#projects.set(folder, known);
    return known;
  }
}

/** A request at a position of a document. */
interface Asked {
  readonly document: TextDocument;
  readonly file: string;
  readonly project: EditedProject;
  readonly text: string;
  readonly offset: number;
}

/** Null: not a file on a disk. */
function fileOf(uri: string): string | null {
  return uri.startsWith('file:') ? fileURLToPath(uri) : null;
}
