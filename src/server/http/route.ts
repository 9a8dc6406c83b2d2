import * as z from 'zod';
import type { ApiKey, ApiServices } from '../../project/api.ts';
import type { DeepReadonly } from '../../kernel/json.ts';
import type { Project } from '../../project/project.ts';

/** What the handlers of all routes receive. */
export interface HttpServices {
  readonly project: Project;
  readonly api: ApiServices;
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A valid request. */
export interface Asked<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Whose key it is. */
  readonly key: ApiKey;
  /** The same for each repetition of the request; null: it is never repeated. */
  readonly id: string | null;
  readonly headers: Headers;
  readonly url: URL;
  readonly signal: AbortSignal;
}

/** A document of the route's schema. */
export interface DocumentAnswer<Document> {
  readonly status?: 200 | 201 | 202;
  readonly document: Document;
  /** Of what can be changed: its tag begins with it, and so it is what `If-Match` takes. */
  readonly revision?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A text of a media type of the route. */
export interface TextAnswer {
  readonly text: string;
  /** Its media type. */
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a route answers with; a response is sent as it is. */
export type Answer<Document> = DocumentAnswer<Document> | TextAnswer | Response;

/** One operation of the API. Writing ones need a key that may write. */
export interface Route {
  readonly method: 'get' | 'post' | 'put';
  /** As OpenAPI writes it: `/api/v1/threads/{id}`. */
  readonly path: string;
  /** One line. */
  readonly summary: string;
  /** Its group in the documentation. */
  readonly tag: string;
  readonly params: z.ZodType | null;
  readonly query: z.ZodType | null;
  readonly body: z.ZodType | null;
  /** The largest body, in bytes. */
  readonly bodyBytes: number;
  /** The schema of its document; null: it answers with `media`. */
  readonly document: z.ZodType | null;
  /** The media type of another answer than a document; null: it has none. */
  readonly media: string | null;
  /** The schema of the `data` of each event; null: it answers with no stream of events. */
  readonly data: z.ZodType | null;
  /** The statuses of its success. */
  readonly statuses: readonly number[];
  /** It needs no key, as it shows nothing of the project. */
  readonly isPublic: boolean;
  /** It changes nothing of the project: a key that may only read is enough, whatever its method. */
  readonly isReading: boolean;
  /** It needs `If-Match`. */
  readonly isConditional: boolean;
  handle(
    services: HttpServices,
    asked: Asked<never, never, never>,
  ): Promise<Answer<unknown>> | Answer<unknown>;
}

/** What a route reads that takes no query. */
export const noQuery = z.strictObject({});

/** What a handler gives: the schema copies it. */
type Given<Document> = NoInfer<Document> | DeepReadonly<NoInfer<Document>>;

interface RouteOptions<Params, Query, Body, Document> {
  readonly method: Route['method'];
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  readonly params?: z.ZodType<Params>;
  readonly query?: z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
  readonly bodyBytes?: number;
  readonly document?: z.ZodType<Document>;
  readonly media?: string;
  readonly data?: z.ZodType;
  readonly statuses?: readonly number[];
  readonly isPublic?: boolean;
  readonly isReading?: boolean;
  readonly isConditional?: boolean;
  handle(
    services: HttpServices,
    asked: Asked<Params, Query, Body>,
  ): Promise<Answer<Given<Document>>> | Answer<Given<Document>>;
}

/** Completes a route. Its handler and its schemas agree. */
export function route<Params = null, Query = null, Body = null, Document = never>(
  options: RouteOptions<Params, Query, Body, Document>,
): Route {
  const { params = null, query = null, body = null, document = null, media = null } = options;
  const { data = null } = options;
  const { statuses = [200], isPublic = false, isConditional = false, bodyBytes = 1024 * 1024 } = options;
  const { isReading = options.method === 'get' } = options;
  return {
    ...options,
    params,
    query,
    body,
    bodyBytes,
    document,
    media,
    data,
    statuses,
    isPublic,
    isReading,
    isConditional,
  };
}

/** What operations of extensions may know of the server that they are of. */
export interface AboutServer {
  /** The number of open event streams. */
  readonly openStreams: () => number;
}

/** Loads the operations that extensions add. */
export type AddedRoutes = (server: AboutServer) => Promise<readonly Route[]>;
