/** The code of a system error, such as `ENOENT`. */
export function codeOf (err: unknown): unknown {
  return err instanceof Error && 'code' in err ? err.code : undefined
}
