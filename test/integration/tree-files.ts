import { lstat, mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expectSuccess } from './run-cli.ts'
import type { Sandbox } from './run-cli.ts'

/** The entry at each path: bytes or text for a file, `{ link }` for a symlink, null for a directory. */
export type TreeFiles = Readonly<Record<string, Uint8Array | string | { link: string } | null>>

/** Options of `ipfsz add` with which `readTree` finds the same after a `get`. */
export const PRESERVE = ['--preserve-mode', '--preserve-mtime']

/** Write files, directories and symlinks, and their parent directories. */
export async function makeTree (directory: string, files: TreeFiles): Promise<string> {
  await mkdir(directory, { recursive: true })

  for (const [path, content] of Object.entries(files)) {
    const file = join(directory, path)

    if (content == null) {
      await mkdir(file, { recursive: true })
      continue
    }

    await mkdir(dirname(file), { recursive: true })

    if (typeof content === 'object' && 'link' in content) {
      await symlink(content.link, file)
    } else {
      await writeFile(file, content)
    }
  }

  return directory
}

/** Add a directory with its hidden entries, and return its CID. */
export async function addTree (sandbox: Sandbox, name: string, ...args: string[]): Promise<string> {
  const result = await sandbox.run(['add', '-Q', '--hidden', ...args, '--', name])
  expectSuccess(result)

  return result.stdout.toString().trim()
}

/** Every entry of a directory by its path: its type, content, mode and mtime. */
export async function readTree (directory: string): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {}

  for (const path of await paths(directory)) {
    const file = join(directory, path)
    const stats = await lstat(file, { bigint: true })
    // a CID has whole microseconds, and mtimeMs is rounded to a quarter of one
    const mtime = stats.mtimeNs / 1000n

    found[path] = stats.isSymbolicLink()
      ? { link: await readlink(file), mtime }
      : {
        mode: Number(stats.mode & 0o777n),
        mtime,
        content: stats.isFile() ? (await readFile(file)).toString('latin1') : 'directory'
      }
  }

  return found
}

/** Node's recursive `readdir` follows symlinks, this does not. */
async function paths (directory: string, below = ''): Promise<string[]> {
  const entries = (await readdir(join(directory, below), { withFileTypes: true })).toSorted(
    (a, b) => a.name < b.name ? -1 : 1
  )

  return [below, ...(await Promise.all(entries.map(async entry => {
    const path = join(below, entry.name)

    return entry.isDirectory() ? paths(directory, path) : [path]
  }))).flat()]
}
