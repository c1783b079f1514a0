/** The errors of interface-store take no cause. */
export function withCause (err: Error, cause: unknown): Error {
  return Object.assign(err, { cause })
}
