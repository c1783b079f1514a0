import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Violation } from './command.ts'
import type { Item } from './items.ts'

/**
 * Expect a file to hold one of these, or to be missing if `undefined` is one of them.
 *
 * @returns the one that it holds
 */
export async function expectFile (
  path: string,
  allowed: ReadonlyArray<Uint8Array | undefined>
): Promise<Uint8Array | undefined> {
  const bytes = await readFile(path).catch(() => undefined)
  const found = allowed.findIndex(expected => expected == null ? bytes == null : bytes?.equals(expected) === true)

  if (found === -1) {
    throw new Violation(
      `${path} ${bytes == null ? 'is missing' : `holds ${bytes.byteLength} unexpected bytes`}`
    )
  }

  return allowed[found]
}

/** Expect a directory to hold exactly the files of a tree. */
export async function expectTree (path: string, { name, files }: Item, mayBeMissing: boolean): Promise<void> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => undefined)

  if (entries == null && mayBeMissing) {
    return
  }

  const found = (entries ?? []).filter(entry => entry.isFile())

  if (found.length !== files.size) {
    throw new Violation(`${path} has ${found.length} files instead of the ${files.size} of ${name}`)
  }

  for (const [file, bytes] of files) {
    await expectFile(join(path, file), [bytes])
  }
}
