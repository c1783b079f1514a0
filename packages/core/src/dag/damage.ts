/** System error codes for a file whose bytes are lost, or in whose place something else is. */
const LOST_CODES = new Set(['EIO', 'EBADMSG', 'EISDIR', 'EUCLEAN'])

/** Errors for bytes that are not those of the block, and for a pack that is damaged where the block should be. */
const DAMAGE = new Set(['CorruptBlockError', 'DamagedPackError'])

/** Whether an error says that the stored bytes of a block are damaged, so that it must be fetched again. */
export function isDamage (err: unknown): boolean {
  for (let at = err; at instanceof Error; at = at.cause) {
    if (DAMAGE.has(at.name) || ('code' in at && LOST_CODES.has(String(at.code)))) {
      return true
    }
  }

  return false
}
