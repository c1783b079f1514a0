import { equals } from 'uint8arrays/equals'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { chai } from './aegir-chai.ts'
import type { TestContext } from 'vitest'

export interface MochaInit {
  /** Names of tests to skip. */
  without?: readonly string[]
}

/** The time limit of a test, in milliseconds. The suites ask for up to 1,600 s, but passing tests need far less. */
const TIMEOUT = 240_000

/**
 * Provide what the compliance suites of libp2p expect: mocha's globals, its `this.timeout`,
 * and an assertion of `aegir/chai`. Call this before the suite.
 */
export function provideMocha ({ without = [] }: MochaInit = {}): void {
  const context = { timeout: () => {} }

  Object.assign(globalThis, {
    afterEach,
    beforeEach,
    describe: (name: string, suite: () => void) => { describe(name, () => { suite.call(context) }) },
    it: (name: string, test: () => Promise<void>) => {
      if (!without.includes(name)) {
        it(name, async () => { await test.call(context) }, TIMEOUT)
      }
    }
  })

  chai.use(({ Assertion }) => {
    Assertion.addMethod('equalBytes', function (this: Chai.AssertionStatic, expected: Uint8Array) {
      const actual = chai.util.flag(this, 'object') as Uint8Array

      this.assert(
        equals(actual, expected),
        'expected #{act} to equal the bytes #{exp}',
        'expected #{act} not to equal the bytes #{exp}',
        expected,
        actual
      )
    })
  })
}

/**
 * Make every timer take longer, since the short waits of a suite are not enough on a busy machine.
 *
 * @param factor - how many times as long
 * @returns a function that restores the timers
 */
export function slowDown (factor: number): () => void {
  const { setTimeout } = globalThis
  const { timeout } = AbortSignal

  globalThis.setTimeout = (
    (call: () => void, time = 0, ...args: []) => setTimeout(call, time * factor, ...args)
  ) as typeof setTimeout
  AbortSignal.timeout = time => timeout.call(AbortSignal, time * factor)

  return () => {
    globalThis.setTimeout = setTimeout
    AbortSignal.timeout = timeout
  }
}

/**
 * The suite `close` waits only 50 ms, too short for a busy machine. The other
 * suites send thousands of messages between short waits, and would take minutes.
 */
export function slowDownClosing ({ task }: TestContext): (() => void) | undefined {
  return task.suite?.name === 'close' ? slowDown(10) : undefined
}
