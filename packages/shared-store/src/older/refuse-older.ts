// Room: stores in which each block is an object, as they were before packs. They are read and converted, and nothing is
// added to them.
import { StoreError } from '../errors.ts'

/** @throws {StoreError} always: nothing can be added to the store */
export function refuseOlder (name: string): never {
  throw new StoreError(
    `The store ${name} keeps each block as an object, as early versions did: it can only be read`,
    { problem: 'older' }
  )
}
