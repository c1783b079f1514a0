import type { Reporter, TestModule } from 'vitest/node'

/**
 * Ends a run with one plain line: how many tests passed, how many failed, and how many a filter left out. Before it, it
 * names those that passed only when they were tried again (`--retry`): each is a race, in the test or in what it tests.
 */
export class SummaryReporter implements Reporter {
  onTestRunEnd (modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap(module => Array.from(module.children.allTests()))
    const states = tests.map(test => test.result().state)
    const passed = states.filter(state => state === 'passed').length
    const failed = states.filter(state => state === 'failed' || state === 'pending').length
    // a file that did not load has no tests to count
    const broken = modules.filter(module => module.errors().length > 0).length
    const skipped = states.length - passed - failed

    for (const test of tests.filter(test => test.diagnostic()?.flaky)) {
      console.warn(`passed only when tried again: ${test.module.relativeModuleId} > ${test.fullName}`)
    }

    console.info(
      `${passed} passed, ${failed + broken + errors.length} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`
    )
  }
}
