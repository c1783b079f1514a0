/** Work that yields every few milliseconds, so that its caller may let others go on. */
export type Steps<T> = Generator<undefined, T>

/** Bytes of a document that are looked at between two steps, 64 KiB: up to 65,536 items. */
export const STEP_SIZE = 64 * 1024

/** Keys that are compared with each other between two steps: each takes up to some microseconds. */
export const STEP_KEYS = 1024
