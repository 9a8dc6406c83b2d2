import type * as z from 'zod';
import type { Json } from '../../kernel/json.ts';

/** Any JSON is left as it is: its type contains itself. */
export type DeepReadonly<T> = [Json] extends [T] ? T : Inner<T>;
type Inner<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

/** The schema of a type. It does not compile if one of them allows what the other does not. */
export function schemaOf<T>(): <S extends z.ZodType<T>>(
  schema: [T] extends [DeepReadonly<z.output<S>>] ? S : never,
) => S {
  return (schema) => schema;
}
