import * as chai from 'chai'
import { afterEach, beforeEach, describe, it } from 'vitest'

/**
 * What the compliance suites of libp2p take for granted: mocha's globals, the timeouts
 * that mocha has on `this`, and an assertion that `aegir/chai` brings.
 */
export function provideMocha (): void {
  const context = { timeout: () => {} }

  Object.assign(globalThis, {
    afterEach,
    beforeEach,
    describe: (name: string, suite: () => void) => { describe(name, () => { suite.call(context) }) },
    it: (name: string, test: () => Promise<void>) => { it(name, async () => { await test.call(context) }) }
  })

  chai.use(({ Assertion }) => {
    Assertion.addMethod('equalBytes', function (this: object, expected: Uint8Array) {
      new Assertion([...chai.util.flag(this, 'object') as Uint8Array]).to.deep.equal([...expected])
    })
  })
}
