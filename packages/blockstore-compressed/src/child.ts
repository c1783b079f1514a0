import { InvalidParametersError } from './errors.ts'
import type { Blockstore } from 'interface-blockstore'

/** What a CompressedBlockstore is known by, also where two copies of this package are loaded. */
export const COMPRESSED = Symbol.for('@ipfsz/blockstore-compressed')

/**
 * A child is a blockstore, and does not compress itself. Of envelopes in envelopes the
 * outer ones are no blocks of their CIDs, so the inner store could not tell them from damage.
 *
 * @throws {InvalidParametersError}
 */
export function checkChild (child: object, methods: ReadonlyArray<keyof Blockstore>): void {
  const missing = methods.find(method => typeof (child as Partial<Blockstore> | null)?.[method] !== 'function')

  if (missing != null) {
    throw new InvalidParametersError(`A blockstore is needed: this has no ${missing}`)
  }

  if (COMPRESSED in child) {
    throw new InvalidParametersError('This blockstore compresses already: give the one that it wraps')
  }
}
