import { existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join, parse } from 'node:path'
import threads from 'node:worker_threads'
import { COMPILED_THREADS, SOURCE_THREADS } from './thread-folders.ts'
import type { WorkerOptions } from 'node:worker_threads'

/**
 * Tests start hundreds of threads. As in the command, each runs a bundled program, which takes a tenth of a second of
 * processor time to start: half a second if it loads its modules one by one.
 */
class BundledWorker extends threads.Worker {
  constructor (program: string | URL, options?: WorkerOptions) {
    const { name, ext } = parse(options?.eval === true ? '' : String(program))
    const bundled = join(ext === '.ts' ? SOURCE_THREADS : COMPILED_THREADS, `${name}.cjs`)

    super(name.endsWith('.thread') && existsSync(bundled) ? bundled : program, options)
  }
}

threads.Worker = BundledWorker
syncBuiltinESMExports()
