import { interfaceBlockstoreTests } from 'interface-blockstore-tests'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { makePlainStore, removeStore } from './temporary.ts'

// the suite expects the globals of mocha
Object.assign(globalThis, { afterEach, beforeEach, describe, it })

describe('PlainBlockstore in the compliance suite of blockstores', () => {
  interfaceBlockstoreTests({ setup: makePlainStore, teardown: removeStore })
})
