import { watch } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Sandbox } from './run-cli.ts'

/** Wait until a lock of a kind has been made, or something is over. */
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
