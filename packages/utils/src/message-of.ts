/** The message of whatever was thrown, which may be no Error. */
export function messageOf (err: unknown): string {
  return err instanceof Error ? err.message : String(err)
}
