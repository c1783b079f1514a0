/** What is done to the bytes of a frame before it is compressed. */
export type Filter =
  | { kind: 'delta', width: Width }
  | { kind: 'shuffle' | 'records', width: number }

/** Bytes of a number. Bytes at the end of a frame that make no whole number stay as they are. */
export type Width = 1 | 2 | 3 | 4 | 8

/** Maximum number of bytes of a record. */
export const MAX_RECORD_SIZE = 64
