/** What engines say of a stack that is full: V8 and Safari, Firefox. */
const FULL_STACK = /^Maximum call stack size exceeded|^too much recursion/

/**
 * The message of whatever was thrown, which may be no Error. Decoders that recurse, such as those of CBOR and JSON, end
 * with a full stack if a value is nested a thousand times: that is told as what it is.
 */
export function messageOf (err: unknown): string {
  const message = err instanceof Error ? err.message : String(err)

  return FULL_STACK.test(message) ? 'it is nested too deeply' : message
}
