import { watch } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Sandbox } from './run-cli.ts'

/** Wait until a lock of this kind is made, or `over` settles. */
export async function waitForLock ({ repo }: Sandbox, kind: string, over: Promise<unknown>): Promise<void> {
  const made = Promise.withResolvers<void>()
  const watcher = watch(join(repo, 'locks'), (_, name) => {
    if (name?.startsWith(`${kind}-`) === true) {
      made.resolve()
    }
  })
  onTestFinished(() => { watcher.close() })
  await Promise.race([made.promise, over])
}
