import { join } from 'node:path'
import { buildPage } from '../../examples/web-app/build.ts'

/** Where the demo page is built for its tests. */
export const DEMO_DIRECTORY = join(import.meta.dirname, '../../dist/demo')

/** Global setup of the demo tests: builds the page once. */
export async function setup (): Promise<void> {
  await buildPage(DEMO_DIRECTORY)
}
