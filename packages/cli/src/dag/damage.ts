/** System error codes for a file whose bytes are lost. */
const LOST_CODES = new Set(['EIO', 'EBADMSG', 'EUCLEAN'])

/** Whether an error says that a block's bytes are damaged, so that it must be fetched again. */
export function isDamage (err: unknown): boolean {
  for (let at = err; at instanceof Error; at = at.cause) {
    if (at.name === 'CorruptBlockError' || ('code' in at && LOST_CODES.has(String(at.code)))) {
      return true
    }
  }

  return false
}

/** Whether an error says that a block is not in the repo. */
export function isMissing (err: unknown): boolean {
  for (let at = err; at instanceof Error; at = at.cause) {
    if (at.name === 'NotFoundError') {
      return true
    }
  }

  return false
}
