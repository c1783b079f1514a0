import { interfaceBlockstoreTests } from 'interface-blockstore-tests'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { makePlainStore, removeStore } from './temporary.ts'

// the suite takes mocha's
Object.assign(globalThis, { afterEach, beforeEach, describe, it })

describe('PlainRepoBlockstore, by the compliance suite of blockstores', () => {
  interfaceBlockstoreTests({ setup: makePlainStore, teardown: removeStore })
})
