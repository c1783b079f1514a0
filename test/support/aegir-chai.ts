import * as chai from 'chai'
import chaiAsPromised from 'chai-as-promised'

/**
 * Stands in for `aegir/chai`, which the compliance suites of the IPFS family import
 * and do not bring along: chai with promises, and with `be.true()` for `be.true`.
 */
chai.use(chaiAsPromised)
chai.use(({ Assertion }) => {
  for (const name of ['ok', 'true', 'false']) {
    // the check is made when the property is looked at, the call does nothing more
    Assertion.overwriteProperty(name, (check: () => void) => function (this: unknown) {
      check.call(this)

      return () => {}
    })
  }
})

export { chai }
export const { expect } = chai
