/** Fields of errors that advice depends on. */
export interface Fields {
  asked?: unknown
  baseOfBase?: unknown
  cause?: unknown
  cid?: { toString: () => string } | undefined
  key?: string | undefined
  needsDictionary?: unknown
  place?: string
  sender?: unknown
  root?: { toString: () => string }
  session?: string
  store?: string
  what?: unknown
}

/**
 * By the name of an error, or its name and what tells it apart. It continues the message. Empty: the message says what
 * to do. Undefined: see `explain`.
 */
export type Advice = Readonly<Record<string, string | undefined | ((fields: Fields) => string | undefined)>>
