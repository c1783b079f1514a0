// Room: the blocks of a CAR, in order, within bounds.
import type { BlockBox } from '../memory/block-box.ts'
import type { Share, ShareInit } from '../memory/share.ts'

/** The memory that a walk may use, besides that of the block that is sent. */
export interface CarMemory {
  /** Memory to read a block ahead. Undefined: there is none. */
  readAhead (init: Pick<ShareInit, 'bytes' | 'revoke'>): Pick<Share, 'resize' | 'give'> | undefined

  /** Told which block is sent: it may be dropped meanwhile. */
  send (block: Pick<BlockBox, 'drop'>): void

  /** Count the blocks above the current one, and the CIDs that are remembered: 0 at the end. */
  hold (bytes: number): void
}

/** For a walk that is alone. */
export const OWN_MEMORY: CarMemory = {
  readAhead: () => ({ resize: () => {}, give: () => {} }),
  send: () => {},
  hold: () => {}
}
