import * as chai from 'compliance-chai'
import chaiAsPromised from 'chai-as-promised'

/**
 * Stands in for `aegir/chai`, which the IPFS compliance suites import but do not depend
 * on: chai with promises, and with `be.true()` for `be.true`.
 */
chai.use(chaiAsPromised)
chai.use(({ Assertion }) => {
  for (const name of ['ok', 'true', 'false']) {
    // reading the property makes the check, the call does nothing
    Assertion.overwriteProperty(name, (check: () => void) => function (this: unknown) {
      check.call(this)

      return () => {}
    })
  }
})

export { chai }
export const { expect } = chai
