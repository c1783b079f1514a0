import { watch } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Sandbox } from './run-cli.ts'

/** Wait until so many locks of a kind have been made, which who waits for another does again and again, or something is over. */
export async function waitForLocks ({ repo }: Sandbox, kind: string, count: number, over: Promise<unknown>): Promise<void> {
  const names = new Set<string>()
  const enough = Promise.withResolvers<void>()
  const watcher = watch(join(repo, 'locks'), (_, name) => {
    if (name?.startsWith(`${kind}-`) === true && names.add(name).size === count) {
      enough.resolve()
    }
  })
  onTestFinished(() => { watcher.close() })
  await Promise.race([enough.promise, over])
}
