import type { Reporter, TestModule } from 'vitest/node'

/** Ends a run with one plain line: how many tests passed, how many failed, and how many a filter left out. */
export class SummaryReporter implements Reporter {
  onTestRunEnd (modules: readonly TestModule[], errors: readonly unknown[]): void {
    const states = modules.flatMap(module => Array.from(module.children.allTests(), test => test.result().state))
    const passed = states.filter(state => state === 'passed').length
    const failed = states.filter(state => state === 'failed' || state === 'pending').length
    // a file that did not load has no tests to count
    const broken = modules.filter(module => module.errors().length > 0).length
    const skipped = states.length - passed - failed

    console.info(
      `${passed} passed, ${failed + broken + errors.length} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`
    )
  }
}
