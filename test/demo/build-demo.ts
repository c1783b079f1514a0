import { join } from 'node:path'
import { buildPage } from '../../examples/web-app/build.ts'

/** Where the demo page is built for its tests. */
export const DEMO_DIRECTORY = join(import.meta.dirname, '../../dist/demo')

/** Before all tests of the demo page: build it once. */
export async function setup (): Promise<void> {
  await buildPage(DEMO_DIRECTORY)
}
