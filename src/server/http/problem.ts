import { STATUS_CODES } from 'node:http';
import * as z from 'zod';
import { MailroomError, type ErrorCode } from '../../kernel/errors.ts';
import { diagnostic, version } from '../../documents/common.ts';
import { errorDocument, ProblemsError } from '../../project/definition/problems.ts';

/** The media type of a failure (RFC 9457). */
export const problemType = 'application/problem+json';

/** A failure: what RFC 9457 asks for, and the document that commands print. */
export const problemDocument = z.strictObject({
  type: z.string().describe('Where the code is explained'),
  title: z.string().describe('The name of the status'),
  status: z.int(),
  detail: z.string().describe('What happened'),
  code: z.string(),
  hint: z.string().nullable().describe('What to do'),
  schema: version,
  error: diagnostic.describe('The first problem'),
  errors: z.array(diagnostic).describe('All of them'),
  current: z
    .strictObject({ revision: z.string(), text: z.string() })
    .exactOptional()
    .describe('Only with 412: what has changed meanwhile, as it is now'),
});

type Problem = z.output<typeof problemDocument>;

/** A request that is answered with this status. Messages reach the client as they are. */
export class Refusal extends MailroomError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly more: Pick<Problem, 'current'>;

  constructor(
    status: number,
    code: ErrorCode,
    message: string,
    { hint = null, headers = {}, more = {} }: Partial<Pick<Refusal, 'hint' | 'headers' | 'more'>> = {},
  ) {
    super(code, message, hint);
    this.status = status;
    this.headers = headers;
    this.more = more;
  }
}

/** The failures that are not the client's fault are 500, and the state of the project is 409. */
const statuses: Readonly<Partial<Record<ErrorCode, number>>> = {
  E_TARGET: 404,
  E_NO_PROJECT: 404,
  E_KEY: 403,
  E_REFUSED: 409,
  E_LOCKED: 409,
  E_UNCONFIRMED: 409,
  E_CANCELLED: 409,
  E_DISK: 507,
  E_JOURNAL: 500,
  E_FILE: 500,
  E_STATE: 500,
  E_TRAIL: 500,
  E_INTERNAL: 500,
};

/** The status of a failure; what a client has sent and must change is 422. */
function statusOf(error: MailroomError): number {
  if (error instanceof Refusal) return error.status;
  // The message lists them.
  if (error.code === 'E_TARGET' && error.message.includes('\n')) return 409;
  return statuses[error.code] ?? 422;
}

/** The failure that a client sees: of one that the code did not foresee, nothing. */
export function asMailroomError(error: unknown): MailroomError {
  if (error instanceof MailroomError) return error;
  return new MailroomError(
    'E_INTERNAL',
    'this is a bug in Mailroom',
    'the output of `mailroom serve` has more',
  );
}

export function problemOf(error: MailroomError): Problem {
  const { error: first, errors } = errorDocument(error);
  const status = statusOf(error);
  return {
    type: `/docs/errors.md#${error.code.toLowerCase()}`,
    title: STATUS_CODES[status] ?? 'Failure',
    status,
    detail: error instanceof ProblemsError ? first.message : error.message,
    code: error.code,
    hint: error.hint,
    schema: 1,
    error: first,
    errors: [...errors],
    ...(error instanceof Refusal && error.more),
  };
}
