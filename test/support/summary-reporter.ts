import type { Reporter, TestModule } from 'vitest/node'

/** Ends a run with one plain line: how many tests passed and how many failed. */
export class SummaryReporter implements Reporter {
  onTestRunEnd (modules: readonly TestModule[], errors: readonly unknown[]): void {
    const states = modules.flatMap(module => Array.from(module.children.allTests(), test => test.result().state))
    const passed = states.filter(state => state === 'passed').length
    // a file that did not load has no tests to count
    const broken = modules.filter(module => module.errors().length > 0).length

    console.info(`${passed} passed, ${states.length - passed + broken + errors.length} failed`)
  }
}
