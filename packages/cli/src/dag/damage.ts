/** What a system says of a file whose bytes are lost. */
const LOST = new Set(['EIO', 'EBADMSG', 'EUCLEAN'])

/** Whether reading a block failed as its bytes are damaged, so that others are to be asked for it. */
export function isDamage (err: unknown): boolean {
  for (let at = err; at instanceof Error; at = at.cause) {
    if (at.name === 'CorruptBlockError' || ('code' in at && LOST.has(String(at.code)))) {
      return true
    }
  }

  return false
}

/** Whether something could not be read as a block is not in the repo. */
export function isMissing (err: unknown): boolean {
  for (let at = err; at instanceof Error; at = at.cause) {
    if (at.name === 'NotFoundError' || at.name === 'MissingBlockError') {
      return true
    }
  }

  return false
}
