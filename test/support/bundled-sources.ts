import { join } from 'node:path'
import { bundleThreads } from '../../scripts/bundle-command.ts'
import { isOlder } from './bundled-command.ts'
import { SOURCE_THREADS } from './thread-folders.ts'

/** Bundle the sources of threads if one was changed, or a package compiled, since they were. */
export async function setup (): Promise<void> {
  if (isOlder(join(SOURCE_THREADS, 'add-files.thread.cjs'), ['node/src/**/*.ts', '*/dist/**/*.js'])) {
    await bundleThreads(SOURCE_THREADS, 'src')
  }
}
